import { plainArray } from '../db/columns.ts';
import type { Uuid } from '../ids.ts';
import { type Table, WRITE_ORDER } from '../ledger/table.ts';

/** How many captures a payment has, whatever became of them. Read-only, keyed by payment. Index: payment_operations_by_payment. */
export const operationCounts: Table<{ readonly captures: number }> = {
  name: 'payment_operation_counts',
  writeOrder: WRITE_ORDER.resources,
  derived: true,
  async load(trx, bookId, ids) {
    const { rows } = await trx.query<{ payment_id: Uuid; captures: number }>({
      name: 'payment_operations.counts',
      text: `SELECT p.id AS payment_id, (
          SELECT count(*)::integer FROM payment_operations o
          WHERE o.book_id = $1 AND o.payment_id = p.id AND o.kind = 'capture'
        ) AS captures FROM unnest($2::uuid[]) AS p (id)`,
      values: [bookId, plainArray(ids)],
    });
    return new Map(rows.map(({ payment_id, captures }) => [payment_id, { captures }]));
  },
  insert: readOnly,
  update: readOnly,
};

function readOnly(): Promise<void> {
  return Promise.reject(new Error('Counts of operations are only read'));
}
