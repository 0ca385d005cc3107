/** Checks deliveries: event and endpoint of each exist, and a pending delivery is stuck, or it or its endpoint is due. */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { publicId } from '../../../values/ids.ts';
import { type DeliveryPlace, type DeliveryRow, readDeliveryReferences } from './delivery-check-store.ts';

/** The greatest value of a bigint column. */
const LAST_SEQUENCE = 9_223_372_036_854_775_807n;

export const deliveryCheck: RowCheck<DeliveryRow, DeliveryPlace> = {
  name: 'deliveries',
  pageRows: 10_000, // narrow rows
  read: ({ pool, book }, page) => readDeliveryReferences(pool, book.id, page),
  check: checkDelivery,
  // Ordered by endpoint: after the last event of this round, the next endpoint follows.
  placeOf: ({ endpointId, eventSequence }, until) => ({
    endpointId,
    eventSequence: until && eventSequence > until.head.eventSequence ? LAST_SEQUENCE : eventSequence,
  }),
};

function checkDelivery({ report }: CheckContext, delivery: DeliveryRow): void {
  const { endpointId, eventSequence, hasEvent, hasEndpoint, isForgotten } = delivery;
  if (isForgotten) {
    report({
      check: 'delivery.forgotten',
      ids: { webhook_endpoint: publicId('webhookEndpoint', endpointId), sequence: `${eventSequence}` },
      expected: 'a due time, of the delivery or of its endpoint',
      actual: 'none',
      detail: 'The delivery waits, and nothing leads to another attempt.',
    });
  }
  if (hasEvent && hasEndpoint) return;
  report({
    check: 'delivery.event',
    ids: { webhook_endpoint: publicId('webhookEndpoint', endpointId), sequence: `${eventSequence}` },
    expected: 'an event and an endpoint',
    actual: [hasEvent ? '' : 'no event', hasEndpoint ? '' : 'no endpoint'].filter(Boolean).join(', '),
    detail: 'A delivery is of nothing, or to nobody.',
  });
}
