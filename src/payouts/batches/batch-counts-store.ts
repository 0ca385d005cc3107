import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { derivedTable } from '../../ledger/rows/derived-table.ts';
import type { Uuid } from '../../values/ids.ts';
import { type BatchCounts, NO_PAYOUTS } from './batch-counts.ts';

/** Index: payouts_by_batch. */
export async function readCounts(
  db: Queryable,
  bookId: BookId,
  batchIds: readonly string[],
): Promise<Map<Uuid, BatchCounts>> {
  const { rows } = await db.query<{ batch_id: Uuid; status: keyof BatchCounts; unknown: boolean; payouts: bigint }>({
    name: 'payout_batches.counts',
    text: `SELECT batch_id, status, outcome IS NOT NULL AS unknown, count(*) AS payouts FROM payouts
      WHERE book_id = $1 AND batch_id = ANY ($2::uuid[]) GROUP BY 1, 2, 3`,
    values: [bookId, plainArray(batchIds)],
  });
  const found = new Map<Uuid, BatchCounts>();
  for (const { batch_id: id, status, unknown, payouts } of rows) {
    const counts = found.get(id) ?? NO_PAYOUTS;
    const state = unknown ? 'unknown' : status;
    found.set(id, { ...counts, [state]: counts[state] + Number(payouts) });
  }
  return found;
}

export const batchCounts = derivedTable<BatchCounts>({ name: 'payout_batch_counts', load: readCounts });
