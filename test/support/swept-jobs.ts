/** What a sweep of a group enqueues, without queues. */
import type { Pool } from '../../src/db/pool.ts';
import type { Sweep, SweepContext, SweptJob } from '../../src/group/group.ts';
import { type Clock, systemClock } from '../../src/values/clock.ts';

export function sweeping(
  sweepOf: (context: SweepContext) => Sweep,
  { pool, clock = systemClock }: { readonly pool: Pool; readonly clock?: Clock },
): () => Promise<SweptJob[]> {
  const swept: SweptJob[] = [];
  const context: Pick<SweepContext, 'pool' | 'clock' | 'isClosing' | 'enqueue'> = {
    ...{ pool, clock, isClosing: () => false },
    enqueue: async (jobs) => {
      swept.push(...jobs);
    },
  };
  const sweep = sweepOf(context as SweepContext);
  return async () => {
    await sweep.round();
    return swept.splice(0);
  };
}
