/**
 * Rows whose alarm has rung: nobody moved them in time. Read across all books, which only the sweeper and the metrics may;
 * pushed book by book, outside the book's lock, by compare-and-set.
 */
import type { Instant } from '../clock.ts';
import { instantArray, plainArray, textArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';

/** A row that is due, by the id that a bell names it with. */
export interface DueRow {
  readonly bookId: Uuid;
  readonly id: string;
  readonly dueAt: Instant;
}

interface DuePage {
  readonly now: Instant;
  readonly limit: number;
}

/**
 * The longest due first. No second sort key: of a hundred thousand rows that are due at the same moment a page must not
 * sort them all, and pushed rows leave the front by themselves. Index: payouts_due.
 */
export async function findDuePayouts(
  pool: Pool,
  page: DuePage & { status: 'pending' | 'processing' },
): Promise<DueRow[]> {
  const { rows } = await pool.query<{ book_id: Uuid; id: Uuid; due_at: Instant }>(
    `SELECT book_id, id, due_at FROM payouts
     WHERE due_at <= $1 AND due_at IS NOT NULL AND stuck_at IS NULL AND status = $2
     ORDER BY due_at LIMIT $3`,
    [new Date(page.now), page.status, page.limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, id: row.id, dueAt: row.due_at }));
}

/** The same of deliveries; an id is `<event sequence>:<endpoint>`. Index: webhook_deliveries_due. */
export async function findDueDeliveries(pool: Pool, page: DuePage): Promise<DueRow[]> {
  const { rows } = await pool.query<{ book_id: Uuid; id: string; due_at: Instant }>(
    `SELECT book_id, event_sequence || ':' || endpoint_id AS id, due_at FROM webhook_deliveries
     WHERE due_at <= $1 AND due_at IS NOT NULL AND stuck_at IS NULL AND status = 'pending'
     ORDER BY due_at LIMIT $2`,
    [new Date(page.now), page.limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, id: row.id, dueAt: row.due_at }));
}

/**
 * Pushes the alarms of one book's rows and answers with the ids that were pushed: those are ours to ring for. A row that
 * moved meanwhile, or that another sweeper pushed, has another alarm and is left alone. A row that somebody holds is being
 * moved right now and is skipped, so that this never waits for a committer and can be part of no deadlock.
 */
export async function pushDuePayouts(
  pool: Pool,
  bookId: Uuid,
  rows: readonly DueRow[],
  until: Instant,
): Promise<string[]> {
  const { rows: pushed } = await pool.query<{ id: Uuid }>(
    `WITH seen AS (
       SELECT id, due_at FROM unnest($2::uuid[], $3::timestamptz[]) AS given (id, due_at)
     ), free AS (
       SELECT payouts.id FROM payouts JOIN seen USING (id, due_at)
       WHERE payouts.book_id = $1 AND payouts.stuck_at IS NULL
       ORDER BY payouts.id FOR NO KEY UPDATE OF payouts SKIP LOCKED
     )
     UPDATE payouts SET due_at = $4 FROM free
     WHERE payouts.book_id = $1 AND payouts.id = free.id
     RETURNING payouts.id`,
    [bookId, plainArray(rows.map((row) => row.id)), instantArray(rows.map((row) => row.dueAt)), new Date(until)],
  );
  return pushed.map(({ id }) => id);
}

export async function pushDueDeliveries(
  pool: Pool,
  bookId: Uuid,
  rows: readonly DueRow[],
  until: Instant,
): Promise<string[]> {
  const keys = rows.map((row) => row.id.split(':'));
  const { rows: pushed } = await pool.query<{ id: string }>(
    `WITH seen AS (
       SELECT event_sequence, endpoint_id, due_at
       FROM unnest($2::bigint[], $3::uuid[], $4::timestamptz[]) AS given (event_sequence, endpoint_id, due_at)
     ), free AS (
       SELECT delivery.event_sequence, delivery.endpoint_id
       FROM webhook_deliveries AS delivery JOIN seen USING (event_sequence, endpoint_id, due_at)
       WHERE delivery.book_id = $1 AND delivery.stuck_at IS NULL
       ORDER BY delivery.event_sequence, delivery.endpoint_id FOR NO KEY UPDATE OF delivery SKIP LOCKED
     )
     UPDATE webhook_deliveries AS delivery SET due_at = $5 FROM free
     WHERE delivery.book_id = $1 AND delivery.event_sequence = free.event_sequence AND delivery.endpoint_id = free.endpoint_id
     RETURNING delivery.event_sequence || ':' || delivery.endpoint_id AS id`,
    [
      bookId,
      plainArray(keys.map(([sequence]) => sequence!)),
      plainArray(keys.map(([, endpointId]) => endpointId!)),
      instantArray(rows.map((row) => row.dueAt)),
      new Date(until),
    ],
  );
  return pushed.map(({ id }) => id);
}

export interface AgedKey {
  readonly bookId: Uuid;
  readonly key: string;
}

/** Keys whose stored answer is older than its retention. Index: idempotency_keys_with_body. */
export async function findAgedKeys(pool: Pool, page: { before: Instant; limit: number }): Promise<AgedKey[]> {
  const { rows } = await pool.query<{ book_id: Uuid; key: string }>(
    `SELECT book_id, key FROM idempotency_keys
     WHERE body IS NOT NULL AND created_at < $1
     ORDER BY created_at LIMIT $2`,
    [new Date(page.before), page.limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, key: row.key }));
}

/** Drops the stored answers and keeps the keys, so that none ever pays twice. */
export async function dropBodies(pool: Pool, bookId: Uuid, keys: readonly AgedKey[]): Promise<number> {
  const { rowCount } = await pool.query(
    'UPDATE idempotency_keys SET body = NULL WHERE book_id = $1 AND key = ANY ($2::text[]) AND body IS NOT NULL',
    [bookId, textArray(keys.map(({ key }) => key))],
  );
  return rowCount ?? 0;
}
