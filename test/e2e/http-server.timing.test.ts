/** Limits shared between processes: what they allow within a second. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from '../../scripts/harness/client.ts';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/process/log.ts';
import { createRuntime } from '../../src/runtime.ts';
import { startApi } from '../../src/server.ts';
import { makeOrganisation, type Product, startProduct, testEnvironment } from '../support/product.ts';
import { describeWithRedis, startRedis } from '../support/redis.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', pools: [] });
});
afterAll(() => product?.close());

describeWithRedis('limits over Redis', () => {
  test('hold for several processes together, and for each alone when Redis is gone', async () => {
    const redis = await startRedis();
    const environment = { ...testEnvironment(product.database, redis), RATE_LIMIT_WRITES_PER_SECOND: '40' };
    const start = async () => {
      const runtime = createRuntime(readConfig(environment), createLogger('silent', 'test'));
      await runtime.readInstallation();
      const api = await startApi(runtime);
      return { runtime, api, client: new Client(api.url, testKey) };
    };
    const { testKey } = await makeOrganisation(product.runtime.pool);
    const processes = [await start(), await start()];
    const allowed = async () => {
      const answers = await Promise.all(
        processes.flatMap(({ client }) => Array.from({ length: 60 }, () => client.post('/v1/idempotency_keys/k/void'))),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
      return answers.filter(({ status }) => status === 200).length;
    };
    await new Promise((resolve) => setTimeout(resolve, 300)); // until both are connected
    const began = performance.now();
    const together = await allowed();
    // A window a second, and one more, since it may have begun before: on a slow machine the requests take longer than one.
    const windows = Math.ceil((performance.now() - began) / 1_000) + 1;
    expect(together).toBeGreaterThanOrEqual(36);
    expect(together).toBeLessThanOrEqual(42 * windows);
    await redis.remove();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await allowed()).toBeGreaterThanOrEqual(76);
    for (const { client, api, runtime } of processes) {
      await client.close();
      await api.close();
      await runtime.close();
    }
  });
});
