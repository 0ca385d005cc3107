/** SQL of the timeline: an object's events in order, with actors and webhook attempts. */

import { plainArray } from '../db/columns.ts';
import { atCursor } from '../db/cursor.ts';
import type { Page, PageRequest } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import { PAGE_BYTES_MAX } from '../db/walk.ts';
import type { BookId } from '../ledger/book/book.ts';
import { FIRST_EVENT, KEPT_BYTES, KEPT_COLUMNS } from '../ledger/events/event-read-store.ts';
import { type KeptEventRow, wholePayload } from '../ledger/events/render-event.ts';
import { textBytes } from '../ledger/rows/personal-text-store.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

export interface TimelineEvent {
  sequence: bigint;
  id: Uuid;
  type: string;
  actor: string;
  requestId: Uuid;
  createdAt: Instant;
  payload: string;
  textReferences: string | null;
}

export interface TimelineAttempt {
  eventSequence: bigint;
  endpointId: Uuid;
  attempt: number;
  startedAt: Instant;
  durationMs: number;
  status: number | null;
  error: string | null;
}

/**
 * A page of an object's events, oldest first, as many as fit into it (PAGE_BYTES_MAX of payloads). Cursors are ids of events. Index:
 * events_by_object, the only index in this order; for the cursor events_book_id_id_key. Throws ApiError `cursor_invalid` for a
 * cursor that is no event of the object.
 */
export async function loadObjectEvents(
  db: Queryable,
  { bookId, objectId }: { readonly bookId: BookId; readonly objectId: Uuid },
  page: PageRequest,
): Promise<Page<TimelineEvent>> {
  const all = { table: 'events', id: 'id', equal: { book_id: bookId } };
  const owner = { object_id: objectId };
  const cursor = await atCursor<bigint>(db, { all, owner }, { page, column: 'sequence' });
  const backwards = page.endingBefore !== undefined;
  const [direction, operator] = backwards ? ['DESC', '<'] : ['ASC', '>'];
  const bound = cursor ? ` AND (object_id, sequence) ${operator} ($2, $5)` : '';
  const order = `object_id ${direction}, sequence ${direction}`;
  const { rows } = await db.query<KeptEventRow & { actor: string; found: bigint }>({
    name: `timeline.events_${direction.toLowerCase()}${cursor ? '_from' : ''}`,
    text: `SELECT ${KEPT_COLUMNS}, actor, found FROM (
        SELECT *, count(*) OVER () AS found, sum(bytes) OVER (ORDER BY ${order}) - bytes AS bytes_before FROM (
          SELECT ${KEPT_BYTES} + ${textBytes('events')} AS bytes, ${KEPT_COLUMNS}, actor FROM events ${FIRST_EVENT}
          WHERE book_id = $1 AND object_id >= $2 AND object_id <= $2${bound} ORDER BY ${order} LIMIT $3
        ) AS next
      ) AS summed WHERE bytes_before < $4 ORDER BY sequence ${direction}`,
    values: [bookId, objectId, page.limit + 1, PAGE_BYTES_MAX, ...(cursor ? [cursor.value] : [])],
  });
  const kept = rows.slice(0, page.limit);
  if (backwards) kept.reverse();
  return { rows: kept.map(timelineEvent), hasMore: Number(rows[0]?.found ?? 0) > kept.length };
}

function timelineEvent(row: KeptEventRow & { actor: string }): TimelineEvent {
  return {
    sequence: row.sequence,
    id: row.id,
    type: row.type,
    actor: row.actor,
    requestId: row.request_id,
    createdAt: row.created_at,
    payload: wholePayload(row),
    textReferences: row.text_references,
  };
}

/** Webhook attempts of the given events, in order. Index: webhook_attempts_pkey; at most ten attempts a delivery. */
export async function loadAttempts(
  db: Queryable,
  bookId: BookId,
  sequences: readonly bigint[],
  limit: number,
): Promise<TimelineAttempt[]> {
  const { rows } = await db.query<{
    event_sequence: bigint;
    endpoint_id: string;
    attempt: number;
    started_at: Instant;
    duration_ms: number;
    status: number | null;
    error: string | null;
  }>({
    name: 'timeline.attempts',
    text: `SELECT event_sequence, endpoint_id, attempt, started_at, duration_ms, status, error FROM webhook_attempts
      WHERE book_id = $1 AND event_sequence = ANY ($2::bigint[]) ORDER BY event_sequence, started_at, endpoint_id, attempt LIMIT $3`,
    values: [bookId, plainArray(sequences), limit],
  });
  return rows.map((row) => ({
    eventSequence: row.event_sequence,
    endpointId: row.endpoint_id,
    attempt: row.attempt,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    status: row.status,
    error: row.error,
  }));
}
