import type { CreatedRange, Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BatchStatus, PayoutBatch } from './batch.ts';
import { payoutBatches } from './batch-table.ts';

export interface BatchFilter {
  readonly statuses?: readonly BatchStatus[] | undefined;
  readonly created?: CreatedRange | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** A page of batches, newest first. Indexes: payout_batches_by_status, payout_batches_by_external_id, metadata_index; else payout_batches_pkey. */
export function listBatches(
  db: Queryable,
  bookId: BookId,
  { statuses, created, externalId, metadata }: BatchFilter,
  page: PageRequest,
): Promise<Page<PayoutBatch>> {
  const among = { external_id: externalId === undefined ? undefined : [externalId], status: statuses };
  const filter = { among, ...(created && { created }), metadata };
  return listRows(db, { table: payoutBatches, object: 'payout_batch' }, { bookId, filter, page });
}

/** The batch whose items are made now: the one that was uploaded first. Index: payout_batches_making. */
export async function findFirstMaking(db: Queryable, bookId: BookId): Promise<Uuid | undefined> {
  const { rows } = await db.query<{ id: Uuid }>({
    name: 'payout_batches.first_making',
    text: `SELECT id FROM payout_batches WHERE book_id = $1 AND status = 'processing' AND made < last AND stuck_at IS NULL
      ORDER BY id LIMIT 1`,
    values: [bookId],
  });
  return rows[0]?.id;
}

/** Payouts of batches that are pending or processing, at most `limit`. Index: payouts_bulk_under_way. */
export async function countUnderWay(db: Queryable, bookId: BookId, limit: number): Promise<number> {
  const { rows } = await db.query<{ payouts: bigint }>({
    name: 'payouts.bulk_under_way',
    text: `SELECT count(*) AS payouts FROM (SELECT FROM payouts
      WHERE book_id = $1 AND batch_id IS NOT NULL AND status IN ('pending', 'processing') LIMIT $2) AS under_way`,
    values: [bookId, limit],
  });
  return Number(rows[0]!.payouts);
}

/** Index: payouts_by_batch. */
export async function hasOpenPayouts(db: Queryable, bookId: BookId, batchId: Uuid): Promise<boolean> {
  const { rows } = await db.query({
    name: 'payouts.open_of_batch',
    text: `SELECT FROM payouts WHERE book_id = $1 AND batch_id = $2 AND status IN ('pending', 'processing') LIMIT 1`,
    values: [bookId, batchId],
  });
  return rows.length > 0;
}

/** When the sweeper enqueues the batch again. One that has ended or is stuck stays as it is. */
export async function postponeBatch(
  db: Queryable,
  bookId: BookId,
  { batchId, until }: { batchId: Uuid; until: Instant },
): Promise<void> {
  await db.query({
    name: 'payout_batches.postpone',
    text: `UPDATE payout_batches SET due_at = $3
      WHERE book_id = $1 AND id = $2 AND status = 'processing' AND due_at IS NOT NULL AND stuck_at IS NULL`,
    values: [bookId, batchId, new Date(until)],
  });
}
