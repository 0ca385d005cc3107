/** Rails pool: carries reserved payouts to their rail, and brings the answers back. */
import { inquirePayouts, submitPayouts } from '../src/payouts/send-payouts.ts';
import { takeNotices } from '../src/payouts/take-notices.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';
import { warnSeldom } from '../src/seldom.ts';

export function railsPool(runtime: Runtime): PoolDefinition {
  const warnUnclaimed = warnSeldom(runtime.log, 'a rail tells of payouts that are not there, and will again');
  const noticeRuntime = { ...runtime, warnUnclaimed };
  return definePool('rails', {
    concurrency: 50, // a rail call waits on the network, not on this machine's cores
    jobs: {
      'payout.submit': ({ bookId, ids }) => submitPayouts(runtime, bookId, ids),
      'payout.inquire': ({ bookId, ids }) => inquirePayouts(runtime, bookId, ids),
      'rail.notices': ({ ids }) => Promise.all(ids.map((name) => takeNotices(noticeRuntime, name))),
    },
  });
}
