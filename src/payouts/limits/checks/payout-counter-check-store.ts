import type { Pool } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';
import { payoutCounters, type StoredPayoutCounter } from '../payout-counter-table.ts';

export interface CounterSums {
  readonly counter: StoredPayoutCounter;
  /** Of the payouts that count in its day and its month. */
  readonly day: bigint;
  readonly month: bigint;
}

/**
 * A page in the order of ids, each with what it should have counted, in one statement and so of one moment. Payouts of a month are read,
 * between its first day and the day of the counter. Indexes: payout_counters_pkey, payouts_counted.
 */
export async function readCounterSums(
  pool: Pool,
  bookId: BookId,
  { after = BEFORE_ALL_IDS, limit }: { after: Uuid | undefined; limit: number },
): Promise<CounterSums[]> {
  const { rows } = await pool.query(
    `SELECT ${payoutCounters.selected('c')}, sums.day AS counted_in_day, sums.month AS counted_in_month
     FROM payout_counters c CROSS JOIN LATERAL (
       SELECT COALESCE(sum(p.amount) FILTER (WHERE p.counted_on = c.day), 0)::bigint AS day,
              COALESCE(sum(p.amount), 0)::bigint AS month
       FROM payouts p
       WHERE p.book_id = $1 AND p.currency = c.currency AND p.counted_on >= left(c.day, 8) || '01' AND p.counted_on <= c.day
         AND p.status NOT IN ('failed', 'canceled')
     ) sums
     WHERE c.book_id = $1 AND c.id > $2::uuid ORDER BY c.id LIMIT $3`,
    [bookId, after, limit],
  );
  return rows.map((row) => ({
    counter: payoutCounters.fromRow(row),
    day: row.counted_in_day,
    month: row.counted_in_month,
  }));
}
