/**
 * An acquirer's settlement report: what it paid, line by line. Read from a CSV file (docs/payments-settlement.md), and checked
 * whole before anything of it is kept. Pure.
 * Next: report-store.ts (its rows), settle-lines.ts (what a book makes of its lines).
 */
import { BadInput } from '../../intake/bad-input.ts';
import { type CsvRow, readCsv } from '../../intake/csv.ts';
import { isCurrency } from '../../money/currency.ts';

export const LINE_TYPES = ['capture', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'adjustment'] as const;
export type LineType = (typeof LINE_TYPES)[number];

/** Amounts are minor units, and positive where the acquirer pays. */
export interface ReportLine {
  /** Of the file. */
  readonly row: number;
  /** The acquirer's own id of the line: no other line of the acquirer has it. */
  readonly lineId: string;
  /** Whose line it is: the originator of the instruction, a book. */
  readonly merchant: string;
  readonly type: LineType;
  /** Of the instruction that it is about. */
  readonly reference: string;
  readonly currency: string;
  readonly gross: bigint;
  /** What the acquirer kept for itself. */
  readonly cost: bigint;
  readonly net: bigint;
}

export const REPORT_COLUMNS = ['line_id', 'merchant', 'type', 'reference', 'currency', 'gross', 'cost', 'net'] as const;

type Column = (typeof REPORT_COLUMNS)[number];

/** The first field of a trailer. It has the number of lines of a currency in the second one. */
const TRAILER = 'TOTAL';

const AMOUNT = /^-?\d{1,19}$/;
/** Of a bigint of Postgres. */
const AMOUNT_MAX = 2n ** 63n - 1n;
const TEXT_MAX = 100;

/** What a line of a type does to what the acquirer owes. */
const SIGN: Readonly<Record<LineType, 1 | -1 | 0>> = {
  capture: 1,
  refund: -1,
  refund_failed: 1,
  dispute: -1,
  dispute_won: 1,
  adjustment: 0,
};

/** Empty for a day without transactions, which has a TOTAL of 0 lines. Throws BadInput, with the line of the file. */
export function readReport(bytes: Buffer): ReportLine[] {
  const rows = readCsv(bytes, REPORT_COLUMNS);
  const trailers = rows.filter(({ fields }) => fields.line_id === TRAILER);
  const firstTrailer = trailers[0];
  if (firstTrailer === undefined)
    throw new BadInput(lastRow(rows), 'The file ends without its TOTAL: it is not whole.');
  const lines: ReportLine[] = [];
  const seen = new Map<string, number>();
  for (const row of rows) {
    if (row.fields.line_id === TRAILER) continue;
    if (row.row > firstTrailer.row) throw new BadInput(row.row, 'A line stands behind the TOTAL.');
    const line = lineOf(row);
    const before = seen.get(line.lineId);
    if (before !== undefined)
      throw new BadInput(row.row, `The line_id ${line.lineId} stands in line ${before} as well.`);
    seen.set(line.lineId, row.row);
    lines.push(line);
  }
  refuseTooMuch(lines);
  checkTotals(lines, trailers);
  return lines;
}

function lineOf({ row, fields }: CsvRow<Column>): ReportLine {
  const text = (column: Column) => {
    const value = fields[column];
    if (value.length > TEXT_MAX || /\p{Cc}/u.test(value))
      throw new BadInput(row, `The ${column} is no text of at most ${TEXT_MAX} characters.`);
    return value;
  };
  const type = LINE_TYPES.find((known) => known === fields.type);
  if (type === undefined)
    throw new BadInput(row, `The type is ${shortened(fields.type)}, and should be one of ${LINE_TYPES.join(', ')}.`);
  const { currency } = fields;
  if (!isCurrency(currency)) throw new BadInput(row, `${shortened(currency)} is no currency.`);
  const [gross, cost, net] = [
    amountOf(row, fields, 'gross'),
    amountOf(row, fields, 'cost'),
    amountOf(row, fields, 'net'),
  ];
  if (gross - cost !== net) throw new BadInput(row, `The net is ${net}, and gross less cost is ${gross - cost}.`);
  if (SIGN[type] * Number(gross > 0n ? 1 : gross < 0n ? -1 : 0) < 0 || (gross === 0n && SIGN[type] !== 0))
    throw new BadInput(
      row,
      `The gross of a ${type} is ${SIGN[type] > 0 ? 'more' : 'less'} than zero, and not ${gross}.`,
    );
  const lineId = text('line_id');
  if (lineId === '') throw new BadInput(row, 'It has no line_id.');
  return { row, lineId, merchant: text('merchant'), type, reference: text('reference'), currency, gross, cost, net };
}

