/** What BullMQ's own functions do not read of its queues on Postgres. */
import type pg from 'pg';

/**
 * The id of the job that a worker takes next, if one waits. Index: job_ready_idx, in whose order BullMQ's workers take them; its own ranges
 * begin with the newest.
 */
export async function findNextJobs(pool: pg.Pool, queue: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    "SELECT id FROM job WHERE queue = $1 AND state = 'waiting' ORDER BY priority, seq LIMIT 1",
    [queue],
  );
  return rows.map(({ id }) => id);
}
