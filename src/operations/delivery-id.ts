/** A delivery is named by its event's sequence and its endpoint: `<event sequence>:<endpoint UUID>`, as bells carry it. */
import type { Uuid } from '../ids.ts';

export interface DeliveryKey {
  readonly eventSequence: bigint;
  readonly endpointId: Uuid;
}

export function deliveryId({ eventSequence, endpointId }: DeliveryKey): string {
  return `${eventSequence}:${endpointId}`;
}

/** Throws on any other text: a bell that names nothing is a bug of whoever rang it. */
export function parseDeliveryId(id: string): DeliveryKey {
  const at = id.indexOf(':');
  const sequence = id.slice(0, at);
  if (at < 1 || !/^\d{1,19}$/.test(sequence)) throw new TypeError(`Not the id of a delivery: ${id}`);
  return { eventSequence: BigInt(sequence), endpointId: id.slice(at + 1) };
}
