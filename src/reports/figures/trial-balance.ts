/**
 * The trial balance: what stands on each account at the end of a day. Customers are two lines of each currency: what is owed to them, and
 * what those owe whose balance is below zero. The two are never netted: an overdrawn customer is an asset.
 */
import { publicId } from '../../values/ids.ts';
import { sumAtPlace, sumKey } from '../totals/sum-at-place.ts';
import { type ChartEntry, type ChartPage, chartAt } from './chart.ts';
import {
  accountColumns,
  FigureContradicted,
  type FigureKind,
  type FigureOrigin,
  onePage,
  type Row,
} from './figures.ts';

export const trialBalance: FigureKind = {
  columns: [
    ...accountColumns,
    { name: 'debit', is: 'amount', totals: 'debits' },
    { name: 'credit', is: 'amount', totals: 'credits' },
  ],
  balances: true,
  rows: (origin, from) => onePage(from, () => trialRows(accountsOf(origin))),
};

/** The accounts as their lines have them. Throws FigureContradicted where totals of the journal have another sum of a code. */
export async function* accountsOf({ db, book, place, asked }: FigureOrigin): AsyncGenerator<ChartPage> {
  const standing = new Map<string, bigint>();
  for await (const page of chartAt(db, book.id, place, asked)) {
    for (const entry of page.entries) {
      const onDebit = entry.side === 'debit' ? entry.posted : -entry.posted;
      standing.set(sumKey(entry), (standing.get(sumKey(entry)) ?? 0n) + onDebit);
    }
    yield page;
  }
  const sums = await sumAtPlace(db, book.id, place);
  for (const [key, onDebit] of sums) {
    const stands = standing.get(key) ?? (asked.currency === undefined ? 0n : onDebit);
    if (stands !== onDebit)
      throw new FigureContradicted(
        `Lines of ${key} come to ${stands} on the debit side, and totals of the journal to ${onDebit}. Run \`npm run verify\`.`,
      );
  }
}

/** Sorted: of each currency the accounts of the system, customers, and own accounts. */
export async function trialRows(
  pages: AsyncIterable<Pick<ChartPage, 'entries'>> | Iterable<Pick<ChartPage, 'entries'>>,
): Promise<Row[]> {
  const lines: Line[] = [];
  const customers = new Map<string, { owed: bigint; overdrawn: bigint }>();
  for await (const { entries } of pages) {
    for (const entry of entries) {
      // Nothing stood there yet.
      if (entry.line === 0n && entry.posted === 0n) continue;
      if (entry.code !== 'customer') {
        lines.push(lineOf(entry));
        continue;
      }
      const sums = customers.get(entry.currency) ?? { owed: 0n, overdrawn: 0n };
      if (entry.posted > 0n) sums.owed += entry.posted;
      else sums.overdrawn -= entry.posted;
      customers.set(entry.currency, sums);
    }
  }
  for (const [currency, sums] of customers) lines.push(...linesOfCustomers(currency, sums));
  return lines.sort(inOrder).map(({ row }) => row);
}

interface Line {
  /** System accounts stand first, then customers, then own accounts. */
  readonly rank: number;
  readonly row: Row;
}

function lineOf({ id, code, currency, side, posted, named }: ChartEntry): Line {
  const onDebit = side === 'debit' ? posted : -posted;
  return {
    rank: code === 'own' ? 2 : 0,
    row: {
      ...{ currency, code: named.code, name: named.name, type: named.type, account: publicId('account', id) },
      ...sides(onDebit),
    },
  };
}

/** An amount on the debit side as a debit or a credit. */
export function sides(onDebit: bigint): { debit: bigint; credit: bigint } {
  return onDebit >= 0n ? { debit: onDebit, credit: 0n } : { debit: 0n, credit: -onDebit };
}

function linesOfCustomers(currency: string, { owed, overdrawn }: { owed: bigint; overdrawn: bigint }): Line[] {
  const row = (code: string, name: string, type: string, onDebit: bigint): Line => ({
    rank: 1,
    row: { currency, code, name, type, account: null, ...sides(onDebit) },
  });
  return [
    row('customer', 'Customers', 'liability', -owed),
    ...(overdrawn === 0n ? [] : [row('customer_overdrawn', 'Overdrawn customers', 'asset', overdrawn)]),
  ];
}

function inOrder(one: Line, other: Line): number {
  const places = ({ rank, row }: Line) => [
    row.currency,
    String(rank),
    row.code as string,
    (row.account ?? '') as string,
  ];
  const [these, those] = [places(one), places(other)];
  const at = these.findIndex((place, index) => place !== those[index]);
  return at === -1 ? 0 : these[at]! < those[at]! ? -1 : 1;
}
