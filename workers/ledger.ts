/** Ledger pool: carries out the commands that post. Those of one book meet in this process's committer. */
import { reservePayouts } from '../src/payouts/reserve-payouts.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';

export function ledgerPool(runtime: Runtime): PoolDefinition {
  return definePool('ledger', {
    concurrency: 50, // jobs of a hundred rows: while one commit of a thousand runs, the next ones gather
    jobs: {
      'payout.reserve': ({ bookId, ids }) => reservePayouts(runtime, bookId, ids),
    },
  });
}
