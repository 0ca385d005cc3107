/** The deliveries of an ordered endpoint, in the order of their events. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import { FIRST_EVENT, KEPT_COLUMNS } from '../../ledger/events/event-read-store.ts';
import { fillPayloads } from '../../ledger/rows/personal-text-store.ts';
import type { BacklogKey } from '../backlogs/backlog-store.ts';
import type { DeliveryInHand } from '../deliveries/delivery.ts';
import { deliveryFromRow, keptPayload, loadEndpoints, type PendingRow } from '../deliveries/delivery-store.ts';

export interface NextInOrder extends DeliveryInHand {
  /** A bug has stopped it, and with it all that follow. */
  readonly isStuck: boolean;
}

export interface PageInOrder {
  readonly deliveries: readonly NextInOrder[];
  /** The sequence of the event at which the next page begins. */
  readonly next: bigint;
  /** No delivery follows this page. */
  readonly end: boolean;
}

/** Rows read for a page: most of them may be final, after the endpoint was disabled for long. */
const LOOKED_AT = 2_000;

/**
 * A page of the pending deliveries of an endpoint, whether or not they are due. Reads at most 2,000 undelivered rows, so a
 * page may be empty although more follow. Index: webhook_deliveries_open, events_pkey.
 */
export async function loadInOrder(
  db: Queryable,
  { bookId, endpointId }: BacklogKey,
  { from, limit }: { from: bigint; limit: number },
): Promise<PageInOrder> {
  const [{ rows: seen }, endpoints] = await Promise.all([
    db.query<{ event_sequence: bigint; status: string }>({
      name: 'webhook_deliveries.seen_in_order',
      text: `SELECT event_sequence, status FROM webhook_deliveries
        WHERE book_id = $1 AND endpoint_id = $2 AND event_sequence >= $3 AND status <> 'delivered'
        ORDER BY event_sequence LIMIT ${LOOKED_AT}`,
      values: [bookId, endpointId, from],
    }),
    loadEndpoints(db, bookId, new Set([endpointId])),
  ]);
  const endpoint = endpoints.get(endpointId);
  const last = seen.at(-1);
  if (!endpoint || !last) return { deliveries: [], next: from, end: true };
  const pending = seen.filter(({ status }) => status === 'pending').map((row) => row.event_sequence);
  const wanted = pending.slice(0, limit);
  const { rows } = await db.query<PendingRow & { is_stuck: boolean }>({
    name: 'webhook_deliveries.in_order',
    text: `SELECT $2::uuid AS endpoint_id, k.event_sequence, d.*, e.* FROM unnest($3::bigint[]) AS k (event_sequence)
      CROSS JOIN LATERAL (SELECT attempts, retry_at, early_attempts, stuck_at IS NOT NULL AS is_stuck FROM webhook_deliveries
        WHERE book_id = $1 AND endpoint_id = $2 AND event_sequence = k.event_sequence AND status = 'pending' LIMIT 1) AS d
      CROSS JOIN LATERAL (SELECT ${KEPT_COLUMNS} FROM events ${FIRST_EVENT}
        WHERE book_id = $1 AND sequence = k.event_sequence LIMIT 1) AS e
      ORDER BY k.event_sequence`,
    values: [bookId, endpointId, plainArray(wanted)],
  });
  const filled = await fillPayloads(db, bookId, rows.map(keptPayload));
  const deliveries = rows.map((row, index) => ({
    ...deliveryFromRow(row, filled[index]!, endpoint),
    isStuck: row.is_stuck,
  }));
  const isCut = pending.length > wanted.length;
  const next = (isCut ? wanted.at(-1)! : last.event_sequence) + 1n;
  return { deliveries, next, end: !isCut && seen.length < LOOKED_AT };
}
