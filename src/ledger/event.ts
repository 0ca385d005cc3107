/** Events: what happened in a book, in gapless order. An event is written in the commit of its change. */
import type { Instant } from '../clock.ts';
import type { Uuid } from '../ids.ts';
import type { JobRow } from './job-row.ts';

export interface LedgerEvent {
  readonly sequence: bigint;
  readonly id: Uuid;
  readonly type: string;
  readonly objectId: Uuid;
  readonly requestId: Uuid;
  /** The actor as text: src/actor.ts. */
  readonly actor: string;
  readonly createdAt: Instant;
  /** The body of every receiver and reader, but for personal text (personal-text.ts). */
  readonly payload: string;
  /** The references that the payload may be filled in with; null where it holds all of its text. */
  readonly textReferences: string | null;
  /** The leaf of the event as it was, where personal text was erased from the payload itself. */
  readonly leaf: Buffer | null;
}

/** An event as it is written: its payload may be less than its body (event-form.ts). */
export interface KeptEvent extends LedgerEvent {
  /** Null: the payload is the body. */
  readonly form: number | null;
  /** The first event of the object, which the body takes from as well; null in that one and in whole ones. */
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
  /** The job that delivers an event to the subscriber. */
  jobOf(eventSequence: bigint): JobRow;
}

export interface Delivery {
  readonly eventSequence: bigint;
  readonly subscriberId: Uuid;
  /** The subscriber's `behindFrom` when the event was written. */
  readonly behindFrom: bigint | null;
  readonly createdAt: Instant;
}
