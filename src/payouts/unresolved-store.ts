/** What rails leave to people: payouts of unknown outcome, and notices about books that are not ours. */
import { COUNT_LIMIT } from '../db/count-limit.ts';
import type { Pool } from '../db/pool.ts';

/** Counts payouts with an unknown outcome, by rail. Index: payouts_unknown, counted up to COUNT_LIMIT. */
export async function countUnknown(pool: Pool): Promise<{ rail: string; payouts: number }[]> {
  const { rows } = await pool.query<{ rail: string; payouts: bigint }>(
    `SELECT rail, count(*) AS payouts
     FROM (SELECT rail FROM payouts WHERE outcome = 'unknown' LIMIT ${COUNT_LIMIT}) AS unknown
     GROUP BY rail ORDER BY rail`,
  );
  return rows.map((row) => ({ rail: row.rail, payouts: Number(row.payouts) }));
}

/** Counts notices about books that are not ours, until somebody settles them. Index: foreign_notices_open, counted up to COUNT_LIMIT. */
export async function countForeignNotices(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM (SELECT FROM foreign_notices WHERE settled_at IS NULL LIMIT ${COUNT_LIMIT}) AS told`,
  );
  return Number(rows[0]!.count);
}
