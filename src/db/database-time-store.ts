import type { Instant } from '../values/clock.ts';
import type { Pool } from './pool.ts';

/** The time of Postgres, the one clock that all processes share. */
export async function readDatabaseTime(pool: Pool): Promise<Instant> {
  const { rows } = await pool.query<{ now: Instant }>("SELECT date_trunc('milliseconds', clock_timestamp()) AS now");
  return rows[0]!.now;
}
