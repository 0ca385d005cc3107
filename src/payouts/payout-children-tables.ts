/** Rows beneath a payout: its returns. They never change. What its rail said: outside/evidence.ts. */
import type { Instant } from '../clock.ts';
import { column } from '../db/declared-columns.ts';
import type { Queryable } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { WRITE_ORDER } from '../ledger/table.ts';
import { tableOf } from '../ledger/table-of.ts';

export interface PayoutReturn {
  readonly id: Uuid;
  readonly payoutId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  readonly reason: string | null;
  readonly entryId: Uuid;
  readonly createdAt: Instant;
}

/** Returns carry the rail's own id, so that one told twice is booked once. */
export const payoutReturns = tableOf<PayoutReturn>({
  name: 'payout_returns',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('payout_id', 'uuid'),
    column('amount', 'bigint'),
    column('currency', 'text'),
    column('reason', 'text'),
    column('entry_id', 'uuid'),
    column('created_at', 'timestamptz'),
  ],
});

/** A payout's returns, oldest first. At most as many as its smallint counter holds. Index: payout_returns_by_payout. */
export async function listReturns(db: Queryable, bookId: BookId, payoutId: Uuid): Promise<PayoutReturn[]> {
  const { rows } = await db.query({
    name: 'payout_returns.list',
    text: `SELECT ${payoutReturns.selected()} FROM payout_returns WHERE book_id = $1 AND payout_id = $2 ORDER BY entry_id LIMIT 1000`,
    values: [bookId, payoutId],
  });
  return rows.map(payoutReturns.fromRow);
}
