/** Runs whose bank account was made since: the sweeper enqueues them, and the reports pool takes their statements up from the bytes that are kept. */
import type { Sweep, SweepContext } from '../../group/group.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { BEFORE_ALL_IDS } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { readBegunModes } from '../accounts/begun-modes-store.ts';
import { findRunsToTakeUp } from './waiting-run-store.ts';

/** Every round enqueues these jobs again until they are done: a queue merges repetitions for so long. */
const NAMED_MS = 30_000;
const PAGE = 100;

export function sweepWaitingRuns(context: SweepContext): Sweep {
  return {
    name: 'reconciliations whose bank account was made since',
    async round() {
      let enqueued = 0;
      for (const { bookId } of await readBegunModes(context.pool)) enqueued += await enqueueWaiting(context, bookId);
      return enqueued;
    },
  };
}

async function enqueueWaiting({ pool, clock, enqueue, isClosing }: SweepContext, bookId: BookId): Promise<number> {
  let enqueued = 0;
  for (let after = BEFORE_ALL_IDS; !isClosing(); ) {
    const found = await findRunsToTakeUp(pool, bookId, { after, limit: PAGE });
    const jobs = found.map((id) => ({ job: 'reconciliation.run' as const, bookId, ids: [id] }));
    if (jobs.length > 0) await enqueue(jobs, { pool: 'reports', namedMs: NAMED_MS, now: clock.now() });
    enqueued += jobs.length;
    if (found.length < PAGE) break;
    after = further('reconciliations whose bank account was made since', after, found.at(-1)!);
  }
  return enqueued;
}
