/** Postgres stops at once and comes back: every process keeps running, and every accepted payout is there. */
import { afterEach, expect, test } from 'vitest';
import { ALL_POOLS, describeOnOneBackend } from '../support/product.ts';
import { type Stage, startStage } from './stage.ts';

describeOnOneBackend('Postgres stopped at once and started again', (backend) => {
  let stage: Stage | undefined;
  afterEach(() => stage?.close());

  test('in mid-run, twice: API and workers keep running, and nothing is lost or done twice', async () => {
    stage = await startStage({ backend, apis: 2, workers: { all: { pools: ALL_POOLS } }, ownPostgres: true });
    const load = await stage.load();
    for (const until of [100, 250]) {
      await load.untilAccepted(until);
      const { port } = stage.postgres!;
      await stage.postgres!.stop('immediate');
      await stage.postgres!.start();
      expect(stage.postgres!.port).toBe(port);
    }
    await load.untilAccepted(350);
    await stage.settleAndCheck(load);
    for (const one of [...stage.apis, stage.worker('all')]) {
      await one.terminate();
    }
  });
});
