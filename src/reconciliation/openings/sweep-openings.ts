/** Openings with items to close: the mirror makes them after the bank account, and reports of before it come late. */
import type { Sweep, SweepContext } from '../../group/group.ts';
import { readBegunModes } from '../accounts/begun-modes-store.ts';
import { listAccountsWithItemsBefore } from './items-before-store.ts';

/** Every round enqueues these jobs again until they are done: a queue merges repetitions for so long. */
const NAMED_MS = 30_000;

export function sweepOpenings(context: SweepContext): Sweep {
  return {
    name: 'items before openings of bank accounts',
    async round() {
      let enqueued = 0;
      for (const { bookId } of await readBegunModes(context.pool)) {
        const ids = await listAccountsWithItemsBefore(context.pool, bookId);
        if (ids.length === 0) continue;
        const jobs = [{ job: 'opening.close' as const, bookId, ids }];
        await context.enqueue(jobs, { pool: 'ledger', namedMs: NAMED_MS, now: context.clock.now() });
        enqueued += ids.length;
      }
      return enqueued;
    },
  };
}
