/** The rows of counters, one a book and currency. The id is derived, so that a command names a counter before there is one. */
import { column } from '../../db/declared-columns.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import type { PayoutCounter } from './payout-counter.ts';

export interface StoredPayoutCounter extends PayoutCounter {
  readonly id: Uuid;
}

export const payoutCounters = tableOf<StoredPayoutCounter>({
  name: 'payout_counters',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('currency', 'code'),
    column('day', 'code', { changes: true }),
    column('day_amount', 'bigint', { changes: true }),
    column('month_amount', 'bigint', { changes: true }),
  ],
});

export function payoutCounterId(bookId: BookId, currency: string): Uuid {
  return deriveId('payout_counter', bookId, currency);
}
