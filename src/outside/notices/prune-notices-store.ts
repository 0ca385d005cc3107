/** Deletes booked notices whose retention has passed. The evidence stays with its payout. */

import { plainArray, textArray } from '../../db/columns.ts';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface AgedNotice {
  readonly bookId: BookId;
  readonly rail: string;
  readonly id: Uuid;
}

/** A page, the oldest first. Index: rail_notices_taken. */
export async function findAgedNotices(pool: Pool, page: { before: Instant; limit: number }): Promise<AgedNotice[]> {
  const { rows } = await pool.query<{ book_id: BookId; rail: string; id: Uuid }>(
    `SELECT book_id, rail, id FROM rail_notices WHERE status = 'taken' AND updated_at < $1 ORDER BY updated_at LIMIT $2`,
    [new Date(page.before), page.limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, rail: row.rail, id: row.id }));
}

/** Index: rail_notices_pkey. */
export async function deleteNotices(pool: Pool, bookId: BookId, notices: readonly AgedNotice[]): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM rail_notices USING unnest($2::text[], $3::uuid[]) AS aged (rail, id)
     WHERE rail_notices.book_id = $1 AND rail_notices.rail = aged.rail AND rail_notices.id = aged.id AND status = 'taken'`,
    [bookId, textArray(notices.map(({ rail }) => rail)), plainArray(notices.map(({ id }) => id))],
  );
  return rowCount ?? 0;
}
