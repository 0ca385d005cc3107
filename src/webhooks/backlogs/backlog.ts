/**
 * The backlog of an endpoint: deliveries that wait because events come faster than the endpoint accepts them. The
 * endpoint is then due instead of its deliveries. Its row has the time of the next attempt, and one process drains the
 * deliveries in the order of their events.
 *
 * | `behind_since` | `due_at` | |
 * |---|---|---|
 * | null | null | Every delivery has its own due time. |
 * | set | set | Behind. New deliveries are written without a due time of their own. |
 * | null | set | Caught up. New deliveries have their own due time again; earlier ones are read once more. |
 *
 * Invariant: while `due_at` is null, no pending delivery of the endpoint lacks a due time of its own. So `due_at`
 * becomes null last, after the commit of the book from which on every delivery is written with a due time. A delivery
 * that was attempted keeps its retry schedule and its own due time. When that time comes while the endpoint is behind,
 * the delivery joins the backlog.
 * Next: change-backlog.ts (falls behind and catches up), drain-backlog.ts (drains), backlog-store.ts (its columns).
 */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface EndpointBacklog {
  /** The endpoint's id. */
  readonly id: Uuid;
  readonly isDeleted: boolean;
  readonly isOrdered: boolean;
  readonly behindSince: Instant | null;
  /** When the backlog is drained next, or when its lease expires. Null when no delivery waits. */
  readonly retryAt: Instant | null;
  /** No delivery of an earlier event waits. An ordered endpoint keeps it when its backlog ends: its next drain begins there. */
  readonly waitingFrom: bigint | null;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How long a lease lasts before its process must renew it. */
export const LEASE_MS = 45 * SECOND;

/** The longest pause, before its spread: an endpoint that has recovered gets its events within this time. */
const PAUSE_MAX_MS = MINUTE;
const FIRST_PAUSE_MS = 5 * SECOND;
/** Each pause is spread by this fraction either way, as the waits between attempts are. */
const PAUSE_SPREAD = 0.2;
/** The same limit as for the Retry-After of a single delivery. */
const RETRY_AFTER_MAX_MS = 24 * 60 * MINUTE;

/**
 * The pause before the next attempt at a failing endpoint, in milliseconds. `attempts` counts the failed ones in a row.
 */
export function pauseMs(attempts: number, retryAfterMs: number | null, random: () => number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 10), PAUSE_MAX_MS);
  const spread = Math.round(pause * (1 - PAUSE_SPREAD + 2 * PAUSE_SPREAD * random()));
  return Math.max(spread, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}
