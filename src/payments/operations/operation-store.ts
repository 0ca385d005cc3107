import { textArray } from '../../db/columns.ts';
import type { CreatedRange, Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Walk } from '../../db/walk.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Uuid } from '../../values/ids.ts';
import type { OperationStatus, PaymentOperation } from './payment-operation.ts';
import { paymentOperations } from './payment-operation-table.ts';

export interface RefundFilter {
  /** The account of the payment. */
  readonly accountId?: Uuid | undefined;
  readonly statuses?: readonly OperationStatus[] | undefined;
  readonly created?: CreatedRange | undefined;
}

const REFUNDS = "kind = 'refund'";

/** A page of the refunds of a book, newest first. Indexes: payment_refunds_by_account, payment_refunds_by_created; else payment_refunds. */
export function listRefunds(
  db: Queryable,
  bookId: BookId,
  { accountId, statuses, created }: RefundFilter,
  page: PageRequest,
): Promise<Page<PaymentOperation>> {
  const accountIds = accountId === undefined ? [] : [accountId];
  const walks = accountIds.map(
    (): Walk => ({
      table: paymentOperations.name,
      id: 'id',
      equal: { book_id: bookId },
      among: { column: 'account_id', values: accountIds },
      predicate: REFUNDS,
    }),
  );
  const filter = { equal: { account_id: accountIds, status: statuses }, walks, created };
  return listRows(
    db,
    { table: paymentOperations, predicate: REFUNDS },
    { bookId, owner: { kind: 'refund' }, filter, page },
  );
}

/** A page of one kind of a payment's operations, newest first. Index: payment_operations_by_payment. */
export function listOperations(
  db: Queryable,
  { bookId, paymentId, kind }: { bookId: BookId; paymentId: Uuid; kind: 'capture' | 'refund' },
  page: PageRequest,
): Promise<Page<PaymentOperation>> {
  const owner = { payment_id: paymentId, kind };
  const walk: Walk = {
    table: paymentOperations.name,
    id: 'id',
    equal: { book_id: bookId, ...owner },
    predicate: 'payment_id IS NOT NULL',
  };
  return listRows(db, { table: paymentOperations }, { bookId, owner, filter: { walks: [walk] }, page });
}

/** Operations by what their acquirer knows them by. Index: payment_operations_by_reference. */
export async function findOperationsByReference(
  db: Queryable,
  bookId: BookId,
  references: readonly string[],
): Promise<Map<string, PaymentOperation>> {
  const { rows } = await db.query({
    name: 'payment_operations.by_reference',
    text: `SELECT ${paymentOperations.selected()} FROM payment_operations
      WHERE book_id = $1 AND reference = ANY ($2::text[])`,
    values: [bookId, textArray(references)],
  });
  return new Map(rows.map((row) => [row.reference, paymentOperations.fromRow(row)]));
}
