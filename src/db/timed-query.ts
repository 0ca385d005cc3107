import type { Pool, Queryable } from './pool.ts';

export interface Timed<Answer> {
  readonly answer: Answer;
  /** Just before the question was sent: the answer is no older than this. */
  readonly askedAt: number;
}

/**
 * Asks Postgres, with the time of the question. The time does not include the wait for a connection, since a busy pool
 * makes no answer older. `now` returns monotonic milliseconds. Throws the errors of Postgres and of the pool.
 */
export async function timedQuery<Answer>(
  pool: Pool,
  now: () => number,
  ask: (db: Queryable, askedAt: number) => Promise<Answer>,
): Promise<Timed<Answer>> {
  const connection = await pool.connect();
  let failure: Error | undefined;
  try {
    const askedAt = now();
    return { answer: await ask(connection, askedAt), askedAt };
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    // As the pool's own query does: after a failure the connection is not used again.
    connection.release(failure);
  }
}
