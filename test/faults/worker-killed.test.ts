/** kill -9 at points between two commits: what was under way is found again, and happens once. */
import { afterEach, expect, test } from 'vitest';
import { FAILPOINTS } from '../../src/failpoints.ts';
import { ALL_POOLS, describeOnEachBackend } from '../support/product.ts';
import { type Stage, startStage } from './stage.ts';

const TIMEOUT_MS = 400_000;

describeOnEachBackend('a process killed with -9', (backend) => {
  let stage: Stage | undefined;
  afterEach(() => stage?.close());

  test(
    'a worker killed between the rail and the commit asks the rail, and pays once',
    async () => {
      stage = await startStage({
        backend,
        workers: {
          rails: { pools: ['rails'], failpoints: 'rail.submit.after=kill@20' },
          others: { pools: ['ledger', 'webhooks', 'sweeper'] },
        },
      });
      const load = await stage.load();
      const worker = stage.worker('rails');
      await worker.ended();
      // The money has left, and the ledger does not know it.
      const [torn] = await stage.query<{ count: bigint }>(`
        SELECT count(*) FROM sandbox_rail.instructions i
        JOIN payouts p ON p.book_id::text = i.originator AND p.end_to_end_id = i.end_to_end_id
        WHERE i.status = 'paid' AND p.status = 'processing'`);
      expect(torn!.count).toBeGreaterThan(0n);
      await load.untilAccepted(200);
      await worker.start();
      await load.untilAccepted(300);
      await stage.settleAndCheck(load);
    },
    TIMEOUT_MS,
  );

  test(
    'a worker that is killed at one point after the other, and started each time, loses nothing and does nothing twice',
    async () => {
      stage = await startStage({ backend, workers: { all: { pools: ALL_POOLS } } });
      const load = await stage.load();
      const worker = stage.worker('all');
      for (const [at, point] of FAILPOINTS.entries()) {
        await worker.kill();
        await worker.start({ failpoints: `${point}=kill@${1 + at}` });
        await worker.ended();
        expect(worker.output).toContain(`failpoint ${point}: SIGKILL`);
      }
      await worker.start();
      await stage.settleAndCheck(load);
    },
    TIMEOUT_MS,
  );

  test(
    'an API killed around its commit has told nobody anything wrong: the same key finds what happened',
    async () => {
      stage = await startStage({ backend, workers: { all: { pools: ALL_POOLS } } });
      const load = await stage.load();
      const api = stage.apis[0]!;
      await load.untilAccepted(30);
      for (const point of ['ledger.commit.before', 'ledger.commit.after', 'doorbell.ring.before']) {
        await api.kill();
        await api.start({ failpoints: `${point}=kill@20` });
        await api.ended();
        expect(api.output).toContain(`failpoint ${point}: SIGKILL`);
      }
      await api.start();
      await load.untilAccepted(load.payouts().length + 100);
      await stage.settleAndCheck(load);
    },
    TIMEOUT_MS,
  );
});
