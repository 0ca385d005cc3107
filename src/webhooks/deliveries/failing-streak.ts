/**
 * A streak of failures: attempts of an endpoint that failed, with no answer of 2xx between them and none of them more
 * than five days after the one before. An endpoint is disabled when its streak has lasted five days and the last five
 * days saw failures of more than one event. So one event that the receiver cannot accept disables nothing, however long
 * it is retried, and neither does a failure of last week that nothing followed.
 *
 * The row of the endpoint has the streak, written with the results by the deliverer (endpoint-health-store.ts).
 * Decision: docs/decisions/failing-streaks.md.
 */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { type DeliveryResult, FAILING_LIMIT_MS, hasArrived } from './delivery.ts';

export interface FailingStreak {
  readonly failingSince: Instant | null;
  /** The last failure of another event than the last one's. Of an earlier streak if it is before `failingSince`. */
  readonly failedOtherAt: Instant | null;
}

/** Whether the streak, which includes a failure at `at`, disables its endpoint. */
export function hasFailedForDays({ failingSince, failedOtherAt }: FailingStreak, at: Instant): boolean {
  if (failingSince === null || failedOtherAt === null || at - failingSince < FAILING_LIMIT_MS) return false;
  return failedOtherAt >= failingSince && at - failedOtherAt <= FAILING_LIMIT_MS;
}

/** The failures of one endpoint in a batch of results of which none arrived. */
export interface Failures {
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  /** The event of the last failure. */
  readonly event: bigint;
  /** The last failure of another event. */
  readonly otherAt: Instant | null;
}

/** The health of endpoints after a batch of results: null where an attempt arrived, which outweighs all failures. */
export function healthOf(results: readonly DeliveryResult[]): Map<Uuid, Failures | null> {
  const health = new Map<Uuid, Failures | null>();
  for (const { endpointId, eventSequence, attempt } of results) {
    if (attempt === null) continue;
    const known = health.get(endpointId);
    if (hasArrived(attempt)) health.set(endpointId, null);
    else if (known !== null) health.set(endpointId, withFailure(known, eventSequence, attempt.startedAt));
  }
  return health;
}

function withFailure(known: Failures | undefined, event: bigint, at: Instant): Failures {
  if (known === undefined) return { firstAt: at, lastAt: at, event, otherAt: null };
  const firstAt = Math.min(known.firstAt, at);
  const { lastAt, event: lastEvent, otherAt } = known;
  if (at < lastAt) {
    const isOther = event !== lastEvent && (otherAt === null || at > otherAt);
    return { ...known, firstAt, otherAt: isOther ? at : otherAt };
  }
  return { firstAt, lastAt: at, event, otherAt: event === lastEvent ? otherAt : lastAt };
}
