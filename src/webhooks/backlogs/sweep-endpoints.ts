/**
 * Sweep of endpoints whose backlog is due, each as one id whatever waits for it. A book has at most fifty, so that no
 * book delays another.
 */
import { byBook } from '../../db/by-book.ts';
import type { Sweep, SweepContext, SweptJob } from '../../group/group.ts';
import { findDueEndpoints, postponeDueEndpoints } from './backlog-store.ts';

/** Beyond a queue's usual wait. A process that drains one has a longer lease. */
const AGAIN_MS = 30_000;
const PAGE = 1_000;

export function sweepEndpoints({ pool, clock, enqueue }: SweepContext): Sweep[] {
  /** One page; resolves to how many endpoints were enqueued. */
  async function round(): Promise<number> {
    const now = clock.now();
    const due = await findDueEndpoints(pool, { now, limit: PAGE });
    const jobs: SweptJob[] = [];
    for (const [bookId, ofBook] of byBook(due)) {
      const ids = await postponeDueEndpoints(pool, bookId, ofBook, now + AGAIN_MS);
      if (ids.length > 0) jobs.push({ job: 'endpoint.drain', bookId, ids });
    }
    await enqueue(jobs, { pool: 'webhooks', namedMs: AGAIN_MS, now });
    return jobs.reduce((sum, { ids }) => sum + ids.length, 0);
  }
  return [{ name: 'webhook endpoints', round }];
}
