/** Rows of batches, and what the rail has of them. */
import type { Pool } from '../../src/db/pool.ts';
import type { Uuid } from '../../src/values/ids.ts';

export interface BatchRecords {
  /** Ids of its payouts. */
  readonly payouts: readonly Uuid[];
  /** Rows that these come from. */
  readonly rows: number;
  /** How many of them the rail has been asked for. */
  readonly carried: number;
}

export async function readBatch(pool: Pool, id: Uuid): Promise<BatchRecords> {
  const { rows } = await pool.query<{ id: Uuid; row_number: number | null; carried: boolean }>(
    `SELECT p.id, i.row_number, r.end_to_end_id IS NOT NULL AS carried FROM payouts p
       LEFT JOIN payout_batch_items i ON i.book_id = p.book_id AND i.batch_id = p.batch_id AND i.payout_id = p.id
         AND i.end_to_end_id = p.end_to_end_id
       LEFT JOIN sandbox_rail.instructions r ON r.originator = p.book_id::text AND r.end_to_end_id = p.end_to_end_id
      WHERE p.batch_id = $1`,
    [id],
  );
  return {
    payouts: rows.map((row) => row.id),
    rows: new Set(rows.map((row) => row.row_number)).size,
    carried: rows.filter((row) => row.carried).length,
  };
}

/** How many instructions the sandbox rail has: a pause adds none. */
export async function countInstructions(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM sandbox_rail.instructions');
  return rows[0]!.count;
}
