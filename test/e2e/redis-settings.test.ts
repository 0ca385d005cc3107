/** The checks of Redis' settings at start, and payouts over a Redis Cluster. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Role, startProcess } from '../../scripts/harness/processes.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type Product, startProduct, testEnvironment } from '../support/product.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { startRedisCluster, type TestRedisCluster } from '../support/redis-cluster.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

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

describeWithRedis('on a Redis Cluster', () => {
  let cluster: TestRedisCluster;
  let product: Product;

  beforeAll(async () => {
    cluster = await startRedisCluster();
    const environment = { REDIS_URL: cluster.urls, QUEUE_LANES: '4' };
    product = await startProduct({ backend: 'postgres', environment });
  });
  afterAll(async () => {
    await product?.close();
    await cluster?.remove();
  });

  test('payouts of several books are paid', async () => {
    const books = await Promise.all(Array.from({ length: 5 }, () => product.organisation()));
    expect(product.runtime.queues.backend).toBe('redis');
    await Promise.all(
      books.map(async ({ client }) => {
        const account = await client.openAccount({ funds: 10_000 });
        const { body } = await client.requestPayout({ account: account.id, amount: 100 });
        await client.payoutUntil(body.id, 'paid');
      }),
    );
    const keys = (await cluster.keys()).flat();
    expect(keys.some((key) => key.startsWith('countinghouse:{ledger-'))).toBe(true);
  });
});
