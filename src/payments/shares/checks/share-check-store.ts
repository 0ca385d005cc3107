import type { Pool } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Instant } from '../../../values/clock.ts';
import type { Uuid } from '../../../values/ids.ts';
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
 * payment_operations_pkey. OFFSET 0: docs/decisions/kept-plans.md.
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
          CROSS JOIN LATERAL (SELECT * FROM payment_operations WHERE book_id = $1 AND id = l.id OFFSET 0) o
          CROSS JOIN LATERAL jsonb_array_elements(o.portions) AS p
          WHERE o.kind = 'capture' AND o.settled_at IS NULL AND s.kind = 'waiting' AND (p->>'share')::uuid = s.id
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

/** A line of a share that is of no operation of the book, or in no share. */
export interface StrayLine {
  readonly id: Uuid;
  readonly shareId: Uuid;
  readonly operationId: Uuid;
  readonly amount: bigint;
  readonly hasShare: boolean;
  readonly hasOperation: boolean;
}

/** A page of lines. Indexes: payment_share_lines_pkey, payment_shares_pkey, payment_operations_pkey, payment_disputes_pkey. */
export async function readShareLines(
  pool: Pool,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<StrayLine[]> {
  const { rows } = await pool.query<{
    id: Uuid;
    share_id: Uuid;
    operation_id: Uuid;
    amount: bigint;
    has_share: boolean;
    has_operation: boolean;
  }>({
    name: 'verify.share_lines',
    text: `SELECT l.id, l.share_id, l.operation_id, l.amount,
        EXISTS (SELECT FROM payment_shares s WHERE s.book_id = $1 AND s.id = l.share_id) AS has_share,
        EXISTS (SELECT FROM payment_operations o WHERE o.book_id = $1 AND o.id = l.operation_id AND o.kind IN ('capture', 'refund'))
          OR EXISTS (SELECT FROM payment_disputes d WHERE d.book_id = $1 AND d.id = l.operation_id) AS has_operation
      FROM payment_share_lines l
      WHERE l.book_id = $1 AND l.id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY l.id LIMIT $3`,
    values: [bookId, page.after ?? null, page.limit],
  });
  return rows.map(({ id, amount, ...row }) => ({
    ...{ id, amount, shareId: row.share_id, operationId: row.operation_id },
    ...{ hasShare: row.has_share, hasOperation: row.has_operation },
  }));
}
