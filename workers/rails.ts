/** Rails pool: carries reserved payouts to their rail, and brings the answers back. */
import type { OutsideCalls } from '../src/outside/call-shares.ts';
import { inquirePayouts, submitPayouts } from '../src/payouts/send-payouts.ts';
import { takeNotices } from '../src/payouts/take-notices.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';
import { warnSeldom } from '../src/seldom.ts';

/** `calls` says when each rail is called; a job ends when its payouts are in its hands. */
export function railsPool(runtime: Runtime, calls: OutsideCalls): PoolDefinition {
  const warnUnclaimed = warnSeldom(runtime.log, 'a rail tells of payouts that are not there, and will again');
  const noticeRuntime = { ...runtime, warnUnclaimed };
  const sending = { ...runtime, calls };
  return definePool('rails', {
    concurrency: 50, // a job waits for Postgres alone: it loads its payouts, and their calls are made in turn
    jobs: {
      'payout.submit': ({ bookId, ids }) => submitPayouts(sending, bookId, ids),
      'payout.inquire': ({ bookId, ids }) => inquirePayouts(sending, bookId, ids),
      'rail.notices': ({ ids }) => Promise.all(ids.map((name) => takeNotices(noticeRuntime, name))),
    },
  });
}
