/**
 * Enqueues endpoints whose backlog is due, each as one id whatever waits for it. A book has at most fifty, so that none
 * holds back another's.
 */
import type { Clock } from '../src/clock.ts';
import type { Pool } from '../src/db/pool.ts';
import { byBook } from '../src/db/by-book.ts';
import { laneOf } from '../src/queue/job.ts';
import type { QueueJob, Queues } from '../src/queue/queues.ts';
import { findDueEndpoints, postponeDueEndpoints } from '../src/webhooks/backlog-store.ts';
import { namedAgain, QUEUE_LIMIT_MS } from './enqueue-due.ts';

export interface EnqueueEndpointsRuntime {
  readonly pool: Pool;
  readonly queues: Pick<Queues, 'add' | 'lanes'>;
  readonly clock: Clock;
}

/** Beyond a queue's usual wait. Whoever takes one in hand holds it for longer. */
const AGAIN_MS = 30_000;
const PAGE = 1_000;

/** One page; resolves to how many endpoints were enqueued. Rejects when nothing can be read or enqueued. */
export async function enqueueEndpoints({ pool, queues, clock }: EnqueueEndpointsRuntime): Promise<number> {
  const now = clock.now();
  const due = await findDueEndpoints(pool, { now, limit: PAGE });
  const jobs = new Map<number, QueueJob[]>();
  let enqueued = 0;
  for (const [bookId, ofBook] of byBook(due)) {
    const ids = await postponeDueEndpoints(pool, bookId, ofBook, now + AGAIN_MS);
    if (ids.length === 0) continue;
    const lane = laneOf(bookId, queues.lanes);
    const job = namedAgain({ name: 'endpoint.drain', data: { bookId, ids } }, { now, namedMs: AGAIN_MS });
    jobs.set(lane, [...(jobs.get(lane) ?? []), job]);
    enqueued += ids.length;
  }
  for (const [lane, ofLane] of jobs) await queues.add('webhooks', lane, ofLane, { limitMs: QUEUE_LIMIT_MS });
  return enqueued;
}