function amountOf(row: number, fields: CsvRow<Column>['fields'], column: 'gross' | 'cost' | 'net'): bigint {
  const text = fields[column];
  if (!AMOUNT.test(text))
    throw new BadInput(row, `The ${column} is ${shortened(text)}, and should be a whole number of minor units.`);
  const amount = BigInt(text);
  if (magnitude(amount) > AMOUNT_MAX)
    throw new BadInput(row, `The ${column} is ${text}; an amount is at most ${AMOUNT_MAX}.`);
  return amount;
}

/**
 * Whatever is summed of a currency's lines stays within an amount, in any order and by any book: so the lines are added up without
 * their signs.
 */
function refuseTooMuch(lines: readonly ReportLine[]): void {
  const totals = new Map<string, bigint>();
  for (const { row, currency, gross, cost } of lines) {
    const total = (totals.get(currency) ?? 0n) + magnitude(gross) + magnitude(cost);
    if (total > AMOUNT_MAX)
      throw new BadInput(row, `With this line the amounts in ${currency} come to more than ${AMOUNT_MAX}.`);
    totals.set(currency, total);
  }
}

/** What a currency without lines comes to: a report may say so. */
const NOTHING = { count: 0, gross: 0n, cost: 0n, net: 0n };

/** Every currency has one trailer, which says what its lines come to. */
function checkTotals(lines: readonly ReportLine[], trailers: readonly CsvRow<Column>[]): void {
  const totals = new Map<string, { count: number; gross: bigint; cost: bigint; net: bigint }>();
  for (const { currency, gross, cost, net } of lines) {
    const sum = totals.get(currency) ?? NOTHING;
    totals.set(currency, {
      count: sum.count + 1,
      gross: sum.gross + gross,
      cost: sum.cost + cost,
      net: sum.net + net,
    });
  }
  const stood = new Set<string>();
  for (const { row, fields } of trailers) {
    const { currency } = fields;
    if (!isCurrency(currency)) throw new BadInput(row, `${shortened(currency)} is no currency.`);
    if (stood.has(currency)) throw new BadInput(row, `A TOTAL of ${currency} stands before it.`);
    stood.add(currency);
    const sum = totals.get(currency) ?? NOTHING;
    totals.delete(currency);
    const stated = [
      fields.merchant,
      ...(['gross', 'cost', 'net'] as const).map((name) => String(amountOf(row, fields, name))),
    ];
    const counted = [sum.count, sum.gross, sum.cost, sum.net].map(String);
    if (stated.join() !== counted.join())
      throw new BadInput(
        row,
        `The TOTAL of ${currency} is ${stated.join(',')}, and the lines come to ${counted.join(',')} (lines, gross, cost, net).`,
      );
  }
  const [missing] = totals.keys();
  if (missing !== undefined) throw new BadInput(null, `There is no TOTAL of ${missing}: the file is not whole.`);
}

/** The bytes of a report with these lines: what `readReport` reads. */
export function writeReport(lines: readonly Omit<ReportLine, 'row' | 'net'>[]): Buffer {
  const text = (fields: readonly (string | bigint | number)[]) => `${fields.map(quoted).join(',')}\n`;
  const currencies = [...new Set(lines.map(({ currency }) => currency))];
  const sumOf = (some: typeof lines, pick: (line: (typeof lines)[number]) => bigint) =>
    some.reduce((sum, line) => sum + pick(line), 0n);
  return Buffer.from(
    text(REPORT_COLUMNS) +
      lines
        .map((line) =>
          text([
            line.lineId,
            line.merchant,
            line.type,
            line.reference,
            line.currency,
            line.gross,
            line.cost,
            line.gross - line.cost,
          ]),
        )
        .join('') +
      currencies
        .map((currency) => {
          const some = lines.filter((line) => line.currency === currency);
          const [gross, cost] = [sumOf(some, (line) => line.gross), sumOf(some, (line) => line.cost)];
          return text([TRAILER, some.length, '', '', currency, gross, cost, gross - cost]);
        })
        .join(''),
  );
}

function quoted(field: string | bigint | number): string {
  const text = String(field);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const magnitude = (amount: bigint) => (amount < 0n ? -amount : amount);
const lastRow = (rows: readonly { row: number }[]) => rows.at(-1)?.row ?? null;
const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text || 'empty');
