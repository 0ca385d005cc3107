/** All SQL of backlogs: their columns in webhook_endpoints, and the deliveries that wait. */

import { column, instantArray, plainArray } from '../../db/columns.ts';
import { updateExactly } from '../../db/exactly.ts';
import type { Pool, Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { FIRST_EVENT, KEPT_COLUMNS } from '../../ledger/events/event-read-store.ts';
import type { KeptEventRow } from '../../ledger/events/render-event.ts';
import { fillPayloads } from '../../ledger/rows/personal-text-store.ts';
import { type Table, WRITE_ORDER } from '../../ledger/rows/table.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { DeliveryInHand } from '../deliveries/delivery.ts';
import { keptPayload, loadEndpoints } from '../deliveries/delivery-store.ts';
import type { EndpointBacklog } from './backlog.ts';

interface BacklogRow {
  id: Uuid;
  is_deleted: boolean;
  ordered: boolean;
  behind_since: Instant | null;
  retry_at: Instant | null;
  waiting_from: bigint | null;
}

/**
 * The part of a backlog that commands change: `behind_since`. Drains and the sweeper write the other columns without
 * the book's lock. So a command sets `retry_at` and `due_at` only where they are null, and only lowers `waiting_from`.
 */
export const endpointBacklogs: Table<EndpointBacklog> = {
  name: 'webhook_endpoint_backlogs',
  writeOrder: WRITE_ORDER.resources,

  /**
   * Index: webhook_endpoints_pkey. Includes deleted endpoints: their waiting deliveries are canceled, and then they
   * catch up.
   */
  async load(trx, bookId, ids) {
    const { rows } = await trx.query<BacklogRow>({
      name: 'webhook_endpoints.backlogs',
      text: `SELECT id, status = 'deleted' AS is_deleted, ordered, behind_since, retry_at, waiting_from FROM webhook_endpoints
        WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
      values: [bookId, plainArray(ids)],
    });
    return new Map(
      rows.map((row) => [
        row.id,
        {
          id: row.id,
          isDeleted: row.is_deleted,
          isOrdered: row.ordered,
          behindSince: row.behind_since,
          retryAt: row.retry_at,
          waitingFrom: row.waiting_from,
        },
      ]),
    );
  },

  insert: () => Promise.reject(new Error('A backlog is part of its endpoint')),

  async update(trx, bookId, rows) {
    await updateExactly(trx, {
      name: 'webhook_endpoints.update_backlogs',
      text: `UPDATE webhook_endpoints AS w SET behind_since = v.behind_since, retry_at = COALESCE(w.retry_at, v.retry_at),
          due_at = COALESCE(w.due_at, v.retry_at), waiting_from = LEAST(w.waiting_from, v.waiting_from)
        FROM unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::bigint[])
          AS v (id, behind_since, retry_at, waiting_from)
        WHERE w.book_id = $1 AND w.id = ANY ($2::uuid[]) AND w.id = v.id`,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        instantArray(column(rows, (row) => row.behindSince)),
        instantArray(column(rows, (row) => row.retryAt)),
        plainArray(column(rows, (row) => row.waitingFrom)),
      ],
      rows: rows.length,
    });
  },
};

/** Names the backlog of one endpoint. */
export interface BacklogKey {
  readonly bookId: BookId;
  readonly endpointId: Uuid;
}

/** A backlog whose lease this process has until `until`. */
export interface LeasedBacklog {
  readonly until: Instant;
  readonly behindSince: Instant | null;
  readonly retryAttempts: number;
  readonly waitingFrom: bigint;
  /** The endpoint is drained in order. */
  readonly ordered: boolean;
}

/**
 * Leases a backlog that is due. Undefined when there is no backlog, when it is not due yet, or when another process has
 * the lease. Index: webhook_endpoints_pkey.
 */
export async function claimBacklog(
  db: Queryable,
  { bookId, endpointId }: BacklogKey,
  { now, until }: { now: Instant; until: Instant },
): Promise<LeasedBacklog | undefined> {
  const { rows } = await db.query<{
    behind_since: Instant | null;
    retry_attempts: number;
    waiting_from: bigint | null;
    ordered: boolean;
  }>({
    name: 'webhook_endpoints.claim',
    text: `UPDATE webhook_endpoints SET retry_at = $4, due_at = $4, joined_from = NULL
      WHERE book_id = $1 AND id = $2 AND due_at IS NOT NULL AND retry_at <= $3
      RETURNING behind_since, retry_attempts, waiting_from, ordered`,
    values: [bookId, endpointId, new Date(now), new Date(until)],
  });
  const [row] = rows;
  if (!row) return undefined;
  return {
    until,
    behindSince: row.behind_since,
    retryAttempts: row.retry_attempts,
    waitingFrom: row.waiting_from ?? 0n,
    ordered: row.ordered,
  };
}

/**
 * Renews the lease of a backlog, or ends it until the next attempt. `waitingFrom` is written, unless the row's value
 * changed since `seenFrom` was read or a delivery of an earlier event joined: then the lowest stays. Resolves with the
 * value written, or with undefined when this process no longer has the lease. Index: webhook_endpoints_pkey.
 */
export async function keepBacklog(
  db: Queryable,
  { bookId, endpointId }: BacklogKey,
  lease: { until: Instant; seenFrom: bigint },
  next: { until: Instant; retryAttempts: number; waitingFrom: bigint; rateFreeAt: Instant | null },
): Promise<bigint | undefined> {
  const { rows } = await db.query<{ waiting_from: bigint }>({
    name: 'webhook_endpoints.keep',
    text: `UPDATE webhook_endpoints SET retry_at = $4, due_at = $4, retry_attempts = $5, rate_free_at = $8,
        waiting_from = CASE WHEN waiting_from = $6 THEN LEAST($7, joined_from) ELSE LEAST(waiting_from, $7, joined_from) END,
        joined_from = NULL
      WHERE book_id = $1 AND id = $2 AND retry_at = $3 RETURNING waiting_from`,
    values: [
      bookId,
      endpointId,
      new Date(lease.until),
      new Date(next.until),
      next.retryAttempts,
      lease.seenFrom,
      next.waitingFrom,
      next.rateFreeAt === null ? null : new Date(next.rateFreeAt),
    ],
  });
  return rows[0]?.waiting_from;
}

/**
 * Ends a backlog in which no delivery before `next` waits. False when the endpoint is behind again, deliveries joined, or this
 * process no longer has the lease. Index: webhook_endpoints_pkey.
 */
export async function clearBacklog(
  db: Queryable,
  { bookId, endpointId }: BacklogKey,
  lease: { until: Instant; seenFrom: bigint; next: bigint; rateFreeAt: Instant | null },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'webhook_endpoints.clear',
    text: `UPDATE webhook_endpoints SET retry_at = NULL, due_at = NULL, retry_attempts = 0, rate_free_at = $5,
        waiting_from = CASE WHEN ordered THEN $6::bigint END
      WHERE book_id = $1 AND id = $2 AND retry_at = $3 AND behind_since IS NULL AND waiting_from = $4
        AND joined_from IS NULL`,
    values: [
      bookId,
      endpointId,
      new Date(lease.until),
      lease.seenFrom,
      lease.rateFreeAt === null ? null : new Date(lease.rateFreeAt),
      lease.next,
    ],
  });
  return rowCount === 1;
}

export interface WaitingPage {
  /** In the order of their events. */
  readonly deliveries: DeliveryInHand[];
  /** The sequence of the event at which the next page begins. */
  readonly next: bigint;
  /** No delivery follows this page. */
  readonly end: boolean;
}

/** Rows read for a page when the last page was sparse: most of its rows were final or not due yet. */
const SPARSE_ROWS_MAX = 2_000;

/**
 * A page of the deliveries of an endpoint that can be attempted now, whether they wait or have a due time of their own.
 * Reads at most `limit` undelivered rows, or 2,000 when `sparse`. So a page may be short or empty although more follow.
 * Index: webhook_deliveries_open, events_pkey.
 */
export async function loadWaiting(
  db: Queryable,
  { bookId, endpointId }: BacklogKey,
  page: { from: bigint; limit: number; sparse: boolean; now: Instant },
): Promise<WaitingPage> {
  const lookedAt = page.sparse ? Math.max(SPARSE_ROWS_MAX, page.limit) : page.limit;
  const [{ rows }, endpoints] = await Promise.all([
    db.query<
      {
        looked_at: bigint;
        last: bigint | null;
        event_sequence: bigint | null;
        attempts: number;
        retry_at: Instant | null;
        early_attempts: number | null;
      } & KeptEventRow
    >({
      name: 'webhook_deliveries.waiting',
      text: `WITH seen AS MATERIALIZED (
          SELECT event_sequence, status, attempts, retry_at, early_attempts, stuck_at FROM webhook_deliveries
          WHERE book_id = $1 AND endpoint_id = $2 AND event_sequence >= $3 AND status <> 'delivered'
          ORDER BY event_sequence LIMIT $4
        ), ready AS (
          SELECT event_sequence, attempts, retry_at, early_attempts FROM seen
          WHERE status = 'pending' AND stuck_at IS NULL AND (attempts = 0 OR retry_at <= $5)
          ORDER BY event_sequence LIMIT $6
        )
        SELECT s.*, r.*, e.* FROM (SELECT count(*) AS looked_at, max(event_sequence) AS last FROM seen) s
        LEFT JOIN ready r ON true
        LEFT JOIN LATERAL (SELECT ${KEPT_COLUMNS} FROM events ${FIRST_EVENT}
          WHERE book_id = $1 AND sequence = r.event_sequence LIMIT 1) e ON true
        ORDER BY r.event_sequence`,
      values: [bookId, endpointId, page.from, lookedAt, new Date(page.now), page.limit],
    }),
    loadEndpoints(db, bookId, new Set([endpointId])),
  ]);
  const endpoint = endpoints.get(endpointId);
  const last = rows[0]!.last;
  if (!endpoint || last === null) return { deliveries: [], next: page.from, end: true };
  const ready = rows.filter((row) => row.event_sequence !== null);
  const filled = await fillPayloads(db, bookId, ready.map(keptPayload));
  const deliveries = ready.map((row, index) => ({
    eventSequence: row.event_sequence!,
    endpointId,
    eventId: row.id,
    payload: filled[index]!.payload,
    texts: filled[index]!.texts,
    attempts: row.attempts,
    retryAt: row.retry_at,
    earlyAttempts: row.early_attempts ?? 0,
    mode: endpoint.mode,
    endpoint: endpoint.endpoint,
  }));
  const full = deliveries.length === page.limit;
  const next = (full ? deliveries.at(-1)!.eventSequence : last) + 1n;
  return { deliveries, next, end: !full && rows[0]!.looked_at < lookedAt };
}

/** Beyond this, an exact count is not worth its cost. */
const COUNTED_MAX = 1_000_000;

/** Counts the pending deliveries of an endpoint from an event on, up to a million. Index: webhook_deliveries_open. */
export async function countWaiting(db: Queryable, { bookId, endpointId }: BacklogKey, from: bigint): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>({
    name: 'webhook_deliveries.count_waiting',
    text: `SELECT count(*) FROM (SELECT FROM webhook_deliveries
      WHERE book_id = $1 AND endpoint_id = $2 AND event_sequence >= $3 AND status <> 'delivered' AND status = 'pending'
      LIMIT ${COUNTED_MAX}) AS waiting`,
    values: [bookId, endpointId, from],
  });
  return Number(rows[0]!.count);
}

export interface DueEndpoint {
  readonly bookId: BookId;
  readonly id: Uuid;
  readonly dueAt: Instant;
}

/** Endpoints with a due backlog, over all books, the longest due first. Index: webhook_endpoints_due. */
export async function findDueEndpoints(
  pool: Pool,
  { now, limit }: { now: Instant; limit: number },
): Promise<DueEndpoint[]> {
  const { rows } = await pool.query<{ book_id: Uuid; id: Uuid; due_at: Instant }>(
    `SELECT book_id, id, due_at FROM webhook_endpoints
     WHERE due_at <= $1 AND due_at IS NOT NULL ORDER BY due_at LIMIT $2`,
    [new Date(now), limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, id: row.id, dueAt: row.due_at }));
}

/** Postpones due endpoints of a book by compare-and-set. Resolves with the postponed ids, which are to be enqueued. */
export async function postponeDueEndpoints(
  pool: Pool,
  bookId: Uuid,
  rows: readonly DueEndpoint[],
  until: Instant,
): Promise<Uuid[]> {
  const { rows: postponed } = await pool.query<{ id: Uuid }>(
    `WITH free AS (
       SELECT w.id FROM webhook_endpoints w
       JOIN unnest($2::uuid[], $3::timestamptz[]) AS seen (id, due_at) USING (id, due_at)
       WHERE w.book_id = $1 ORDER BY w.id FOR NO KEY UPDATE OF w SKIP LOCKED
     )
     UPDATE webhook_endpoints w SET due_at = $4 FROM free WHERE w.book_id = $1 AND w.id = free.id RETURNING w.id`,
    [bookId, plainArray(rows.map(({ id }) => id)), instantArray(rows.map(({ dueAt }) => dueAt)), new Date(until)],
  );
  return postponed.map(({ id }) => id);
}
