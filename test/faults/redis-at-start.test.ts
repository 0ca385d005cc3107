/** What a process says of its Redis as it starts: one that may evict jobs is refused, one that is absent is waited for. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Role, startProcess } from '../../scripts/harness/processes.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { testEnvironment } from '../support/product.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts';

describeWithRedis('a process', () => {
  let database: TestDatabase;
  let redis: TestRedis;

  beforeAll(async () => {
    database = await createTestDatabase();
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis?.remove();
    await database?.drop();
  });

  const start = (role: Role) => startProcess(role, testEnvironment(database, redis, { LOG_LEVEL: 'error' }));

  test.each<[string, Role]>([
    ['an API', 'api'],
    ['a worker', ['ledger']],
  ])('%s does not start on a Redis that may evict jobs', async (_, role) => {
    await redis.client().config('SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(start(role)).rejects.toThrow(
      /did not start:\n(.*\n)*REDIS_URL: the setting maxmemory-policy of this Redis is allkeys-lru.*\nSet it to noeviction/,
    );
    await redis.client().config('SET', 'maxmemory-policy', 'noeviction');
  });

  test.each<[string, Role]>([
    ['an API', 'api'],
    ['a worker', ['ledger', 'sweeper']],
  ])('%s starts without its Redis, and logs it', async (_, role) => {
    await redis.kill();
    const started = await start(role);
    await expect
      .poll(() => started.output)
      .toContain('the queues do not answer; what is accepted waits in Postgres until they do');
    await started.terminate();
    await redis.start();
  });
});
