import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { derivedTable } from '../../ledger/rows/derived-table.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

/** What of payments keeps an account open: the first few of each. */
export interface PaymentsUnderWay {
  readonly accountId: Uuid;
  readonly paymentIds: readonly Uuid[];
  readonly refundIds: readonly Uuid[];
  readonly disputeIds: readonly Uuid[];
  /** What waits for its release, in minor units of the account's currency. */
  readonly unreleased: bigint;
}

const LISTED = 10;

/** Read-only, keyed by account. Indexes: payments_open, payment_refunds_open, payment_disputes_open, payment_shares_open. */
export const openPayments = derivedTable<PaymentsUnderWay>({
  name: 'payments_under_way',
  async load(trx, bookId, accountIds) {
    const { rows } = await trx.query<{
      account_id: Uuid;
      payment_ids: Uuid[];
      refund_ids: Uuid[];
      dispute_ids: Uuid[];
      unreleased: bigint;
    }>({
      name: 'payments.under_way',
      text: `SELECT a.id AS account_id, ARRAY (
          SELECT p.id FROM payments p WHERE p.book_id = $1 AND p.account_id = a.id
            AND p.status IN ('requires_action', 'processing', 'authorized', 'partially_captured') ORDER BY p.id LIMIT ${LISTED}
        ) AS payment_ids, ARRAY (
          SELECT o.id FROM payment_operations o WHERE o.book_id = $1 AND o.account_id = a.id
            AND o.kind = 'refund' AND o.status = 'pending' ORDER BY o.id LIMIT ${LISTED}
        ) AS refund_ids, ARRAY (
          SELECT d.id FROM payment_disputes d WHERE d.book_id = $1 AND d.account_id = a.id
            AND d.status IN ('opened', 'evidence_submitted') ORDER BY d.id LIMIT ${LISTED}
        ) AS dispute_ids, (
          SELECT coalesce(sum(s.amount), 0)::bigint FROM payment_shares s
          WHERE s.book_id = $1 AND s.account_id = a.id AND s.status = 'open'
        ) AS unreleased FROM unnest($2::uuid[]) AS a (id)`,
      values: [bookId, plainArray(accountIds)],
    });
    return new Map(
      rows.map((row) => [
        row.account_id,
        {
          accountId: row.account_id,
          paymentIds: row.payment_ids,
          refundIds: row.refund_ids,
          disputeIds: row.dispute_ids,
          unreleased: row.unreleased,
        },
      ]),
    );
  },
});

/**
 * References of operations whose outcome the book does not know, as of a moment of the database's clock. Each of them is due or stuck.
 * The stuck ones of all books are few: `OFFSET 0` keeps the planner from reading the book's operations for them instead. Indexes:
 * payment_operations_due_by_book, payment_operations_stuck.
 */
export async function listUnanswered(db: Queryable, bookId: BookId): Promise<{ references: string[]; asOf: Instant }> {
  const { rows } = await db.query<{ pending: string[]; as_of: Instant }>(
    `SELECT statement_timestamp() AS as_of, ARRAY (
       SELECT reference FROM payment_operations
       WHERE book_id = $1 AND status IN ('pending', 'requires_action') AND due_at IS NOT NULL AND stuck_at IS NULL
       UNION ALL
       SELECT reference FROM (SELECT * FROM payment_operations WHERE stuck_at IS NOT NULL OFFSET 0) AS stuck
       WHERE book_id = $1 AND status IN ('pending', 'requires_action')
     ) AS pending`,
    [bookId],
  );
  return { references: rows[0]!.pending, asOf: rows[0]!.as_of };
}
