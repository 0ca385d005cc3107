/** Payouts over a Redis Cluster. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Product, startProduct } from '../support/product.ts';
import { describeWithRedis } from '../support/redis.ts';
import { startRedisCluster, type TestRedisCluster } from '../support/redis-cluster.ts';

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
