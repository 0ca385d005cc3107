/** What stands on each customer's account at the end of a day. */
import { publicId } from '../../values/ids.ts';
import { chartAt } from './chart.ts';
import type { FigureKind } from './figures.ts';

export const customerBalances: FigureKind = {
  columns: [
    { name: 'currency', is: 'word' },
    { name: 'account', is: 'word' },
    { name: 'balance', is: 'amount' },
  ],
  balances: false,
  async *rows({ db, book, place, asked }, from) {
    for await (const { entries, last } of chartAt(db, book.id, place, asked, from)) {
      const rows = entries
        .filter(({ code, line, posted }) => code === 'customer' && (line > 0n || posted !== 0n))
        .map(({ id, currency, posted }) => ({ currency, account: publicId('account', id), balance: posted }));
      yield { rows, next: last };
    }
  },
};
