/** Clearing files, written as processors write them. */
import { CLEARING_COLUMNS, type ClearingColumn } from '../../src/transactions/clearing-files/clearing-line.ts';

export type ClearingFields = Readonly<Partial<Record<ClearingColumn, string | number | bigint>>>;

const MERCHANT = { mcc: 5411, merchant_id: 'M1', merchant_name: 'Corner Shop', merchant_country: 'US' };
/** What is owed less by it. */
const CREDITS = new Set(['clearing_reversal', 'refund']);

/** A line of a clearing of 5411 in USD, unless `fields` replace that. */
export function clearingFields(fields: ClearingFields): ClearingFields {
  return { type: 'clearing', currency: 'USD', ...MERCHANT, ...fields };
}

export function clearingRow(fields: ClearingFields): string {
  return `${CLEARING_COLUMNS.map((column) => quoted(fields[column] ?? '')).join(',')}\n`;
}

export const CLEARING_HEADER = `${CLEARING_COLUMNS.join(',')}\n`;

/** A whole file: with its trailers. */
export function clearingCsv(lines: readonly ClearingFields[]): string {
  const totals = new Map<string, { count: number; sum: bigint }>();
  const rows = lines.map((fields) => {
    const line = clearingFields(fields);
    const { count, sum } = totals.get(String(line.currency)) ?? { count: 0, sum: 0n };
    const amount = BigInt(line.amount ?? 0);
    totals.set(String(line.currency), {
      count: count + 1,
      sum: CREDITS.has(String(line.type)) ? sum - amount : sum + amount,
    });
    return clearingRow(line);
  });
  return [CLEARING_HEADER, ...rows, ...[...totals].map(([currency, total]) => trailer(currency, total))].join('');
}

export function trailer(currency: string, { count, sum }: { count: number; sum: bigint }): string {
  return clearingRow({ message_reference: 'TOTAL', network_reference: count, amount: sum, currency });
}

function quoted(field: string | number | bigint): string {
  const text = String(field);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
