/**
 * A line of an acquirer's settlement report: an amount that it paid. Read from a row of CSV
 * (docs/payments-settlement.md); check-report.ts checks that the report is whole. Pure.
 * Next: report-store.ts (its rows), settle-lines.ts (its lines in a book).
 */
import { BadInput } from '../../intake/bad-input.ts';
import type { CsvRow } from '../../intake/csv.ts';
import { isCurrency } from '../../money/currency.ts';

const LINE_TYPES = ['capture', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'adjustment'] as const;
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
export type ReportRow = CsvRow<Column>;

/** The first field of a trailer. It has the number of lines of a currency in the second one. */
export const TRAILER = 'TOTAL';

const AMOUNT = /^-?\d{1,19}$/;
/** Of a bigint of Postgres. */
export const AMOUNT_MAX = 2n ** 63n - 1n;
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

/** Throws BadInput, with the line of the file. */
export function reportLineOf({ row, fields }: ReportRow): ReportLine {
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

export function amountOf(row: number, fields: ReportRow['fields'], column: 'gross' | 'cost' | 'net'): bigint {
  const text = fields[column];
  if (!AMOUNT.test(text))
    throw new BadInput(row, `The ${column} is ${shortened(text)}, and should be a whole number of minor units.`);
  const amount = BigInt(text);
  if (magnitude(amount) > AMOUNT_MAX)
    throw new BadInput(row, `The ${column} is ${text}; an amount is at most ${AMOUNT_MAX}.`);
  return amount;
}

/** The bytes of a report with these lines: what `checkReport` finds whole. */
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

export const magnitude = (amount: bigint) => (amount < 0n ? -amount : amount);
export const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text || 'empty');
