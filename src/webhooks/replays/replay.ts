/**
 * A replay: a request to deliver events of the past to one endpoint. Workers carry it out a page of events at a time, and
 * the drain of the endpoint's backlog makes the attempts. It is a row and not a loop, since a backlog of months is longer
 * than a command or a request may be, and a killed worker goes on where it was.
 * Next: ask-replay.ts (the requests), replay-store.ts (a page).
 */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type ReplayKind =
  /** One delivery, whatever its status. */
  | 'resend'
  /** Deliveries that failed or were canceled. */
  | 'recover'
  /** Events that match the endpoint's filters and were never written for it. */
  | 'missing';

export type ReplayStatus =
  /** The webhooks pool carries it out, and the sweeper enqueues it while it is due. */
  | 'pending'
  /** Every delivery waits in the endpoint's backlog. Final. */
  | 'done';

/** The longest time between the first and the last event of a replay. */
export const REPLAY_MAX_MS = 90 * 24 * 60 * 60 * 1_000;

export interface Replay {
  readonly id: Uuid;
  readonly endpointId: Uuid;
  readonly kind: ReplayKind;
  readonly status: ReplayStatus;
  /** Events at or after, in the book's own time. Null for a single event. */
  readonly since: Instant | null;
  /** Events before. Null: all up to the first page. */
  readonly until: Instant | null;
  /** Sequences of events: looked up with the first page, and null until then. */
  readonly firstSequence: bigint | null;
  readonly nextSequence: bigint | null;
  readonly throughSequence: bigint | null;
  /** The endpoint's when it was asked for. */
  readonly endpointVersion: number;
  readonly requestId: Uuid;
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
}
