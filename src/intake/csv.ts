/**
 * CSV files from outside (RFC 4180): UTF-8 with or without a byte order mark, a header with exactly the expected
 * columns, the same number of fields in every row. Pure: bytes in, rows out. A file may be hostile: the cost of a row
 * is bounded before it is parsed (docs/decisions/csv.md).
 */
import { CsvError, parse } from 'csv-parse/sync';
import { BadInput } from './bad-input.ts';

export interface CsvRow<Column extends string> {
  /** The line on which the row begins, counted from 1 with the header, as an editor shows it. */
  readonly row: number;
  readonly fields: Readonly<Record<Column, string>>;
}

/** As long as a published body of CSV (GET /v1/limits). */
const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Many times the longest row of any of our files. Parsed, a line of so many commas takes milliseconds. */
export const ROW_MAX = 64 * 1024;

/** Throws BadInput with the line that is wrong. Empty lines are left out. */
export function readCsv<Column extends string>(bytes: Buffer, columns: readonly Column[]): CsvRow<Column>[] {
  if (bytes.length > FILE_BYTES_MAX) throw new BadInput(null, `The file has more than ${FILE_BYTES_MAX} bytes.`);
  requireShortLines(bytes);
  const taking = new Table(columns);
  eachRow(textOf(bytes), taking.take);
  return taking.end();
}

/** Rows below a header. Each is judged as it comes: the first that has another number of fields ends the reading. */
export class Table<Column extends string> {
  readonly #columns: readonly Column[];
  #hasHeader = false;
  #rows: CsvRow<Column>[] = [];

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  /** Throws BadInput for another header, and for another number of fields. */
  readonly take = (row: ParsedRow): boolean => {
    if (this.#hasHeader) this.#rows.push(rowOf(row, this.#columns));
    else requireHeader(row, this.#columns);
    this.#hasHeader = true;
    return true;
  };

  /** Those that were taken since. */
  rows(): CsvRow<Column>[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  /** The last of them. Throws BadInput for a file without a header. */
  end(): CsvRow<Column>[] {
    if (!this.#hasHeader) requireHeader(undefined, this.#columns);
    return this.rows();
  }
}

/** A row as it is read: its fields in their order. */
export interface ParsedRow {
  readonly row: number;
  readonly record: readonly string[];
}

/** Throws BadInput for a file without a header, or with another. */
function requireHeader(header: ParsedRow | undefined, columns: readonly string[]): void {
  if (header === undefined) throw new BadInput(null, 'The file is empty.');
  if (header.record.join() !== columns.join())
    throw new BadInput(header.row, `The columns are ${shortened(header.record)}, and should be ${columns.join(',')}.`);
}

/** Throws BadInput for another number of fields. */
function rowOf<Column extends string>({ row, record }: ParsedRow, columns: readonly Column[]): CsvRow<Column> {
  if (record.length !== columns.length) throw new BadInput(row, `It has ${record.length} of ${columns.length} fields.`);
  const fields = Object.fromEntries(columns.map((column, at) => [column, record[at]!]));
  return { row, fields: fields as Record<Column, string> };
}

export const LF = 10;
export const CR = 13;

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

/** Without the byte order mark at its beginning. Throws BadInput where it is not UTF-8. */
export function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BadInput(null, 'The file is not UTF-8.');
  }
}

interface Parsing {
  /** Of the file, where the text is a part of it that begins with a row. */
  readonly linesBefore?: number;
  readonly delimiter?: string;
}

/** No more of the text is wanted. */
class Enough extends Error {
  override name = 'Enough';
}

/**
 * Gives each row as soon as it has ended, until `take` wants no more, or throws. So a text that is wrong is read up to the row
 * that is wrong: kept whole, rows of nothing but delimiters are a hundred times as large as their bytes.
 */
export function eachRow(
  text: string,
  take: (row: ParsedRow) => boolean,
  { linesBefore = 0, delimiter = ',' }: Parsing = {},
): void {
  // The parser reports the line on which the row ends, and counts CR LF within quotes twice.
  let twice = 0;
  try {
    const options = {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: ROW_MAX,
      info: true,
      // What comes back is kept by the parser: nothing is.
      on_record({ record, info }: { record: string[]; info: { lines: number } }) {
        const row = linesBefore + info.lines - twice - countIn(record, /[\r\n]/g);
        twice += countIn(record, /\r\n/g);
        if (!take({ row, record })) throw new Enough();
        return null;
      },
    };
    parse(text, options as never);
  } catch (error) {
    if (error instanceof Enough) return;
    if (!(error instanceof CsvError)) throw error;
    const { lines, message } = error as CsvError & { lines?: number };
    // The parser counts the lines of what it was given.
    const detail = linesBefore === 0 ? message : message.replace(/(,)? at line \d+/, '');
    throw new BadInput(lines === undefined ? null : linesBefore + lines, detail);
  }
}

const countIn = (record: readonly string[], pattern: RegExp) =>
  record.reduce((sum, field) => sum + (field.match(pattern)?.length ?? 0), 0);

const SHOWN_MAX = 200;
function shortened(record: readonly string[]): string {
  const text = record.join(',');
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
