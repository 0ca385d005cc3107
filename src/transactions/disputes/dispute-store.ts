import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Uuid } from '../../values/ids.ts';
import { type StoredDispute, transactionDisputes } from './dispute-table.ts';

/** A purchase with so many takes no more: each refund reads them all. */
export const DISPUTES_MAX = 100;

/** Index: transaction_disputes_by_transaction_id. */
export async function disputeIdsOf(db: Queryable, bookId: BookId, transactionId: Uuid): Promise<Uuid[]> {
  const { rows } = await db.query<{ id: Uuid }>({
    name: 'transaction_disputes.of_purchase',
    text: 'SELECT id FROM transaction_disputes WHERE book_id = $1 AND transaction_id = $2 ORDER BY id',
    values: [bookId, transactionId],
  });
  return rows.map(({ id }) => id);
}

/** A page of the disputes of a purchase, newest first. Index: transaction_disputes_by_transaction_id. */
export function listDisputesOf(
  db: Queryable,
  bookId: BookId,
  transactionId: Uuid,
  page: PageRequest,
): Promise<Page<StoredDispute>> {
  const filter = { among: { transaction_id: [transactionId] } };
  return listRows(
    db,
    { table: transactionDisputes },
    { bookId, owner: { transaction_id: transactionId }, filter, page },
  );
}
