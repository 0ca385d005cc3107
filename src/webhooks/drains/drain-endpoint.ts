/** Leases the backlog of an endpoint and drains it, in order (drain-in-order.ts) or as fast as it takes (drain-backlog.ts). */
import { LEASE_MS } from '../backlogs/backlog.ts';
import { claimBacklog, type LeasedBacklog } from '../backlogs/backlog-store.ts';
import { fallBehind } from '../backlogs/change-backlog.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { BacklogDrain, CLOCK_TOLERANCE_MS, type DrainContext } from './drain-backlog.ts';
import { OrderedDrain } from './drain-in-order.ts';

/** Drains an endpoint that is due, unless another process does. Resolves with whether the backlog is empty. */
export async function drainDue(context: DrainContext, outbox: Outbox): Promise<boolean> {
  const now = Math.floor(context.clock.now());
  const times = { now: now + CLOCK_TOLERANCE_MS, until: now + LEASE_MS };
  const lease = await context.statements.run(outbox.bookId, () => claimBacklog(context.pool, outbox, times));
  if (lease === undefined) return false;
  if (lease.ordered) return new OrderedDrain(context, outbox, lease).run();
  return new BacklogDrain(context, outbox, { lease, failedBefore: outbox.concurrency.failed }).run();
}

/** Deliveries were skipped: the endpoint falls behind and is drained at once. Resolves with whether the backlog is empty. */
export async function drainSkipped(context: DrainContext, outbox: Outbox): Promise<boolean> {
  // A failing endpoint is paused at once: its last attempts all failed.
  const failedBefore = outbox.concurrency.isFailing ? 0 : outbox.concurrency.failed;
  const skippedFrom = outbox.takeSkipped();
  if (skippedFrom === undefined) return true;
  const now = Math.floor(context.clock.now());
  const until = now + LEASE_MS;
  const { bookId, endpointId, ordered } = outbox;
  const answer = await context.committer.submit(
    bookId,
    fallBehind({ endpointId, now, leaseUntil: until, waitingFrom: skippedFrom }),
  );
  if (answer.state !== 'leased') return false;
  const { waitingFrom } = answer;
  const lease: LeasedBacklog = { until, behindSince: now, retryAttempts: 0, waitingFrom, ordered };
  if (ordered) return new OrderedDrain(context, outbox, lease).run();
  return new BacklogDrain(context, outbox, { lease, failedBefore }).run();
}
