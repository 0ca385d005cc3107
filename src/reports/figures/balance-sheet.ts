/** The balance sheet: assets, liabilities and equity at the end of a day. Income less expenses up to then is one line of equity, the current earnings. */
import { type FigureKind, onePage, type Row } from './figures.ts';
import { accountsOf, sides, trialBalance, trialRows } from './trial-balance.ts';

export const balanceSheet: FigureKind = {
  columns: trialBalance.columns,
  balances: true,
  rows: (origin, from) =>
    onePage(from, async () => {
      const rows = await trialRows(accountsOf(origin));
      const currencies = [...new Set(rows.map(({ currency }) => currency))];
      return currencies.flatMap((currency) =>
        sheetOf(
          currency,
          rows.filter((row) => row.currency === currency),
        ),
      );
    }),
};

function sheetOf(currency: string, rows: readonly Row[]): Row[] {
  const ofResult = rows.filter(isOfResult);
  const standing = rows.filter((row) => !isOfResult(row));
  if (ofResult.length === 0) return standing;
  const onDebit = ofResult.reduce((sum, { debit, credit }) => sum + (debit as bigint) - (credit as bigint), 0n);
  const earnings = { currency, code: 'current_earnings', name: 'Current earnings', type: 'equity', account: null };
  return [...standing, { ...earnings, ...sides(onDebit) }];
}

const isOfResult = ({ type }: Row) => type === 'income' || type === 'expense';
