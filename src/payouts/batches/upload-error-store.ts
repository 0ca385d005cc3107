import type { Pool, Queryable } from '../../db/pool.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { type UploadErrors, uploadErrors } from './upload-error-table.ts';

export async function insertErrors(pool: Pool, bookId: BookId, errors: UploadErrors): Promise<void> {
  await inTransaction(pool, (trx) => uploadErrors.insert(trx, bookId, [errors]));
}

/** Undefined behind the last one, and of an upload without any. Index: payout_upload_errors_by_place. */
export async function findErrors(
  db: Queryable,
  bookId: BookId,
  { batchId, place }: { readonly batchId: Uuid; readonly place: number },
): Promise<UploadErrors | undefined> {
  const { rows } = await db.query({
    name: 'payout_upload_errors.find',
    text: `SELECT ${uploadErrors.selected()} FROM payout_upload_errors WHERE book_id = $1 AND batch_id = $2 AND place = $3`,
    values: [bookId, batchId, place],
  });
  return rows[0] && uploadErrors.fromRow(rows[0]);
}

/** Deletes those of all books, longest ago first. Resolves to how many. Index: payout_upload_errors_by_time. */
export async function dropErrors(
  pool: Pool,
  { before, limit }: { readonly before: Instant; readonly limit: number },
): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'payout_upload_errors.drop',
    text: `DELETE FROM payout_upload_errors e USING (
        SELECT book_id, id FROM payout_upload_errors WHERE created_at < $1 ORDER BY created_at LIMIT $2) old
      WHERE e.book_id = old.book_id AND e.id = old.id`,
    values: [new Date(before), limit],
  });
  return rowCount ?? 0;
}
