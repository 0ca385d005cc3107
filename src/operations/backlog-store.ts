/**
 * Backlogs, for metrics and operators. Read across all books, by partial indexes, and counted up to a limit.
 */

import { COUNT_LIMIT } from '../db/count-limit.ts';
import type { Pool } from '../db/pool.ts';
import { DUE_AND_NOT_STUCK, type MovedRows } from '../group/moved-rows.ts';
import type { Instant } from '../values/clock.ts';

export interface Backlog {
  readonly kind: string;
  /** Due time of the row that has been due longest; null when no row is due. */
  readonly oldestDueAt: Instant | null;
  /** Up to COUNT_LIMIT. */
  readonly due: number;
  readonly stuck: number;
}

/** Reads how many rows of each kind are due and stuck. Indexes: <table>_due, <table>_stuck. */
export async function readBacklog(pool: Pool, kinds: readonly MovedRows[], now: Instant): Promise<Backlog[]> {
  if (kinds.length === 0) return [];
  const { rows } = await pool.query<{ kind: string; oldest: Instant | null; due: bigint; stuck: bigint }>(
    kinds.map(backlogSql).join(' UNION ALL '),
    [new Date(now)],
  );
  return rows.map((row) => ({
    kind: row.kind,
    oldestDueAt: row.oldest,
    due: Number(row.due),
    stuck: Number(row.stuck),
  }));
}

function backlogSql({ kind, table: { name } }: MovedRows): string {
  const due = `FROM ${name} WHERE due_at <= $1 AND ${DUE_AND_NOT_STUCK}`;
  return `SELECT '${kind}' AS kind,
      (SELECT due_at ${due} ORDER BY due_at LIMIT 1) AS oldest,
      (SELECT count(*) FROM (SELECT ${due} LIMIT ${COUNT_LIMIT}) AS due) AS due,
      (SELECT count(*) FROM (SELECT FROM ${name} WHERE stuck_at IS NOT NULL LIMIT ${COUNT_LIMIT}) AS stuck) AS stuck`;
}
