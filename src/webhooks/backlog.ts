/**
 * The backlog of an endpoint: deliveries that it does not take at the pace at which they come. Then the endpoint is due,
 * and they are not: its row says when they are tried next, and one process drains them in the order of their events.
 *
 * | `behind_since` | `due_at` | |
 * |---|---|---|
 * | null | null | Every delivery has its own due time. |
 * | set | set | Behind. New deliveries are written without a due time of their own. |
 * | null | set | Caught up: new deliveries have their own due time again; what was written before is looked for once more. |
 *
 * Invariant: while `due_at` is null, no pending delivery of the endpoint lacks a due time of its own. So it becomes null
 * last, after a commit of the book from which on no delivery is written without one.
 * A delivery that was tried keeps the ladder of its attempts: it is due by itself, and joins those that wait when its time
 * comes while the endpoint is behind.
 * Next: change-backlog.ts (into and out of it), drain-backlog.ts (who empties it), backlog-store.ts (its columns).
 */
import type { Instant } from '../clock.ts';
import type { Uuid } from '../ids.ts';

export interface EndpointBacklog {
  /** The endpoint's. */
  readonly id: Uuid;
  readonly isDeleted: boolean;
  readonly behindSince: Instant | null;
  /** When those that wait are tried next, or until when a process has them in hand. Null when nothing waits. */
  readonly retryAt: Instant | null;
  /** No delivery of an event before this one waits. */
  readonly waitingFrom: bigint | null;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** For so long the deliveries of an endpoint belong to the process that drains them, unless it says so again. */
export const HELD_MS = 45 * SECOND;

/** A receiver that was away gets its events at most this long after it is back, and is asked no more often than that. */
const PAUSE_MAX_MS = MINUTE;
const FIRST_PAUSE_MS = 5 * SECOND;
/** Each pause is spread by as much either way, as the waits between attempts are. */
const PAUSE_SPREAD = 0.2;
/** As long as a receiver may put off a single delivery. */
const RETRY_AFTER_MAX_MS = 24 * 60 * MINUTE;

/** Milliseconds until an endpoint is tried again that took nothing so many times in a row, the last one counted. */
export function pauseMs(attempts: number, retryAfterMs: number | null, random: () => number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 10), PAUSE_MAX_MS);
  const spread = Math.round(pause * (1 - PAUSE_SPREAD + 2 * PAUSE_SPREAD * random()));
  return Math.max(spread, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

/**
 * Release 0.1.0 knows no due endpoints. Should it be put back, it finds deliveries by their own due times alone: so those
 * that wait have a late one, and not all the same, since each costs an update when it is reached.
 */
export const WAITING_DUE = {
  firstSeconds: 600,
  /** Between one delivery and the next: two updates a second. */
  spacingSeconds: 0.5,
  /** 200,000 deliveries; of a longer backlog more than two a second are reached. */
  spreadMaxSeconds: 100_000,
} as const;

/** Of the delivery that is so many events behind the first that waits. */
export function waitingDueSeconds(position: bigint): number {
  const { firstSeconds, spacingSeconds, spreadMaxSeconds } = WAITING_DUE;
  return firstSeconds + Math.min(Math.max(Number(position), 0) * spacingSeconds, spreadMaxSeconds);
}
