/**
 * Backlogs, for metrics and operators. Read across all books, by partial indexes, and counted up to a limit: a gauge
 * that says "at least ten thousand" is as alarming as an exact figure.
 */
import type { Instant } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';

const TABLES = { payout: 'payouts', delivery: 'webhook_deliveries', notice: 'rail_notices' } as const;

export type BacklogKind = keyof typeof TABLES;

export interface Backlog {
  readonly kind: BacklogKind;
  /** Due time of the row that has been due longest; null when no row is due. */
  readonly oldestDueAt: Instant | null;
  /** Up to COUNT_LIMIT. */
  readonly due: number;
  readonly stuck: number;
}

export const COUNT_LIMIT = 10_000;

/**
 * Reads how many rows of each kind are due and stuck. Indexes: payouts_due, payouts_stuck, webhook_deliveries_due,
 * webhook_deliveries_stuck, rail_notices_due, rail_notices_stuck.
 */
export async function readBacklog(pool: Pool, now: Instant): Promise<Backlog[]> {
  const { rows } = await pool.query<{ kind: BacklogKind; oldest: Instant | null; due: bigint; stuck: bigint }>(
    Object.entries(TABLES)
      .map(([kind, table]) => {
        return `SELECT '${kind}' AS kind,
          (SELECT due_at FROM ${table} WHERE due_at <= $1 AND due_at IS NOT NULL AND stuck_at IS NULL ORDER BY due_at LIMIT 1) AS oldest,
          (SELECT count(*) FROM (SELECT FROM ${table} WHERE due_at <= $1 AND due_at IS NOT NULL AND stuck_at IS NULL LIMIT ${COUNT_LIMIT}) AS due) AS due,
          (SELECT count(*) FROM (SELECT FROM ${table} WHERE stuck_at IS NOT NULL LIMIT ${COUNT_LIMIT}) AS stuck) AS stuck`;
      })
      .join(' UNION ALL '),
    [new Date(now)],
  );
  return rows.map((row) => ({
    kind: row.kind,
    oldestDueAt: row.oldest,
    due: Number(row.due),
    stuck: Number(row.stuck),
  }));
}

/** Counts payouts with an unknown outcome, by rail. Index: payouts_unknown, counted up to COUNT_LIMIT. */
export async function countUnknown(pool: Pool): Promise<{ rail: string; payouts: number }[]> {
  const { rows } = await pool.query<{ rail: string; payouts: bigint }>(
    `SELECT rail, count(*) AS payouts
     FROM (SELECT rail FROM payouts WHERE outcome = 'unknown' LIMIT ${COUNT_LIMIT}) AS unknown
     GROUP BY rail ORDER BY rail`,
  );
  return rows.map((row) => ({ rail: row.rail, payouts: Number(row.payouts) }));
}

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

/** Counts notices about books that are not ours. Index: foreign_notices_pkey, counted up to COUNT_LIMIT. */
export async function countForeignNotices(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM (SELECT FROM foreign_notices LIMIT ${COUNT_LIMIT}) AS told`,
  );
  return Number(rows[0]!.count);
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

/**
 * Counts endpoints that are behind, up to COUNT_LIMIT, and finds since when the first of them is. Index:
 * webhook_endpoints_due.
 */
export async function readEndpointsBehind(pool: Pool): Promise<{ endpoints: number; oldestSince: Instant | null }> {
  const { rows } = await pool.query<{ endpoints: bigint; oldest: Instant | null }>(
    `SELECT count(*) AS endpoints, min(behind_since) AS oldest
     FROM (SELECT behind_since FROM webhook_endpoints WHERE due_at IS NOT NULL LIMIT ${COUNT_LIMIT}) AS due
     WHERE behind_since IS NOT NULL`,
  );
  return { endpoints: Number(rows[0]!.endpoints), oldestSince: rows[0]!.oldest };
}

/**
 * Counts deliveries that wait for endpoints that are behind, up to COUNT_LIMIT. Indexes: webhook_endpoints_due,
 * webhook_deliveries_open.
 */
export async function countDeliveriesWaiting(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ waiting: bigint }>(
    `SELECT count(*) AS waiting FROM (
       SELECT FROM (SELECT book_id, id, waiting_from FROM webhook_endpoints WHERE due_at IS NOT NULL LIMIT 1000) AS w
       CROSS JOIN LATERAL (SELECT FROM webhook_deliveries d WHERE d.book_id = w.book_id AND d.endpoint_id = w.id
         AND d.event_sequence >= w.waiting_from AND d.status <> 'delivered' AND d.status = 'pending' LIMIT ${COUNT_LIMIT}) AS d
       LIMIT ${COUNT_LIMIT}) AS waiting`,
  );
  return Number(rows[0]!.waiting);
}
