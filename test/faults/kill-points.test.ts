/** kill -9 at every named point of a payout's way, one after the other. `npm run faults` has them all, pool by pool. */
import { afterEach, expect, test } from 'vitest';
import { FAILPOINTS } from '../../src/failpoints.ts';
import { ALL_POOLS, describeOnEachBackend } from '../support/product.ts';
import { FAULT_LIMIT_MS, type Stage, startStage } from './stage.ts';

/** Not those that an ordinary load seldom or never passes: an endpoint that is behind, a rail that tells something. */
const POINTS = FAILPOINTS.filter(
  (point) => !/^(sweeper|delivery|notice|backlog|rail\.acknowledge)|enqueue\.after$/.test(point),
);

describeOnEachBackend('a worker killed with -9', (backend) => {
  let stage: Stage | undefined;
  afterEach(() => stage?.close());

  test(
    'at one point after the other, and started each time, loses nothing and does nothing twice',
    async () => {
      stage = await startStage({ backend, workers: { all: { pools: ALL_POOLS } } });
      const load = await stage.load();
      const worker = stage.worker('all');
      for (const [at, point] of POINTS.entries()) {
        await worker.kill();
        await worker.start({ failpoints: `${point}=kill@${1 + at}` });
        await worker.ended();
        expect(worker.output).toContain(`failpoint ${point}: SIGKILL`);
      }
      await worker.start();
      await stage.settleAndCheck(load);
    },
    FAULT_LIMIT_MS,
  );
});
