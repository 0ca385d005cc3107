/** Deliveries of an endpoint as people look at them, newest first, with every try. */
import { formatInstant, formatInstantOrNull, type Instant } from '../clock.ts';
import { column, plainArray, textArray } from '../db/columns.ts';
import type { Queryable } from '../db/pool.ts';
import { ApiError } from '../errors.ts';
import { publicId, type Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { DeliveryStatus } from './delivery.ts';
import { findEventSequence } from './event-store.ts';

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

export interface DeliveryPage {
  bookId: BookId;
  endpointId: Uuid;
  limit: number;
  /** Cursors are ids of events: an endpoint has one delivery of each. */
  startingAfter?: Uuid;
  endingBefore?: Uuid;
  /** All of them when left out. */
  statuses?: readonly DeliveryStatus[];
}

interface DeliveryRow {
  event_sequence: bigint;
  event_id: string;
  event_type: string;
  status: DeliveryStatus;
  attempts: number;
  retry_at: Instant | null;
  due_at: Instant | null;
  created_at: Instant;
}

/**
 * Two queries a page. Index: webhook_deliveries_pkey, or webhook_deliveries_open when those that arrived are not asked
 * for. Throws ApiError `cursor_invalid` for a cursor that is no event of the book.
 */
export async function listDeliveries(
  db: Queryable,
  page: DeliveryPage,
): Promise<{ deliveries: ListedDelivery[]; hasMore: boolean }> {
  const { bookId, endpointId, limit, statuses } = page;
  const before = await sequenceOf(db, bookId, 'starting_after', page.startingAfter);
  const after = await sequenceOf(db, bookId, 'ending_before', page.endingBefore);
  const backwards = after !== null;
  const onlyOpen = statuses !== undefined && !statuses.includes('delivered');
  const { rows } = await db.query<DeliveryRow>(
    `SELECT d.event_sequence, e.id AS event_id, e.type AS event_type, d.status, d.attempts, d.retry_at, d.due_at, d.created_at
      FROM webhook_deliveries d JOIN events e ON e.book_id = d.book_id AND e.sequence = d.event_sequence
      WHERE d.book_id = $1 AND d.endpoint_id = $2 AND ($3::bigint IS NULL OR d.event_sequence < $3)
        AND ($4::bigint IS NULL OR d.event_sequence > $4) AND ($5::text[] IS NULL OR d.status = ANY ($5))
        ${onlyOpen ? "AND d.status <> 'delivered'" : ''}
      ORDER BY d.event_sequence ${backwards ? 'ASC' : 'DESC'} LIMIT $6`,
    [bookId, endpointId, before, after, statuses ? textArray(statuses) : null, limit + 1],
  );
  const shown = rows.slice(0, limit);
  if (backwards) shown.reverse();
  const attempts = await loadAttempts(db, bookId, endpointId, shown);
  const deliveries = shown.map((row) => ({
    eventId: row.event_id,
    eventType: row.event_type,
    endpointId,
    status: row.status,
    nextAttemptAt: row.status === 'pending' ? (row.retry_at ?? row.created_at) : null,
    createdAt: row.created_at,
    attempts: attempts.get(row.event_sequence) ?? [],
  }));
  return { deliveries, hasMore: rows.length > limit };
}

async function sequenceOf(
  db: Queryable,
  bookId: BookId,
  param: string,
  eventId: Uuid | undefined,
): Promise<bigint | null> {
  if (eventId === undefined) return null;
  const sequence = await findEventSequence(db, bookId, eventId);
  if (sequence === undefined)
    throw new ApiError('cursor_invalid', { param, detail: 'There is no such event in this book.' });
  return sequence;
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

/** The tries of a page, oldest first. Index: webhook_attempts_pkey. */
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

/** A delivery has no id of its own: within its endpoint it is known by its event's, which is also its `webhook-id`. */
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
