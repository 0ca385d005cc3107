/** Runs whose bank account was made since: the sweeper enqueues them, and the reports pool takes their statements up from the bytes that are kept. */
import type { Sweep, SweepContext } from '../../group/group.ts';
import { readBegunModes } from '../accounts/begun-modes-store.ts';
import { findRunsToTakeUp } from './waiting-run-store.ts';

/** Every round enqueues these jobs again until they are done: a queue merges repetitions for so long. */
const NAMED_MS = 30_000;
/** Statements of one account that a round looks at. The next round finds those behind them. */
const AT_ONCE = 100;

export function sweepWaitingRuns({ pool, clock, enqueue }: SweepContext): Sweep {
  return {
    name: 'reconciliations whose bank account was made since',
    async round() {
      let enqueued = 0;
      for (const { bookId } of await readBegunModes(pool)) {
        const found = await findRunsToTakeUp(pool, bookId, AT_ONCE);
        const jobs = found.map((id) => ({ job: 'reconciliation.run' as const, bookId, ids: [id] }));
        if (jobs.length > 0) await enqueue(jobs, { pool: 'reports', namedMs: NAMED_MS, now: clock.now() });
        enqueued += jobs.length;
      }
      return enqueued;
    },
  };
}
