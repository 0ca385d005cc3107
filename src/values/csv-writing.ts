/**
 * CSV that people and programs read (RFC 4180): UTF-8, comma, CRLF, a header. A table is declared as its columns; rows are written one by
 * one, so that a file of any length takes the memory of a row.
 */

/** What a column has in a row. */
export type CsvCell = string | number | bigint | null;

export interface CsvColumn<Row> {
  readonly name: string;
  /** `text` came from somebody else, and a spreadsheet must not take it as a formula. `plain` is ours: numbers, ids, days, codes. */
  readonly is: 'text' | 'plain';
  read(row: Row): CsvCell;
}

/** Before the header, for spreadsheets that otherwise take UTF-8 for another encoding. */
export const CSV_BOM = '\uFEFF';

export const CSV_TYPE = 'text/csv; charset=utf-8';

/** The header, with the end of its line. */
export function csvHeader(columns: readonly CsvColumn<never>[]): string {
  return `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`;
}

/** One row, with the end of its line. */
export function csvRow<Row>(columns: readonly CsvColumn<Row>[], row: Row): string {
  const cells = columns.map(({ is, read }) => {
    const cell = read(row);
    const text = cell === null ? '' : String(cell);
    return quoted(is === 'text' ? withoutFormula(text) : text);
  });
  return `${cells.join(',')}\r\n`;
}

/**
 * What a spreadsheet calculates when it opens a file (OWASP, CSV injection): a text that begins with one of these signs, wide forms too, also
 * behind white space. An apostrophe before it makes it a text.
 */
const FORMULA = /^[\s\u200B\uFEFF]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

export function withoutFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
