/** kill -9 of the API before, during and after the commit of an answer. */
import { afterEach, expect, test } from 'vitest';
import { ALL_POOLS, describeOnEachBackend } from '../../support/product.ts';
import { type Stage, startStage } from '../stage.ts';

describeOnEachBackend('an API killed with -9', (backend) => {
  let stage: Stage | undefined;
  afterEach(() => stage?.close());

  test('around its commit gives no wrong answer: a retry under the same key finds the result', async () => {
    stage = await startStage({ backend, workers: { all: { pools: ALL_POOLS } } });
    const load = await stage.load();
    const api = stage.apis[0]!;
    await load.untilAccepted(30);
    for (const point of ['ledger.commit.before', 'ledger.commit.after', 'jobs.enqueue.before']) {
      await api.kill();
      await api.start({ failpoints: `${point}=kill@20` });
      await api.ended();
      expect(api.output).toContain(`failpoint ${point}: SIGKILL`);
    }
    await api.start();
    await load.untilAccepted(load.payouts().length + 100);
    await stage.settleAndCheck(load);
  });
});
