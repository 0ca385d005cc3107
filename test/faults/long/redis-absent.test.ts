/** The processes start without their Redis, under load. What they say of it: redis-at-start.test.ts. */
import { afterEach, test } from 'vitest';
import { ALL_POOLS } from '../../support/product.ts';
import { describeWithRedis } from '../../support/redis.ts';
import { type Stage, startStage } from '../stage.ts';

const WORKERS = { one: { pools: ALL_POOLS }, other: { pools: ALL_POOLS } };

let stage: Stage | undefined;
afterEach(() => stage?.close());

describeWithRedis('Redis', () => {
  test('absent at the start: payouts are accepted, and paid once it is there', async () => {
    stage = await startStage({ backend: 'redis', workers: WORKERS, redisAbsent: true });
    const load = await stage.load();
    await load.untilAccepted(100);
    await stage.redis!.start();
    await load.untilAccepted(200);
    await stage.settleAndCheck(load);
  });
});
