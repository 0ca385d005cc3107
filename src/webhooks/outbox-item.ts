/** A delivery in an outbox (outbox.ts). */
import type { DeliveryInHand, DeliveryKey } from './delivery.ts';

export interface Item {
  readonly key: DeliveryKey;
  readonly fromBacklog: boolean;
  /** The backlog contains the delivery too, so that it may have no due time of its own. */
  alsoInBacklog: boolean;
  /** Waits for nothing but a slot: neither behind the backlog nor for the endpoint's concurrency. */
  readonly atOnce: boolean;
  readonly ended: Promise<void>;
  readonly end: (error?: unknown) => void;
}

export interface LoadedItem {
  readonly item: Item;
  readonly delivery: DeliveryInHand;
}

export function newItem(key: DeliveryKey, { fromBacklog, atOnce }: Pick<Item, 'fromBacklog' | 'atOnce'>): Item {
  let end: Item['end'] | undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  if (fromBacklog) ended.catch(() => undefined);
  return { key, fromBacklog, alsoInBacklog: fromBacklog, atOnce, ended, end: end! };
}
