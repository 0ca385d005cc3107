import { createPool } from '../../src/db/pool.ts';
import type { Stage } from './stage.ts';

/**
 * Keeps a snapshot open as the owner, whose sessions no time limit of the application's role ends. Resolves to a
 * function that closes it.
 */
export async function keepSnapshot({ postgres, log }: Stage): Promise<() => Promise<void>> {
  const pool = createPool({ url: postgres.ownerUrl, name: 'snapshot', size: 1, log });
  const session = await pool.connect();
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await session.query('SELECT pg_current_snapshot()');
  return async () => {
    session.release(true);
    await pool.end();
  };
}
