/** Items of batches: pages of an upload, ranges that become payouts, and what is left of uploads that ended without a batch. */
import type { Pool, Queryable } from '../../db/pool.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BatchItem } from './batch-item.ts';
import { batchItems, type PayoutUpload, payoutUploads } from './batch-item-table.ts';

/** The rows of a range, in order. Index: payout_batch_items_by_row. */
export async function readItems(
  db: Queryable,
  bookId: BookId,
  { batchId, from, to }: { batchId: Uuid; from: number; to: number },
): Promise<BatchItem[]> {
  const { rows } = await db.query({
    name: 'payout_batch_items.range',
    text: `SELECT ${batchItems.selected()} FROM payout_batch_items
      WHERE book_id = $1 AND batch_id = $2 AND row_number BETWEEN $3 AND $4 ORDER BY row_number`,
    values: [bookId, batchId, from, to],
  });
  return rows.map((row) => batchItems.fromRow(row));
}

/** What rows need of each account; null for the batch's own account of the currency. Index: payout_batch_items_by_row. */
export async function readNeeds(
  db: Queryable,
  bookId: BookId,
  { batchId, from, to }: { batchId: Uuid; from: number; to: number },
): Promise<{ accountId: Uuid | null; currency: string; amount: bigint; items: bigint }[]> {
  const { rows } = await db.query<{ account_id: Uuid | null; currency: string; amount: bigint; items: bigint }>({
    name: 'payout_batch_items.needs',
    text: `SELECT account_id, currency, sum(amount + fee)::bigint AS amount, count(*) AS items FROM payout_batch_items
      WHERE book_id = $1 AND batch_id = $2 AND row_number BETWEEN $3 AND $4 GROUP BY account_id, currency`,
    values: [bookId, batchId, from, to],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    currency: row.currency,
    amount: row.amount,
    items: row.items,
  }));
}

/** A page of an upload. */
export async function insertItems(pool: Pool, bookId: BookId, items: readonly BatchItem[]): Promise<void> {
  await inTransaction(pool, (trx) => batchItems.insert(trx, bookId, items));
}

/** Rows whose payouts have what they ask for, or of which nothing becomes. Index: payout_batch_items_by_row. */
export async function clearContents(
  db: Queryable,
  bookId: BookId,
  { batchId, from, to }: { batchId: Uuid; from: number; to: number },
): Promise<void> {
  await db.query({
    name: 'payout_batch_items.clear',
    text: `UPDATE payout_batch_items SET content_sealed = NULL
      WHERE book_id = $1 AND batch_id = $2 AND row_number BETWEEN $3 AND $4 AND content_sealed IS NOT NULL`,
    values: [bookId, batchId, from, to],
  });
}

/** Before the first page: what is left of an upload is found by this row. */
export async function beginUpload(pool: Pool, bookId: BookId, upload: PayoutUpload): Promise<void> {
  await inTransaction(pool, (trx) => payoutUploads.insert(trx, bookId, [upload]));
}

/**
 * Deletes the row of an upload, and its pages where it has made no batch. The row is locked first: a batch that is being made from it has
 * changed it, or finds it gone. Indexes: payout_uploads_pkey, payout_batch_items_by_row.
 */
export async function endUpload(pool: Pool, bookId: BookId, batchId: Uuid): Promise<void> {
  await inTransaction(pool, async (trx) => {
    const { rows } = await trx.query<{ done: boolean }>({
      name: 'payout_uploads.end',
      text: 'DELETE FROM payout_uploads WHERE book_id = $1 AND batch_id = $2 RETURNING done',
      values: [bookId, batchId],
    });
    if (rows[0]?.done !== false) return;
    await trx.query({
      name: 'payout_uploads.drop_items',
      text: 'DELETE FROM payout_batch_items WHERE book_id = $1 AND batch_id = $2',
      values: [bookId, batchId],
    });
  });
}

/** Uploads of all books that began before then, longest ago first. Index: payout_uploads_by_begin. */
export async function findOldUploads(
  db: Queryable,
  { before, limit }: { before: Instant; limit: number },
): Promise<{ bookId: BookId; batchId: Uuid }[]> {
  const { rows } = await db.query<{ book_id: BookId; batch_id: Uuid }>({
    name: 'payout_uploads.old',
    text: 'SELECT book_id, batch_id FROM payout_uploads WHERE begun_at < $1 ORDER BY begun_at LIMIT $2',
    values: [new Date(before), limit],
  });
  return rows.map((row) => ({ bookId: row.book_id, batchId: row.batch_id }));
}
