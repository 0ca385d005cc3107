/** The rows of collections of fees, and of the days on which the next ones are. */
import { column } from '../../db/declared-columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { FeeCollection, FeeDay } from './fee-collection.ts';

export const feeDays = tableOf<FeeDay>({
  name: 'fee_days',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL',
  columns: [
    column('id', 'uuid'),
    column('currency', 'code'),
    column('status', 'code'),
    column('collects_at', 'timestamptz', { changes: true }),
    column('collected_on', 'code', { changes: true }),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** Rows that never change. */
export const feeCollections = tableOf<FeeCollection>({
  name: 'fee_collections',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('day', 'code'),
    column('currency', 'code'),
    column('amount', 'bigint'),
    column('tax', 'bigint'),
    column('tax_basis_points', 'integer'),
    column('entry_id', 'uuid'),
    column('version', 'integer'),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz'),
  ],
});

/** A page of collections, newest first. Index: fee_collections_pkey. There are as many as days with fees. */
export function listFeeCollections(
  db: Queryable,
  { bookId }: { bookId: BookId },
  page: PageRequest,
): Promise<Page<FeeCollection>> {
  return listRows(db, { table: feeCollections }, { bookId, page });
}
