/** How far payouts have come at a rail that pays by files, and how long its files took. */
import type { Pool } from '../../src/db/pool.ts';

/** Payments of files that the bank can take. */
export async function countFiled(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    "SELECT COALESCE(sum(payments), 0)::bigint AS count FROM bank_files WHERE status = 'published'",
  );
  return Number(rows[0]!.count);
}

/** Of each file, seconds from its last payment to its name in the outbox. Database and workers have one clock here. */
export async function listFileSeconds(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ seconds: number }>(
    `SELECT extract(epoch FROM f.published_at - last.submitted_at)::float8 AS seconds
     FROM bank_files f CROSS JOIN LATERAL (
       SELECT max(submitted_at) AS submitted_at FROM bank_instructions WHERE book_id = f.book_id AND file_id = f.id) AS last
     WHERE f.status = 'published' ORDER BY f.id`,
  );
  return rows.map(({ seconds }) => seconds);
}
