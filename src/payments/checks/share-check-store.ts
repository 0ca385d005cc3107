import type { Instant } from '../../clock.ts';
import type { Pool } from '../../db/pool.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import type { Uuid } from '../../ids.ts';
import type { BookId } from '../../ledger/book.ts';
import type { PaymentShare } from '../share.ts';
import { paymentShares } from '../share-table.ts';

/** A share with what its lines come to, and what was released of it. */
export interface ShareHistory {
  readonly share: PaymentShare;
  readonly lines: bigint;
  /** In all: a share that opens again is released again. */
  readonly released: bigint;
  /** Of a waiting one: what is left of the captures in it that are not settled. */
  readonly waiting: bigint;
  /** When it was released first. Null: never. */
  readonly firstReleaseAt: Instant | null;
  /** Of the book. */
  readonly timeZone: string;
}

/**
 * A page of shares in a snapshot of its own. Indexes: payment_shares_pkey, payment_share_lines_by_share, payment_releases_by_share,
 * payment_operations_pkey.
 */
export function readShareHistories(
  pool: Pool,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<ShareHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<{
      line_sum: bigint;
      released: bigint;
      waiting: bigint;
      first_release_at: Instant | null;
      time_zone: string;
    }>({
      name: 'verify.payment_shares',
      text: `SELECT ${paymentShares.selected('s')}, (
          SELECT coalesce(sum(l.amount), 0)::bigint FROM payment_share_lines l WHERE l.book_id = $1 AND l.share_id = s.id
        ) AS line_sum, (
          SELECT coalesce(sum(r.amount), 0)::bigint FROM payment_releases r WHERE r.book_id = $1 AND r.share_id = s.id
        ) AS released, (
          SELECT min(r.created_at) FROM payment_releases r WHERE r.book_id = $1 AND r.share_id = s.id
        ) AS first_release_at, (SELECT time_zone FROM books WHERE id = $1) AS time_zone, (
          SELECT coalesce(sum((p->>'amount')::bigint), 0)::bigint
          FROM (SELECT DISTINCT operation_id AS id FROM payment_share_lines WHERE book_id = $1 AND share_id = s.id) AS l
          JOIN payment_operations o ON o.book_id = $1 AND o.id = l.id AND o.kind = 'capture' AND o.settled_at IS NULL,
            jsonb_array_elements(o.portions) AS p
          WHERE s.kind = 'waiting' AND (p->>'share')::uuid = s.id
        ) AS waiting
        FROM payment_shares s WHERE s.book_id = $1 AND s.id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000')
        ORDER BY s.id LIMIT $3`,
      values: [bookId, page.after ?? null, page.limit],
    });
    return rows.map((row) => ({
      share: paymentShares.fromRow(row),
      lines: row.line_sum,
      released: row.released,
      waiting: row.waiting,
      firstReleaseAt: row.first_release_at,
      timeZone: row.time_zone,
    }));
  });
}

/** What the books have of payments in a currency, and what the rows of payments come to. */
export interface PaymentSums {
  readonly currency: string;
  readonly pending: bigint;
  readonly shares: bigint;
  readonly acquirer: bigint;
  readonly expectedAcquirer: bigint;
}

/**
 * All currencies of a book, as of one moment. Disputes are read from the journal: what they took, less what was won. Reads every
 * capture, refund and settlement line of the book once. Indexes: payment_operations_pkey, payment_shares_open, settlement_lines_pkey.
 */
export function readPaymentSums(pool: Pool, bookId: BookId): Promise<PaymentSums[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<Omit<PaymentSums, 'expectedAcquirer'> & { expected_acquirer: bigint }>({
      name: 'verify.payment_sums',
      text: `WITH pending AS (
          SELECT currency, posted_credits - posted_debits AS balance FROM accounts
          WHERE book_id = $1 AND code = 'merchant_pending'
        ), acquirer AS (
          SELECT id, currency, posted_debits - posted_credits AS balance FROM accounts WHERE book_id = $1 AND code = 'acquirer'
        ), shares AS (
          SELECT currency, sum(amount) AS amount FROM payment_shares WHERE book_id = $1 AND status = 'open' GROUP BY currency
        ), moved AS (
          SELECT currency, sum(amount) AS amount FROM (
            SELECT currency, CASE kind WHEN 'capture' THEN amount ELSE -amount END AS amount FROM payment_operations
            WHERE book_id = $1 AND kind IN ('capture', 'refund') AND status = 'succeeded'
            UNION ALL
            SELECT currency, -amount FROM settlement_lines WHERE book_id = $1 AND exception_id IS NULL
            UNION ALL
            SELECT p.currency, CASE WHEN p.debit_account_id = a.id THEN p.amount ELSE -p.amount END
            FROM entries e JOIN postings p ON p.book_id = e.book_id AND p.entry_sequence = e.sequence
            JOIN acquirer a ON a.id IN (p.debit_account_id, p.credit_account_id)
            WHERE e.book_id = $1 AND e.resource = 'dispute'
          ) AS every GROUP BY currency
        )
        SELECT currency,
          coalesce(p.balance, 0)::bigint AS pending, coalesce(s.amount, 0)::bigint AS shares,
          coalesce(a.balance, 0)::bigint AS acquirer, coalesce(m.amount, 0)::bigint AS expected_acquirer
        FROM pending p FULL JOIN acquirer a USING (currency) FULL JOIN shares s USING (currency) FULL JOIN moved m USING (currency)`,
      values: [bookId],
    });
    return rows.map(({ expected_acquirer, ...row }) => ({ ...row, expectedAcquirer: expected_acquirer }));
  });
}
