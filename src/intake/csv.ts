/**
 * CSV files that come in (RFC 4180): UTF-8 with or without a byte order mark, a header with exactly the columns that are
 * expected, the same number of fields in every row. Pure: bytes in, rows out. A file may be hostile: what a row can cost is
 * bounded before it is parsed (docs/decisions/csv.md).
 */
import { parse } from 'csv-parse/sync';
import { BadInput } from './bad-input.ts';

export interface CsvRow<Column extends string> {
  /** The line on which the row begins, counted from 1 with the header, as an editor shows it. */
  readonly row: number;
  readonly fields: Readonly<Record<Column, string>>;
}

/** As long as a published body of CSV (GET /v1/limits). */
export const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Many times the longest row of any of our files. Parsed, a line of so many commas takes milliseconds. */
const ROW_MAX = 64 * 1024;

/** Throws BadInput with the line that is wrong. Empty lines are left out. */
export function readCsv<Column extends string>(bytes: Buffer, columns: readonly Column[]): CsvRow<Column>[] {
  if (bytes.length > FILE_BYTES_MAX) throw new BadInput(null, `The file has more than ${FILE_BYTES_MAX} bytes.`);
  requireShortLines(bytes);
  const parsed = parsedRows(textOf(bytes));
  const [header, ...rows] = parsed;
  if (header === undefined) throw new BadInput(null, 'The file is empty.');
  if (header.record.join() !== columns.join())
    throw new BadInput(header.row, `The columns are ${shortened(header.record)}, and should be ${columns.join(',')}.`);
  return rows.map(({ row, record }) => {
    if (record.length !== columns.length)
      throw new BadInput(row, `It has ${record.length} of ${columns.length} fields.`);
    const fields = Object.fromEntries(columns.map((column, at) => [column, record[at]!]));
    return { row, fields: fields as Record<Column, string> };
  });
}

const LF = 10;
const CR = 13;

/** The parser counts the fields of a row once the row has ended: a line without an end would be millions of them. */
function requireShortLines(bytes: Buffer): void {
  let line = 1;
  let start = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === LF || byte === CR) {
      start = at + 1;
      if (byte === LF || bytes[start] !== LF) line++;
    } else if (at - start === ROW_MAX) throw new BadInput(line, `It has more than ${ROW_MAX} bytes.`);
  }
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
    const options = { relax_column_count: true, skip_empty_lines: true, max_record_size: ROW_MAX, info: true };
    const parsed = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[];
    // The parser tells the line on which the row ends, and counts CR LF within quotes twice.
    let twice = 0;
    return parsed.map(({ record, info }) => {
      const row = info.lines - twice - countIn(record, /[\r\n]/g);
      twice += countIn(record, /\r\n/g);
      return { row, record };
    });
  } catch (error) {
    const { lines = null, message } = error as { lines?: number; message: string };
    throw new BadInput(lines, message);
  }
}

const countIn = (record: readonly string[], pattern: RegExp) =>
  record.reduce((sum, field) => sum + (field.match(pattern)?.length ?? 0), 0);

const SHOWN_MAX = 200;
function shortened(record: readonly string[]): string {
  const text = record.join(',');
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
