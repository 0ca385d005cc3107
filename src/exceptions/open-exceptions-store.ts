/** Open exceptions of all books, for metrics and operators. */
import type { Instant } from '../clock.ts';
import { COUNT_LIMIT } from '../db/count-limit.ts';
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';

/**
 * Counts exceptions that no person has resolved, by kind. Index: exceptions_open, counted up to COUNT_LIMIT, newest
 * first.
 */
export async function countOpenExceptions(pool: Pool): Promise<{ kind: string; exceptions: number }[]> {
  const { rows } = await pool.query<{ kind: string; exceptions: bigint }>(
    `SELECT kind, count(*) AS exceptions
     FROM (SELECT kind FROM exceptions WHERE status = 'open' ORDER BY created_at DESC LIMIT ${COUNT_LIMIT}) AS open
     GROUP BY kind ORDER BY kind`,
  );
  return rows.map((row) => ({ kind: row.kind, exceptions: Number(row.exceptions) }));
}

export interface OpenException {
  readonly bookId: Uuid;
  readonly id: Uuid;
  readonly kind: string;
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly detail: string;
  readonly createdAt: Instant;
}

/** Lists open exceptions, oldest first. Index: exceptions_open. */
export async function listOpenExceptions(pool: Pool, limit: number): Promise<OpenException[]> {
  const { rows } = await pool.query(
    `SELECT book_id, id, kind, resource, resource_id, detail, created_at
     FROM exceptions WHERE status = 'open' ORDER BY created_at LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({
    bookId: row.book_id,
    id: row.id,
    kind: row.kind,
    resource: row.resource,
    resourceId: row.resource_id,
    detail: row.detail,
    createdAt: row.created_at,
  }));
}
