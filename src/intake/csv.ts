/**
 * CSV files that come in (RFC 4180): UTF-8 with or without a byte order mark, a header with exactly the columns that are
 * expected, the same number of fields in every row. Pure: bytes in, rows out.
 */
import { parse } from 'csv-parse/sync';
import { BadInput } from './bad-input.ts';

export interface CsvRow<Column extends string> {
  /** Counted from 1 with the header, as an editor shows it. */
  readonly row: number;
  readonly fields: Readonly<Record<Column, string>>;
}

/** As long as a published body of CSV (GET /v1/limits). */
export const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Throws BadInput with the line that is wrong. Empty lines are left out. */
export function readCsv<Column extends string>(bytes: Buffer, columns: readonly Column[]): CsvRow<Column>[] {
  if (bytes.length > FILE_BYTES_MAX) throw new BadInput(null, `The file has more than ${FILE_BYTES_MAX} bytes.`);
  const parsed = parsedRows(textOf(bytes));
  const [header, ...rows] = parsed;
  if (header === undefined) throw new BadInput(null, 'The file is empty.');
  if (header.record.join() !== columns.join())
    throw new BadInput(header.row, `The columns are ${header.record.join(',')}, and should be ${columns.join(',')}.`);
  return rows.map(({ row, record }) => {
    if (record.length !== columns.length)
      throw new BadInput(row, `It has ${record.length} of ${columns.length} fields.`);
    const fields = Object.fromEntries(columns.map((column, at) => [column, record[at]!]));
    return { row, fields: fields as Record<Column, string> };
  });
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BadInput(null, 'The file is not UTF-8.');
  }
}

function parsedRows(text: string): { row: number; record: string[] }[] {
  try {
    const parsed = parse(text, { relax_column_count: true, skip_empty_lines: true, info: true }) as unknown as {
      record: string[];
      info: { lines: number };
    }[];
    return parsed.map(({ record, info }) => ({ row: info.lines, record }));
  } catch (error) {
    const { lines = null, message } = error as { lines?: number; message: string };
    throw new BadInput(lines, message);
  }
}
