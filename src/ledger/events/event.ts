/** Events: what happened in a book, in gapless order. An event is written in the commit of its change. */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { JobRow } from './job-row.ts';

export interface LedgerEvent {
  readonly sequence: bigint;
  readonly id: Uuid;
  readonly type: string;
  readonly objectId: Uuid;
  readonly requestId: Uuid;
  /** The actor as text: src/values/actor.ts. */
  readonly actor: string;
  readonly createdAt: Instant;
  /** The body for every receiver and reader, except for personal text (rows/personal-text.ts). */
  readonly payload: string;
  /** References to the personal text that is filled into the payload; null if it contains all of its text. */
  readonly textReferences: string | null;
  /** The leaf of the original event, if personal text was erased from the payload itself. */
  readonly leaf: Buffer | null;
}

/** An event as it is stored: its payload may be in a form (event-form.ts) instead of its body. */
export interface KeptEvent extends LedgerEvent {
  /** Null: the payload is the body. */
  readonly form: number | null;
  /** The first event of the object, from which the body is rendered too. Null in that event and in events stored whole. */
  readonly firstSequence: bigint | null;
}

/** A receiver of a book's events. */
export interface Subscriber {
  readonly id: Uuid;
  /**
   * Set while the subscriber is behind: the sequence of the first event that waits. New events wait behind that one,
   * and no job is enqueued.
   */
  readonly behindFrom: bigint | null;
  wants(eventType: string, objectId: Uuid): boolean;
  /** Whether an event of this type waits behind none, although the subscriber is behind. */
  isSentAtOnce?(eventType: string): boolean;
  /** The job that delivers an event to the subscriber. */
  jobOf(eventSequence: bigint, eventType: string): JobRow;
}

export interface Delivery {
  readonly eventSequence: bigint;
  readonly subscriberId: Uuid;
  /** The subscriber's `behindFrom` when the event was written. Null for an event that is sent at once. */
  readonly behindFrom: bigint | null;
  readonly createdAt: Instant;
}
