/** Lists the deliveries of an endpoint with their attempts, newest first. */

import { column, plainArray } from '../../db/columns.ts';
import { atCursor } from '../../db/cursor.ts';
import { build, type Page, type PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import { walkPage } from '../../db/walk.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { formatInstant, formatInstantOrNull, type Instant } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { cursorSequences, eventIdAt } from '../events/event-store.ts';
import type { DeliveryStatus } from './delivery.ts';

export interface ListedDelivery {
  readonly eventId: Uuid;
  readonly eventType: string;
  readonly endpointId: Uuid;
  readonly status: DeliveryStatus;
  readonly nextAttemptAt: Instant | null;
  readonly createdAt: Instant;
  readonly attempts: readonly ListedAttempt[];
}

export interface ListedAttempt {
  readonly attempt: number;
  readonly startedAt: Instant;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

export interface DeliveryFilter {
  bookId: BookId;
  endpointId: Uuid;
  /** Omitted: all of them. */
  statuses?: readonly DeliveryStatus[];
}

interface DeliveryRow {
  event_sequence: bigint;
  event_id: string;
  event_type: string;
  status: DeliveryStatus;
  retry_at: Instant | null;
  endpoint_retry_at: Instant | null;
  created_at: Instant;
}

/**
 * Cursors are ids of events, since an endpoint has one delivery of each. Index: webhook_deliveries_pkey, or
 * webhook_deliveries_open when those that arrived are not asked for; states are asked of each candidate (walk.ts). Throws
 * ApiError `cursor_invalid` for a cursor that is no event for this endpoint.
 */
export async function listDeliveries(
  db: Queryable,
  { bookId, endpointId, statuses }: DeliveryFilter,
  page: PageRequest,
): Promise<Page<ListedDelivery>> {
  const of = { book_id: bookId, endpoint_id: endpointId };
  const all = { table: 'webhook_deliveries', id: 'event_sequence', equal: of };
  const open = statuses?.length && !statuses.includes('delivered');
  const { rows, hasMore, reached } = await walkPage<DeliveryRow>(
    db,
    {
      all: open ? { ...all, predicate: "status <> 'delivered'" } : all,
      walks: [],
      rechecked: Boolean(statuses?.length),
      row(candidate) {
        const query = build('webhook_deliveries as d')
          .join('events as e', { 'e.book_id': 'd.book_id', 'e.sequence': 'd.event_sequence' })
          .select(
            'd.event_sequence',
            'e.id as event_id',
            'e.type as event_type',
            'd.status',
            'd.retry_at',
            'd.created_at',
          )
          .join('webhook_endpoints as w', { 'w.book_id': 'd.book_id', 'w.id': 'd.endpoint_id' })
          .select('w.retry_at as endpoint_retry_at')
          .select(build.raw(ANSWERS_BYTES))
          .where({ 'd.book_id': bookId, 'd.endpoint_id': endpointId, 'd.event_sequence': candidate });
        return statuses?.length ? query.whereIn('d.status', [...statuses]) : query;
      },
    },
    await cursorDeliveries(db, all, page),
  );
  const attempts = await loadAttempts(db, bookId, endpointId, rows);
  return {
    rows: rows.map((row) => listedDelivery(row, endpointId, attempts.get(row.event_sequence) ?? [])),
    hasMore,
    reached: reached && (await eventIdAt(db, bookId, reached)),
  };
}

/** The page's cursor as a sequence number. Index: webhook_deliveries_pkey. */
async function cursorDeliveries(
  db: Queryable,
  all: { table: string; id: string; equal: { book_id: BookId } },
  page: PageRequest,
): Promise<PageRequest> {
  const sequences = await cursorSequences(db, all.equal.book_id, page);
  await atCursor(db, { all }, { page: sequences, column: all.id });
  return sequences;
}

/** SQL: the bytes of the responses to a delivery's attempts. Index: webhook_attempts_pkey. */
const ANSWERS_BYTES = `(SELECT COALESCE(sum(octet_length(a.response)), 0) FROM webhook_attempts a
  WHERE a.book_id = d.book_id AND a.event_sequence = d.event_sequence AND a.endpoint_id = d.endpoint_id) AS bytes`;

function listedDelivery(row: DeliveryRow, endpointId: Uuid, attempts: readonly ListedAttempt[]): ListedDelivery {
  return {
    eventId: row.event_id,
    eventType: row.event_type,
    endpointId,
    status: row.status,
    // No delivery of an endpoint that is behind is attempted before its endpoint is due.
    nextAttemptAt:
      row.status === 'pending' ? Math.max(row.retry_at ?? row.created_at, row.endpoint_retry_at ?? 0) : null,
    createdAt: row.created_at,
    attempts,
  };
}

interface AttemptRow {
  event_sequence: bigint;
  attempt: number;
  started_at: Instant;
  duration_ms: number;
  status: number | null;
  error: string | null;
  response: string | null;
}

/** The attempts of a page, oldest first. Index: webhook_attempts_pkey. */
async function loadAttempts(
  db: Queryable,
  bookId: BookId,
  endpointId: Uuid,
  tried: readonly DeliveryRow[],
): Promise<Map<bigint, ListedAttempt[]>> {
  const { rows } = await db.query<AttemptRow>(
    `SELECT event_sequence, attempt, started_at, duration_ms, status, error, response FROM webhook_attempts
      WHERE book_id = $1 AND endpoint_id = $2 AND event_sequence = ANY ($3::bigint[]) ORDER BY event_sequence, attempt`,
    [bookId, endpointId, plainArray(column(tried, (row) => row.event_sequence))],
  );
  const bySequence = new Map<bigint, ListedAttempt[]>();
  for (const row of rows) {
    const attempt = {
      attempt: row.attempt,
      startedAt: row.started_at,
      durationMs: row.duration_ms,
      status: row.status,
      error: row.error,
      response: row.response,
    };
    const known = bySequence.get(row.event_sequence);
    if (known) known.push(attempt);
    else bySequence.set(row.event_sequence, [attempt]);
  }
  return bySequence;
}

/** A delivery has no id of its own: within its endpoint it has its event's, which is also its `webhook-id`. */
export function deliveryView(delivery: ListedDelivery, livemode: boolean) {
  return {
    id: publicId('event', delivery.eventId),
    object: 'webhook_delivery',
    livemode,
    endpoint: publicId('webhookEndpoint', delivery.endpointId),
    event: publicId('event', delivery.eventId),
    event_type: delivery.eventType,
    status: delivery.status,
    next_attempt_at: formatInstantOrNull(delivery.nextAttemptAt),
    attempts: delivery.attempts.map(({ attempt, startedAt, durationMs, status, error, response }) => ({
      attempt,
      started_at: formatInstant(startedAt),
      duration_ms: durationMs,
      status,
      error,
      response,
    })),
    created_at: formatInstant(delivery.createdAt),
  };
}
