import type { Pool } from './pool.ts';

/** The cheapest statement: probes come every few seconds. */
export async function askPostgres(pool: Pool): Promise<void> {
  await pool.query('SELECT 1');
}
