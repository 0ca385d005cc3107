import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book.ts';
import type { Subscriber } from '../../ledger/events/event.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { subscriberOf } from '../endpoint.ts';

export interface SteadyEndpoint extends Subscriber {
  readonly createdAt: Instant;
}

/**
 * Reads endpoints that have not changed since they were created: always enabled, with one filter. For the others the
 * database does not tell which events they wanted at which time. Index: webhook_endpoints_live.
 */
export async function readSteadyEndpoints(db: Queryable, bookId: BookId): Promise<SteadyEndpoint[]> {
  const { rows } = await db.query<{ id: string; events: string[]; created_at: Instant }>({
    name: 'verify.endpoints',
    text: `SELECT id, events, created_at FROM webhook_endpoints
      WHERE book_id = $1 AND status <> 'deleted' AND status = 'enabled' AND version = 1 ORDER BY id`,
    values: [bookId],
  });
  return rows.map((row) => ({ ...subscriberOf(row), createdAt: row.created_at }));
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
