/** Events: what happened, in the book's gapless order, written in the same commit as what they tell of. */
import type { Instant } from '../clock.ts';
import type { Uuid } from '../ids.ts';

export interface LedgerEvent {
  readonly sequence: bigint;
  readonly id: Uuid;
  readonly type: string;
  readonly objectId: Uuid;
  readonly requestId: Uuid;
  /** Who made it happen: `api_key:key_…`, or the part of the product that acted on its own. */
  readonly actor: string;
  readonly createdAt: Instant;
  /** The body as every receiver and reader gets it, to the byte. */
  readonly payload: string;
}

/** Somebody to whom events of a book are delivered. */
export interface Subscriber {
  readonly id: Uuid;
  /** Where it is behind: the first event that waits for it. What is new waits behind that, and no job is enqueued. */
  readonly behindFrom: bigint | null;
  wants(eventType: string, objectId: Uuid): boolean;
}

export interface Delivery {
  readonly eventSequence: bigint;
  readonly subscriberId: Uuid;
  /** The subscriber's, when the event was written. */
  readonly behindFrom: bigint | null;
  readonly createdAt: Instant;
}
