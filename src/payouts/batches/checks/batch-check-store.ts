import { plainArray } from '../../../db/columns.ts';
import type { Pool, Transaction } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Hold } from '../../../ledger/hold/hold.ts';
import { holds } from '../../../ledger/hold/hold-table.ts';
import type { Instant } from '../../../values/clock.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';
import type { PayoutBatch } from '../batch.ts';
import { readNeeds } from '../batch-item-store.ts';
import { payoutBatches } from '../batch-table.ts';

/** What the items of a batch need of an account; null for the batch's own account of the currency. */
type Need = Awaited<ReturnType<typeof readNeeds>>[number];

/** A batch with its holds, items and payouts, as of one moment. */
export interface BatchHistory {
  readonly batch: PayoutBatch;
  readonly stuckAt: Instant | null;
  readonly holds: ReadonlyMap<Uuid, Hold>;
  /** Of all items. */
  readonly all: readonly Need[];
  /** Of items that are still to become payouts. */
  readonly waiting: readonly Need[];
  readonly payouts: number;
  /** Payouts that are items of its first `made` rows. */
  readonly payoutsOfRows: number;
  readonly openPayouts: number;
}

/** A page in a snapshot of its own. Indexes: payout_batches_pkey, payout_batch_items_by_row, payouts_by_batch, payouts_pkey. */
export function readBatchHistories(
  pool: Pool,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<BatchHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query({
      name: 'verify.payout_batches',
      text: `SELECT ${payoutBatches.selected()}, stuck_at FROM payout_batches WHERE book_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
      values: [bookId, page.after ?? BEFORE_ALL_IDS, page.limit],
    });
    return withHistories(trx, bookId, rows);
  });
}

/** Likewise by id. Ids of other resources are skipped. */
export function readBatchHistoriesById(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<BatchHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query({
      name: 'verify.payout_batches_by_id',
      text: `SELECT ${payoutBatches.selected()}, stuck_at FROM payout_batches WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
      values: [bookId, plainArray(ids)],
    });
    return withHistories(trx, bookId, rows);
  });
}

async function withHistories(
  trx: Transaction,
  bookId: BookId,
  rows: readonly { readonly stuck_at: Instant | null }[],
): Promise<BatchHistory[]> {
  const histories: BatchHistory[] = [];
  for (const row of rows) {
    const batch = payoutBatches.fromRow(row);
    const { id: batchId, made, last, items, payingAccounts } = batch;
    const held = payingAccounts.map(({ holdId }) => holdId);
    histories.push({
      batch,
      stuckAt: row.stuck_at,
      holds: await holds.load(trx, bookId, held),
      all: await readNeeds(trx, bookId, { batchId, from: 1, to: items }),
      waiting: made < last ? await readNeeds(trx, bookId, { batchId, from: made + 1, to: last }) : [],
      ...(await readPayouts(trx, bookId, batch)),
    });
  }
  return histories;
}

async function readPayouts(trx: Transaction, bookId: BookId, { id, made }: PayoutBatch) {
  const { rows } = await trx.query<{ payouts: bigint; of_rows: bigint; open: bigint }>({
    name: 'verify.payouts_of_batch',
    text: `SELECT count(*) AS payouts, count(i.payout_id) AS of_rows,
        count(*) FILTER (WHERE p.status IN ('pending', 'processing')) AS open
      FROM payouts p LEFT JOIN payout_batch_items i
        ON i.book_id = p.book_id AND i.payout_id = p.id AND i.batch_id = p.batch_id AND i.row_number <= $3
          AND i.amount = p.amount AND i.fee = p.fee AND i.currency = p.currency AND i.end_to_end_id = p.end_to_end_id
      WHERE p.book_id = $1 AND p.batch_id = $2`,
    values: [bookId, id, made],
  });
  const { payouts, of_rows, open } = rows[0]!;
  return { payouts: Number(payouts), payoutsOfRows: Number(of_rows), openPayouts: Number(open) };
}
