/** Rows of the bench `waiting`: workers that take the oldest payouts, how long the rest wait, and what statements read. */
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import type { Instant } from '../../src/values/clock.ts';

/** Ends the oldest payouts of a status, as workers would in order. */
export async function takeOldest(pool: Pool, bookId: BookId, of: { status: string; count: number }): Promise<void> {
  await pool.query(
    `UPDATE payouts SET status = 'paid', due_at = NULL WHERE book_id = $1 AND id IN (
       SELECT id FROM payouts WHERE book_id = $1 AND status = $2 ORDER BY id LIMIT $3)`,
    [bookId, of.status, of.count],
  );
}

/** Since when the oldest payout of a status waits, of all rows. */
export async function oldestOf(pool: Pool, bookId: BookId, status: string): Promise<Instant | null> {
  const { rows } = await pool.query<{ oldest: Instant | null }>(
    'SELECT min(updated_at) AS oldest FROM payouts WHERE book_id = $1 AND status = $2 AND due_at IS NOT NULL',
    [bookId, status],
  );
  return rows[0]!.oldest;
}

/** The statements of operations/waiting-store.ts about payouts, by a text that each alone has. */
const STATEMENTS = {
  front: '%AS seen, min(since)%',
  scan: '%ORDER BY since LIMIT%',
  look: '%WITH ORDINALITY AS seen%',
};

/** SQL of their counts: calls, milliseconds of a call, and its blocks of 8 KiB. The fastest call is the one that nothing else slowed down. */
export const STATEMENTS_READ = `SELECT name, sum(calls)::integer AS calls,
    round((sum(total_exec_time) / sum(calls))::numeric, 2)::float8 AS ms, round(min(min_exec_time)::numeric, 2)::float8 AS min_ms,
    round(max(max_exec_time)::numeric, 2)::float8 AS max_ms,
    round(sum(shared_blks_hit + shared_blks_read) / sum(calls))::integer AS blocks
  FROM pg_stat_statements JOIN (VALUES ${Object.entries(STATEMENTS)
    .map(([name, text]) => `('${name}', '${text}')`)
    .join(', ')}) AS of (name, text) ON query LIKE text
  WHERE query LIKE '%FROM payouts%' GROUP BY name ORDER BY name`;
