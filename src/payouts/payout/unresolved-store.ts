/** What rails leave to people: payouts of unknown outcome. */
import { COUNT_LIMIT } from '../../db/count-limit.ts';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';

/** Counts payouts with an unknown outcome, by rail. Index: payouts_unknown, counted up to COUNT_LIMIT. */
export async function countUnknown(pool: Pool): Promise<{ rail: string; payouts: number }[]> {
  const { rows } = await pool.query<{ rail: string; payouts: bigint }>(
    `SELECT rail, count(*) AS payouts
     FROM (SELECT rail FROM payouts WHERE outcome = 'unknown' LIMIT ${COUNT_LIMIT}) AS unknown
     GROUP BY rail ORDER BY rail`,
  );
  return rows.map((row) => ({ rail: row.rail, payouts: Number(row.payouts) }));
}

/** Those of one book, up to COUNT_LIMIT. Index: payouts_unknown_by_book. */
export async function countUnknownIn(pool: Pool, bookId: BookId): Promise<number> {
  const { rows } = await pool.query<{ payouts: bigint }>(
    `SELECT count(*) AS payouts FROM (
       SELECT FROM payouts WHERE book_id = $1 AND outcome = 'unknown' LIMIT ${COUNT_LIMIT}
     ) AS unknown`,
    [bookId],
  );
  return Number(rows[0]!.payouts);
}
