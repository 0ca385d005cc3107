/** Balances of all accounts of a book at the end of a day, as of an entry: equal parameters give equal rows, however far the book has come. */
import type { Queryable } from '../../db/pool.ts';
import { BEFORE_ALL_IDS } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import type { BookId } from '../book/book.ts';
import { endOfDay } from '../clock/finish-day.ts';
import { findSequenceAt } from '../journal/sequence-at-store.ts';
import { readBalancesAt } from './balances-at.ts';
import type { BalanceOfAccount } from './trial-balance.ts';

export interface BalancesAt {
  /** YYYY-MM-DD, of the book's time zone. Finished, or the balances are those of now. */
  readonly day: string;
  readonly timeZone: string;
  /** Entries behind it do not count, whatever day they take effect on. */
  readonly throughSequence: bigint;
  readonly axis: 'effective' | 'posted';
}

const PAGE = 500;

/** Pages of accounts that do not stand at zero, in order of id. No snapshot stays open: entries up to a sequence never change. */
export async function* readBalances(
  db: Queryable,
  bookId: BookId,
  { day, timeZone, throughSequence, axis }: BalancesAt,
): AsyncGenerator<readonly BalanceOfAccount[], void> {
  const before = endOfDay(day, { timeZone });
  const postedThrough = await findSequenceAt(db, bookId, { head: throughSequence, before });
  const place = { sequence: throughSequence, postedThrough, day: axis === 'posted' ? null : day };
  for (let after = BEFORE_ALL_IDS; ; ) {
    const page = await readBalancesAt(db, bookId, place, { after, limit: PAGE });
    const rows = page.flatMap(({ id, code, side, currency, posted: balance }) =>
      balance === 0n ? [] : [{ id, code, side, currency, balance }],
    );
    if (rows.length > 0) yield rows;
    if (page.length < PAGE) return;
    after = further('accounts of a trial balance', after, page.at(-1)!.id);
  }
}
