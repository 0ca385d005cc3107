/** Rows that a hostile neighbour would need hours to make, written in the product's own form. */
import type { Pool } from '../../../src/db/pool.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';
import { newId } from '../../../src/values/ids.ts';

/** The sandbox rail reports returns of a book's payouts that do not exist. */
export async function insertUnbookableNotices(pool: Pool, bookId: BookId, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId());
  await pool.query(
    `INSERT INTO sandbox_rail.notices (id, originator, end_to_end_id, kind, amount, reference, created_at)
     SELECT id, $1, 'E' || replace(id::text, '-', ''), 'returned', 100, 'SBX' || number, now()
     FROM unnest($2::uuid[]) WITH ORDINALITY AS given (id, number)`,
    [bookId, ids],
  );
}

/** Counts a book's pending deliveries. */
export async function countWaitingDeliveries(pool: Pool, bookId: BookId): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    "SELECT count(*) AS count FROM webhook_deliveries WHERE book_id = $1 AND status = 'pending'",
    [bookId],
  );
  return Number(rows[0]!.count);
}

/**
 * Puts a book's endpoints behind, as the product does with an endpoint that accepts nothing: its deliveries wait, and
 * the endpoint is due.
 */
export async function putBehind(pool: Pool, bookId: BookId): Promise<void> {
  await pool.query(`UPDATE webhook_deliveries SET due_at = NULL WHERE book_id = $1 AND status = 'pending'`, [bookId]);
  await pool.query(
    `UPDATE webhook_endpoints w SET behind_since = now(), retry_at = now(), due_at = now(), retry_attempts = 1,
       waiting_from = (SELECT min(event_sequence) FROM webhook_deliveries d
         WHERE d.book_id = $1 AND d.endpoint_id = w.id AND status = 'pending')
     WHERE book_id = $1`,
    [bookId],
  );
}

/** Counts endpoints of all books that are behind. */
export async function countBehind(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    'SELECT count(*) AS count FROM webhook_endpoints WHERE behind_since IS NOT NULL',
  );
  return Number(rows[0]!.count);
}

/** Returns the current transaction id, as a mark. */
export async function markTransaction(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ mark: string }>('SELECT pg_current_xact_id()::xid::text AS mark');
  return rows[0]!.mark;
}

/** Counts a book's deliveries that were updated since the mark. */
export async function countUpdatedDeliveries(pool: Pool, bookId: BookId, mark: string): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    'SELECT count(*) AS count FROM webhook_deliveries WHERE book_id = $1 AND age(xmin) < age($2::xid)',
    [bookId, mark],
  );
  return Number(rows[0]!.count);
}
