/** How rails that work by files stand: read across the operator's books, for metrics. */
import type { Pool } from '../../db/pool.ts';
import type { Instant } from '../../values/clock.ts';
import type { Pause } from './bank-file-store.ts';

/** One row a rail that has made a file: few. Index: bank_rails_pkey. */
export async function listPaused(pool: Pool): Promise<{ rail: string; kind: Pause['kind'] | null }[]> {
  const { rows } = await pool.query<{ rail: string; kind: Pause['kind'] | null }>(
    'SELECT rail, paused_kind AS kind FROM bank_rails ORDER BY book_id, rail LIMIT 1000',
  );
  return rows;
}

/**
 * Of each rail, since when its first payment waits for a file. Rails are found one behind another in the index, however many payments wait.
 * Index: bank_instructions_waiting.
 */
export async function listOldestWaiting(pool: Pool): Promise<{ rail: string; since: Instant }[]> {
  const { rows } = await pool.query<{ rail: string; since: Instant }>(
    `WITH RECURSIVE oldest AS (
       (SELECT book_id, rail, submitted_at FROM bank_instructions WHERE status = 'waiting'
        ORDER BY book_id, rail, submitted_at LIMIT 1)
       UNION ALL
       SELECT following.* FROM oldest CROSS JOIN LATERAL (
         SELECT book_id, rail, submitted_at FROM bank_instructions
         WHERE status = 'waiting' AND (book_id, rail) > (oldest.book_id, oldest.rail)
         ORDER BY book_id, rail, submitted_at LIMIT 1) AS following)
     SELECT rail, submitted_at AS since FROM oldest LIMIT 1000`,
  );
  return rows;
}

/** Of each rail, the oldest file that is made and not published: one or none. Index: bank_files_open. */
export async function listOldestOpen(pool: Pool): Promise<{ rail: string; since: Instant }[]> {
  const { rows } = await pool.query<{ rail: string; since: Instant }>(
    `SELECT DISTINCT ON (book_id, rail) rail, created_at AS since FROM bank_files WHERE status <> 'published'
     ORDER BY book_id, rail, id LIMIT 1000`,
  );
  return rows;
}
