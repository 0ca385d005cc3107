import { plainArray } from '../../db/columns.ts';
import { derivedTable } from '../../ledger/rows/derived-table.ts';
import type { Uuid } from '../../values/ids.ts';

/** How many children of a kind a payment has, whatever their status. */
export interface OperationCounts {
  readonly paymentId: Uuid;
  readonly captures: number;
  readonly refunds: number;
}

interface CountRow {
  readonly book_id: Uuid;
  readonly payment_id: Uuid;
  readonly captures: number;
  readonly refunds: number;
}

/**
 * Keyed by payment, counted under the book's lock. A command that adds one counts it here as well: those of its batch are decided
 * before the first is written. Index: payment_operations_by_payment.
 */
export const operationCounts = derivedTable<OperationCounts>({
  name: 'payment_operation_counts',
  changesInDraft: true,
  async load(trx, bookId, ids) {
    const { rows } = await trx.query<CountRow>({
      name: 'payment_operations.counts',
      text: countSql('(SELECT $1::uuid AS book_id, unnest($2::uuid[]) AS id)'),
      values: [bookId, plainArray(ids)],
    });
    return new Map(rows.map((row) => [row.payment_id, countsFromRow(row)]));
  },
  pairs: {
    idOf: ({ paymentId }) => paymentId,
    async load(db, keys) {
      const { rows } = await db.query<CountRow>({
        name: 'payment_operations.counts_pairs',
        text: countSql('unnest($1::uuid[], $2::uuid[])'),
        values: [plainArray(keys.map(({ bookId }) => bookId)), plainArray(keys.map(({ row }) => row))],
      });
      return rows.map((row) => ({ bookId: row.book_id, row: countsFromRow(row) }));
    },
  },
});

function countSql(payments: string): string {
  const counted = (kind: string) =>
    `(SELECT count(*)::integer FROM payment_operations o WHERE o.book_id = p.book_id AND o.payment_id = p.id AND o.kind = '${kind}')`;
  return `SELECT p.book_id, p.id AS payment_id, ${counted('capture')} AS captures, ${counted('refund')} AS refunds
    FROM ${payments} AS p (book_id, id)`;
}

function countsFromRow({ payment_id: paymentId, captures, refunds }: CountRow): OperationCounts {
  return { paymentId, captures, refunds };
}
