/** Inboxes of books: the books that have notices, and whether any is due. */

import type { Pool } from '../../db/pool.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

/**
 * Finds a page of books with notices in their inbox, and whether any of them is due. Reads one step of the index a
 * book, however many notices the book has. Index: rail_notices_due_by_book.
 */
export async function findBooksWithNotices(
  pool: Pool,
  page: { now: Instant; after: Uuid; limit: number },
): Promise<{ bookId: Uuid; due: boolean }[]> {
  const { rows } = await pool.query<{ book_id: Uuid; due: boolean }>(
    `WITH RECURSIVE inbox AS (
       (SELECT book_id, due_at, 1 AS number FROM rail_notices
        WHERE book_id > $2 AND due_at IS NOT NULL AND stuck_at IS NULL ORDER BY book_id, due_at LIMIT 1)
       UNION ALL
       SELECT next.book_id, next.due_at, inbox.number + 1 FROM inbox CROSS JOIN LATERAL (
         SELECT book_id, due_at FROM rail_notices
         WHERE book_id > inbox.book_id AND due_at IS NOT NULL AND stuck_at IS NULL ORDER BY book_id, due_at LIMIT 1) AS next
       WHERE inbox.number < $3
     )
     SELECT book_id, due_at <= $1 AS due FROM inbox`,
    [new Date(page.now), page.after, page.limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, due: row.due }));
}
