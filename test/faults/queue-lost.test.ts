/** The queue loses everything: jobs are lost, rows are not. */
import { afterEach, expect, test } from 'vitest';
import { ALL_POOLS, describeOnOneBackend } from '../support/product.ts';
import { describeWithRedis } from '../support/redis.ts';
import { type Stage, startStage } from './stage.ts';

const WORKERS = { one: { pools: ALL_POOLS }, other: { pools: ALL_POOLS } };

let stage: Stage | undefined;
afterEach(() => stage?.close());

describeOnOneBackend('a queue that loses its jobs', (backend) => {
  test('in mid-run, several times: every payout ends and every event arrives', async () => {
    stage = await startStage({ backend, workers: WORKERS });
    const redis = stage.redis?.client();
    const load = await stage.load();
    for (const until of [60, 120, 180, 240]) {
      await load.untilAccepted(until);
      if (redis) await redis.flushall();
      else await stage.query('DELETE FROM bullmq.job');
    }
    await load.untilAccepted(300);
    await stage.settleAndCheck(load);
  });
});

describeWithRedis('Redis', () => {
  test('gone for a while, and back empty: payouts are accepted throughout, and paid when it is back', async () => {
    stage = await startStage({ backend: 'redis', workers: WORKERS });
    const load = await stage.load();
    await load.untilAccepted(50);
    await stage.redis!.kill();
    await load.untilAccepted(200);
    await stage.redis!.start();
    await load.untilAccepted(300);
    await stage.settleAndCheck(load);
    for (const name of Object.keys(WORKERS)) expect(stage.worker(name).running).toBe(true);
  });
});
