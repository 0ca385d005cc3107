import type { Pool } from '../db/pool.ts';
import { withinLimit } from '../time-limit.ts';

/** A probe gives up after a second or so; an answer that comes later says nothing about now. */
const PATIENCE_MS = 1_000;

/** Whether Postgres answers this process. The cheapest statement there is: probes come every few seconds. */
export async function postgresAnswers(pool: Pool): Promise<boolean> {
  try {
    await withinLimit(pool.query('SELECT 1'), { what: 'Postgres', limitMs: PATIENCE_MS });
    return true;
  } catch {
    return false;
  }
}
