/**
 * kill -9 at every named failpoint of a payout and a payment, one after the other. `npm run faults` runs all failpoints, pool by
 * pool.
 */
import { afterEach, expect, test } from 'vitest';
import { FAILPOINTS } from '../../src/process/failpoints.ts';
import { ALL_POOLS, describeOnEachBackend } from '../support/product.ts';
import { type Stage, startStage } from './stage.ts';

/**
 * Without the failpoints that this load never or seldom reaches: batches of several books, endpoints that are behind,
 * notices of a rail, questions to endpoints that decide, orders of cards, files of banks, batches of payouts, files of a bank that are matched,
 * totals, reports and closes, the mirror of pools and the collection of fees.
 */
const POINTS = FAILPOINTS.filter(
  (point) =>
    !/^(ledger\.shared|sweeper|delivery|notice|backlog|endpoint|processor|bank|payout_batch|reconciliation|totals|report|period|mirror|fee|rail\.acknowledge)|enqueue\.after$/.test(
      point,
    ),
);

/** One payment in four passes them, or one in eight: these processes die there the first time. */
const SELDOM = /^acquirer\.(inquire|cancel)/;

describeOnEachBackend('a worker killed with -9', (backend) => {
  let stage: Stage | undefined;
  afterEach(() => stage?.close());

  test('at one failpoint after the other, and restarted each time, loses nothing and does nothing twice', async () => {
    stage = await startStage({ backend, workers: { all: { pools: ALL_POOLS } } });
    const load = await stage.load();
    const payments = await stage.paymentLoad();
    const worker = stage.worker('all');
    for (const [at, point] of POINTS.entries()) {
      await worker.kill();
      await stage.expireLeases();
      await worker.start({ failpoints: `${point}=kill@${SELDOM.test(point) ? 1 : 1 + at}` });
      await stage.untilEnded(worker);
      expect(worker.output).toContain(`failpoint ${point}: SIGKILL`);
    }
    await worker.start();
    await payments.stop();
    await stage.settleAndCheck(load);
  });
});
