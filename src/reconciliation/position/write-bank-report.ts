/** Writes a report of the operator's bank as JSON, CSV or PDF. No time of making is in it: the same figures give the same bytes. */
import { decimalOf } from '../../money/amount.ts';
import { currencyExponent } from '../../money/currency.ts';
import { PAGE, PdfPages } from '../../pdf/document.ts';
import { type CsvColumn, csvHeader, csvRow } from '../../values/csv-writing.ts';
import { toJson } from '../../values/json.ts';
import type { BankColumn, BankReport, BankRow } from './bank-report.ts';

export const BANK_REPORT_FORMATS = ['csv', 'json', 'pdf'] as const;
export type BankReportFormat = (typeof BANK_REPORT_FORMATS)[number];

export interface BankReportHead {
  readonly book: string;
  /** YYYY-MM-DD. */
  readonly asOf: string;
}

export async function writeBankReport(
  report: BankReport,
  head: BankReportHead,
  format: BankReportFormat,
): Promise<Buffer> {
  if (format === 'json') return Buffer.from(inJson(report, head));
  if (format === 'csv') return Buffer.from(inCsv(report));
  return inPdf(report, head);
}

function inJson({ type, ok, rows, throughSequence }: BankReport, { book, asOf }: BankReportHead): string {
  const shown = rows.map((row) => ({ ...row, currency_exponent: currencyExponent(row.currency) }));
  return `${toJson({ type, book, as_of: asOf, through_sequence: throughSequence, ok, rows: shown })}\n`;
}

/** Of each amount a column with its decimals and one in minor units. */
function inCsv({ columns, rows }: BankReport): string {
  const written = columns.flatMap(({ name, is }): CsvColumn<BankRow>[] => {
    const read = (row: BankRow) => row[name] ?? null;
    if (is !== 'amount') return [{ name, is: is === 'text' ? 'text' : 'plain', read }];
    return [
      { name, is: 'plain', read: (row) => cellText(columns, name, row) },
      { name: `${name}_minor`, is: 'plain', read },
    ];
  });
  return `${csvHeader(written)}${rows.map((row) => csvRow(written, row)).join('')}`;
}

function cellText(columns: readonly BankColumn[], name: string, row: BankRow): string {
  const value = row[name] ?? null;
  if (value === null) return '';
  const { is } = columns.find((column) => column.name === name)!;
  return is === 'amount' ? decimalOf(value as bigint, row.currency) : String(value);
}

const LINE_HEIGHT = 14;
const SIZE = 7.5;

/** Of a column, in characters: the longest names of banks are cut. */
const WIDEST = 32;
const GAP = 4;

/** Columns share the page by the longest that stands in each. */
function placesOf(columns: readonly BankColumn[], rows: readonly BankRow[]): { x: number; width: number }[] {
  const widths = columns.map(({ name }) =>
    Math.min(WIDEST, Math.max(name.length, ...rows.map((row) => cellText(columns, name, row).length))),
  );
  const perCharacter = (PAGE.width - 2 * PAGE.margin) / widths.reduce((sum, width) => sum + width, 0);
  let x = PAGE.margin;
  return widths.map((width) => {
    const placed = { x, width: width * perCharacter - GAP };
    x += width * perCharacter;
    return placed;
  });
}

async function inPdf(
  { title, columns, rows, ok, throughSequence }: BankReport,
  { book, asOf }: BankReportHead,
): Promise<Buffer> {
  const pages = await PdfPages.open({ title: `${title} ${asOf}`, at: Date.parse(`${asOf}T00:00:00Z`) });
  const places = placesOf(columns, rows);
  const through = throughSequence === null ? '' : `, through entry ${throughSequence}`;
  const place = (at: number, y: number, is: BankColumn['is']) => ({
    ...{ ...places[at]!, y, size: SIZE },
    align: is === 'amount' || is === 'count' ? ('right' as const) : ('left' as const),
  });
  let y = PAGE.height;
  const next = () => {
    y += LINE_HEIGHT;
    if (y <= PAGE.height - PAGE.margin) return;
    pages.addPage();
    y = PAGE.margin + LINE_HEIGHT;
    pages.text(title, { x: PAGE.margin, y, width: PAGE.width - 2 * PAGE.margin, size: 13, bold: true });
    y += LINE_HEIGHT;
    const note = `${book}, as of ${asOf}${through}.${ok ? '' : ' Figures disagree, or money is short.'}`;
    pages.text(note, { x: PAGE.margin, y, width: PAGE.width - 2 * PAGE.margin, size: SIZE });
    y += 2 * LINE_HEIGHT;
    for (const [at, { name, is }] of columns.entries())
      pages.text(name.replaceAll('_', ' '), { ...place(at, y, is), bold: true });
    y += LINE_HEIGHT;
  };
  next();
  for (const [index, row] of rows.entries()) {
    if (index > 0) next();
    for (const [at, { name, is }] of columns.entries()) pages.text(cellText(columns, name, row), place(at, y, is));
  }
  const pieces: Buffer[] = [];
  for await (const piece of pages.end()) pieces.push(piece);
  return Buffer.concat(pieces);
}
