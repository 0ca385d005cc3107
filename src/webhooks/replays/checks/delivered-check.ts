/** Checks that every endpoint whose filters matched an event has a delivery of it. */
import type { CheckContext } from '../../../group/check-context.ts';
import type { EventCheck } from '../../../group/row-check.ts';
import type { LedgerEvent } from '../../../ledger/events/event.ts';
import { publicId } from '../../../values/ids.ts';
import { deliveryKey, readDeliveries, readSteadyEndpoints, type SteadyEndpoint } from './delivery-check-store.ts';

/** Endpoints are read before the events: one that is created meanwhile gets no event up to the bound. */
export const deliveredCheck: EventCheck = {
  name: 'deliveries of events',
  async begin(context) {
    const endpoints = await readSteadyEndpoints(context.pool, context.book.id);
    return (events) => checkDelivered(context, events, endpoints);
  },
};

/**
 * Whether the endpoint must have a delivery of an event, if its filters match. An event of the millisecond in which it was
 * created is not checked: either may have come first.
 */
function covers({ createdAt, replayedFrom }: SteadyEndpoint, event: LedgerEvent): boolean {
  return (
    (createdAt !== null && event.createdAt > createdAt) || (replayedFrom !== null && event.sequence >= replayedFrom)
  );
}

async function checkDelivered(
  { pool, book, report }: CheckContext,
  events: readonly LedgerEvent[],
  endpoints: readonly SteadyEndpoint[],
): Promise<void> {
  const last = events.at(-1);
  if (!last) return;
  const concerned = endpoints.filter((endpoint) => covers(endpoint, last));
  if (concerned.length === 0) return;
  const delivered = await readDeliveries(pool, book.id, {
    endpointIds: concerned.map(({ id }) => id),
    from: events[0]!.sequence,
    upTo: last.sequence,
  });
  for (const endpoint of concerned) {
    for (const event of events) {
      if (!covers(endpoint, event) || !endpoint.wants(event.type, event.objectId)) continue;
      if (delivered.has(deliveryKey(endpoint.id, event.sequence))) continue;
      report({
        check: 'delivery.missing',
        ids: {
          event: publicId('event', event.id),
          sequence: `${event.sequence}`,
          webhook_endpoint: publicId('webhookEndpoint', endpoint.id),
        },
        expected: 'a delivery',
        actual: 'none',
        detail: `The endpoint wanted ${event.type} and has no delivery of it.`,
      });
    }
  }
}
