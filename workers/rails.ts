/** Rails pool: carries reserved payouts to their rail, and brings the answers back. */
import { inquirePayouts, submitPayouts } from '../src/payouts/send-payouts.ts';
import { takeNotices } from '../src/payouts/take-notices.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';

export function railsPool(runtime: Runtime): PoolDefinition {
  return definePool('rails', {
    concurrency: 50, // a rail call waits on the network, not on this machine's cores
    jobs: {
      'payout.submit': ({ bookId, ids }) => submitPayouts(runtime, bookId, ids),
      'payout.inquire': ({ bookId, ids }) => inquirePayouts(runtime, bookId, ids),
      'rail.notices': ({ ids }) => Promise.all(ids.map((name) => takeNotices(runtime, name))),
    },
  });
}
