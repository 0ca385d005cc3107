/** What BullMQ's own functions do not read of its queues on Postgres. */

interface Queried {
  query(text: string, values: unknown[]): Promise<{ rows: { id: string }[] }>;
}

/**
 * The id of the job that a worker takes next, if one waits. Index: job_ready_idx, in whose order BullMQ's workers take them; its own ranges
 * begin with the newest.
 */
export async function findNextJobs(db: Queried, queue: string): Promise<string[]> {
  const { rows } = await db.query(
    "SELECT id FROM job WHERE queue = $1 AND state = 'waiting' ORDER BY priority, seq LIMIT 1",
    [queue],
  );
  return rows.map(({ id }) => id);
}
