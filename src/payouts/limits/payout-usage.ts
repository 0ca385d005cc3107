/** What of its limits a book has used, as it stands now. */
import { dayOf } from '../../calendar/day.ts';
import type { Queryable } from '../../db/pool.ts';
import { type BookId, bookTime } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { currencyExponent } from '../../money/currency.ts';
import type { PayoutLimits } from '../../rails/settings/rail-settings.ts';
import type { Instant } from '../../values/clock.ts';
import { type LimitUsage, newPayoutCounter, onDay, usagesOf } from './payout-counter.ts';
import { payoutCounterId, payoutCounters } from './payout-counter-table.ts';

export interface CurrencyUsage extends LimitUsage {
  readonly currency: string;
  readonly exponent: number;
}

/** By currency, in alphabetical order. Without limits nothing is read. Indexes: books_pkey, payout_counters_pkey. */
export async function readUsages(
  db: Queryable,
  { bookId, limits, wall }: { bookId: BookId; limits: ReadonlyMap<string, PayoutLimits>; wall: Instant },
): Promise<CurrencyUsage[]> {
  if (limits.size === 0) return [];
  const book = await loadBook(db, bookId);
  if (!book) throw new Error(`Book ${bookId} does not exist`);
  const currencies = [...limits.keys()].sort();
  const counters = await payoutCounters.load(
    db,
    bookId,
    currencies.map((currency) => payoutCounterId(bookId, currency)),
  );
  const today = dayOf(bookTime(book, wall), book.timeZone);
  return currencies.flatMap((currency) => {
    const counter = counters.get(payoutCounterId(bookId, currency)) ?? newPayoutCounter(currency, today);
    const usages = usagesOf(limits.get(currency)!, onDay(counter, today), book.timeZone);
    return usages.map((usage) => ({ ...usage, currency, exponent: currencyExponent(currency) }));
  });
}
