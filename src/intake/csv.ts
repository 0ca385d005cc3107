/**
 * CSV files that come in (RFC 4180): UTF-8 with or without a byte order mark, a header with exactly the columns that are
 * expected, the same number of fields in every row. Pure: bytes in, rows out. A file may be hostile: a row is refused at its
 * first field too many, and a field at its first character too many (docs/decisions/csv.md).
 */
import { BadInput } from './bad-input.ts';

export interface CsvRow<Column extends string> {
  /** The line on which the row begins, counted from 1 with the header, as an editor shows it. */
  readonly row: number;
  readonly fields: Readonly<Record<Column, string>>;
}

/** As long as a published body of CSV (GET /v1/limits). */
export const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Many times the longest text of any of our files. */
const FIELD_LENGTH_MAX = 4_096;

/** Throws BadInput with the line that is wrong. Empty lines are left out. */
export function readCsv<Column extends string>(bytes: Buffer, columns: readonly Column[]): CsvRow<Column>[] {
  if (bytes.length > FILE_BYTES_MAX) throw new BadInput(null, `The file has more than ${FILE_BYTES_MAX} bytes.`);
  const records = recordsOf(textOf(bytes), columns.length);
  const header = records.next().value;
  if (header === undefined) throw new BadInput(null, 'The file is empty.');
  if (header.record.join() !== columns.join())
    throw new BadInput(header.row, `The columns are ${shortened(header.record)}, and should be ${columns.join(',')}.`);
  const rows: CsvRow<Column>[] = [];
  for (const { row, record } of records) {
    if (record.length !== columns.length)
      throw new BadInput(row, `It has ${record.length} of ${columns.length} fields.`);
    const fields = Object.fromEntries(columns.map((column, at) => [column, record[at]!]));
    rows.push({ row, fields: fields as Record<Column, string> });
  }
  return rows;
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BadInput(null, 'The file is not UTF-8.');
  }
}

interface CsvRecord {
  readonly row: number;
  readonly record: string[];
}

/** The records of a text, each of at most so many fields. A line ends with LF, CR LF or CR. */
function* recordsOf(text: string, fieldsMax: number): Generator<CsvRecord, undefined> {
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const row = line;
    const record: string[] = [];
    for (let isOver = false; !isOver; ) {
      if (record.length === fieldsMax) throw new BadInput(row, `It has more than ${fieldsMax} fields.`);
      const field = text[at] === '"' ? quotedField(text, at, row) : plainField(text, at, row);
      record.push(field.value);
      line += field.lines;
      isOver = text[field.end] !== ',';
      at = isOver ? behindLine(text, field.end) : field.end + 1;
    }
    line++;
    if (record.length > 1 || record[0] !== '') yield { row, record };
  }
  return undefined;
}

interface Field {
  readonly value: string;
  /** Behind it: a comma, the end of a line, or the end of the text. */
  readonly end: number;
  /** Line ends within it. */
  readonly lines: number;
}

const COMMA = 44;
const LF = 10;
const CR = 13;
const QUOTE = 34;

function plainField(text: string, start: number, row: number): Field {
  let end = start;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === COMMA || code === LF || code === CR) break;
    if (code === QUOTE) throw new BadInput(row, 'A quote stands within a field that does not begin with one.');
    if (end - start === FIELD_LENGTH_MAX) throw tooLong(row);
  }
  return { value: text.slice(start, end), end, lines: 0 };
}

/** Two quotes within are one. */
function quotedField(text: string, start: number, row: number): Field {
  let value = '';
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    // The search has passed all that is left at most once: without a quote the file is refused here.
    if (quote < 0) throw new BadInput(row, 'A quote is not closed.');
    if (value.length + quote - from > FIELD_LENGTH_MAX) throw tooLong(row);
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') {
      const next = text[quote + 1];
      if (next !== undefined && next !== ',' && next !== '\n' && next !== '\r')
        throw new BadInput(row, 'Behind a closing quote stands neither a comma nor the end of the line.');
      return { value, end: quote + 1, lines: value.match(/\r\n|\n|\r/g)?.length ?? 0 };
    }
    value += '"';
    from = quote + 2;
  }
}

function behindLine(text: string, end: number): number {
  return text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1;
}

const tooLong = (row: number) => new BadInput(row, `A field has more than ${FIELD_LENGTH_MAX} characters.`);

const SHOWN_MAX = 200;
function shortened(record: readonly string[]): string {
  const text = record.join(',');
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
