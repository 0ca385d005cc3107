/** The income statement: what accounts of income and expense moved by from the first day to the last, and the result of each currency. */
import { loadBalancesAt } from '../../ledger/balances/balances-at.ts';
import { publicId } from '../../values/ids.ts';
import { type ChartEntry, chartAt } from './chart.ts';
import { accountColumns, type FigureKind, type FigureOrigin, onePage, type Row } from './figures.ts';
import { dayBefore, placeAt } from './place.ts';

export const incomeStatement: FigureKind = {
  columns: [...accountColumns, { name: 'amount', is: 'amount' }],
  balances: false,
  rows: (origin, from) => onePage(from, () => incomeRows(origin)),
};

async function incomeRows({ db, book, place, asked }: FigureOrigin): Promise<Row[]> {
  const opened = await placeAt(db, book, { ...asked, day: dayBefore(asked.from) });
  const rows: Row[] = [];
  const results = new Map<string, bigint>();
  for await (const { entries } of chartAt(db, book.id, place, asked)) {
    const kept = entries.filter(({ named }) => named.type === 'income' || named.type === 'expense');
    const ids = kept.map(({ id }) => id);
    const openings = new Map((await loadBalancesAt(db, book.id, opened, ids)).map((one) => [one.id, one.posted]));
    for (const entry of kept) {
      const amount = entry.posted - openings.get(entry.id)!;
      if (entry.line > 0n || amount !== 0n) rows.push(rowOf(entry, amount));
      const result = results.get(entry.currency) ?? 0n;
      results.set(entry.currency, result + (entry.named.type === 'income' ? amount : -amount));
    }
  }
  rows.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const known = [...new Set(rows.map(({ currency }) => currency))];
  return known.flatMap((currency) => [
    ...rows.filter((row) => row.currency === currency),
    { currency, code: 'result', name: 'Result', type: 'equity', account: null, amount: results.get(currency)! },
  ]);
}

function rowOf({ id, currency, named }: ChartEntry, amount: bigint): Row {
  const { code, name, type } = named;
  return { currency, code, name, type, account: publicId('account', id), amount };
}

/** Income before expenses. */
const keyOf = ({ currency, type, code, account }: Row) =>
  JSON.stringify([currency, type === 'income' ? 0 : 1, code, account]);
