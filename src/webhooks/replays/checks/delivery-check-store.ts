import { plainArray } from '../../../db/columns.ts';
import type { Queryable } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Subscriber } from '../../../ledger/events/event.ts';
import type { Instant } from '../../../values/clock.ts';
import type { Uuid } from '../../../values/ids.ts';
import { subscriberOf } from '../../endpoints/endpoint.ts';

export interface SteadyEndpoint extends Subscriber {
  /** Null where it has changed since it was created. */
  readonly createdAt: Instant | null;
  /** The first event of a replay of what it never got. Null without one by its filters of now. */
  readonly replayedFrom: bigint | null;
}

/**
 * Reads endpoints that have not changed since they were created, or since what they had never got was replayed: enabled
 * from then on, with one filter. For the others the database does not show which events their filters matched at which
 * time. Indexes: webhook_endpoints_live, webhook_replays_by_endpoint.
 */
export async function readSteadyEndpoints(db: Queryable, bookId: BookId): Promise<SteadyEndpoint[]> {
  const { rows } = await db.query<{
    id: string;
    events: string[];
    created_at: Instant | null;
    replayed_from: bigint | null;
  }>({
    name: 'verify.endpoints',
    text: `SELECT w.id, w.events, CASE WHEN w.version = 1 THEN w.created_at END AS created_at, r.first_sequence AS replayed_from
      FROM webhook_endpoints w LEFT JOIN LATERAL (SELECT first_sequence FROM webhook_replays
        WHERE webhook_replays.book_id = $1 AND endpoint_id = w.id AND webhook_replays.status = 'done' AND kind = 'missing'
          AND until IS NULL AND endpoint_version = w.version ORDER BY first_sequence LIMIT 1) r ON true
      WHERE w.book_id = $1 AND w.status <> 'deleted' AND w.status = 'enabled'
        AND (w.version = 1 OR r.first_sequence IS NOT NULL) ORDER BY w.id`,
    values: [bookId],
  });
  return rows.map((row) => ({ ...subscriberOf(row), createdAt: row.created_at, replayedFrom: row.replayed_from }));
}

/** Reads which deliveries to these endpoints exist, for a range of events. Index: webhook_deliveries_pkey. */
export async function readDeliveries(
  db: Queryable,
  bookId: BookId,
  range: { endpointIds: readonly Uuid[]; from: bigint; upTo: bigint },
): Promise<Set<string>> {
  const { rows } = await db.query<{ endpoint_id: string; event_sequence: bigint }>({
    name: 'verify.deliveries',
    text: `SELECT endpoint_id, event_sequence FROM webhook_deliveries
      WHERE book_id = $1 AND endpoint_id = ANY ($2::uuid[]) AND event_sequence >= $3 AND event_sequence <= $4`,
    values: [bookId, plainArray(range.endpointIds), range.from, range.upTo],
  });
  return new Set(rows.map((row) => deliveryKey(row.endpoint_id, row.event_sequence)));
}

export function deliveryKey(endpointId: Uuid, eventSequence: bigint): string {
  return `${endpointId} ${eventSequence}`;
}

export interface DeliveryPlace {
  readonly endpointId: Uuid;
  readonly eventSequence: bigint;
}

export interface DeliveryRow extends DeliveryPlace {
  readonly hasEvent: boolean;
  readonly hasEndpoint: boolean;
  /** Pending and not stuck, while neither the delivery nor its endpoint has a due time. */
  readonly isForgotten: boolean;
}

/**
 * Reads deliveries, with whether their event and endpoint exist. One statement and so one moment. Index:
 * webhook_deliveries_pkey.
 */
export async function readDeliveryReferences(
  db: Queryable,
  bookId: BookId,
  page: { after: DeliveryPlace | undefined; limit: number },
): Promise<DeliveryRow[]> {
  const { rows } = await db.query<{
    endpoint_id: string;
    event_sequence: bigint;
    has_event: boolean;
    has_endpoint: boolean;
    is_forgotten: boolean;
  }>({
    name: 'verify.delivery_references',
    text: `SELECT d.endpoint_id, d.event_sequence, e.sequence IS NOT NULL AS has_event, w.id IS NOT NULL AS has_endpoint,
        d.is_asleep AND e.sequence IS NOT NULL AND w.id IS NOT NULL AND w.due_at IS NULL AS is_forgotten
      FROM (SELECT book_id, endpoint_id, event_sequence, status = 'pending' AND due_at IS NULL AND stuck_at IS NULL AS is_asleep
        FROM webhook_deliveries
        WHERE book_id = $1 AND (endpoint_id, event_sequence) > ($2, $3) ORDER BY endpoint_id, event_sequence LIMIT $4) d
      LEFT JOIN events e ON e.book_id = d.book_id AND e.sequence = d.event_sequence
      LEFT JOIN webhook_endpoints w ON w.book_id = d.book_id AND w.id = d.endpoint_id
      ORDER BY d.endpoint_id, d.event_sequence`,
    values: [
      bookId,
      page.after?.endpointId ?? '00000000-0000-0000-0000-000000000000',
      page.after?.eventSequence ?? 0n,
      page.limit,
    ],
  });
  return rows.map((row) => ({
    endpointId: row.endpoint_id,
    eventSequence: row.event_sequence,
    hasEvent: row.has_event,
    hasEndpoint: row.has_endpoint,
    isForgotten: row.is_forgotten,
  }));
}
