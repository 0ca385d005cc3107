/** Jobs on a Redis Cluster: the contract of a single Redis, and partitions spread over the nodes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEnqueuer } from '../../../src/queue/enqueuer.ts';
import { partitionOf, queueName } from '../../../src/queue/job.ts';
import { startPool } from '../../../src/queue/pool.ts';
import { createQueues } from '../../../src/queue/queues.ts';
import { newId } from '../../../src/values/ids.ts';
import { describeWithRedis } from '../../support/redis.ts';
import { startRedisCluster, type TestRedisCluster } from '../../support/redis-cluster.ts';
import { Answered, LIMIT, queueContract, reserve, silent } from './queue-contract.ts';

const PARTITIONS = 8;

describeWithRedis('queues on a Redis Cluster', () => {
  let cluster: TestRedisCluster;
  const config = (facts: { REDIS_URL?: string; REDIS_CLUSTER?: boolean; QUEUE_LANES?: number } = {}) => ({
    DATABASE_URL: 'postgres://unused',
    REDIS_URL: cluster.urls,
    QUEUE_LANES: 1,
    ...facts,
  });

  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  beforeEach(() => cluster.flush());
  afterAll(() => cluster?.remove());

  queueContract(config);

  describe('with several partitions', () => {
    test('partitions of a pool are spread over the nodes, and all keys of a partition are on one node', async () => {
      const queues = createQueues(config({ QUEUE_LANES: PARTITIONS }), silent);
      for (let partition = 0; partition < PARTITIONS; partition++) {
        const job = { name: 'payout.reserve' as const, data: { bookId: 'book', ids: [`${partition}`] } };
        await queues.add('ledger', partition, [job], LIMIT);
      }
      await queues.close();
      const keys = await cluster.keys();
      expect(keys.filter((ofNode) => ofNode.length > 0).length).toBeGreaterThan(1);
      for (let partition = 0; partition < PARTITIONS; partition++) {
        const holding = keys.filter((ofNode) => ofNode.some((key) => key.includes(queueName('ledger', partition))));
        expect(holding).toHaveLength(1);
      }
    });

    test('jobs of many books are enqueued and processed, each in the partition of its book', async () => {
      const queues = createQueues(config({ QUEUE_LANES: PARTITIONS }), silent);
      const enqueuer = createEnqueuer({ queues, log: silent });
      const answered = new Answered();
      const books = Array.from({ length: 40 }, () => newId());
      for (const book of books) enqueuer.enqueue(book, [reserve(book)]);
      await expect
        .poll(async () => (await queues.depths(LIMIT)).reduce((sum, { states }) => sum + states.waiting, 0))
        .toBe(books.length);
      const waiting = (await queues.depths(LIMIT)).filter(({ pool }) => pool === 'ledger');
      expect(waiting.map(({ states }) => states.waiting)).toEqual(
        Array.from(
          { length: PARTITIONS },
          (_, partition) => books.filter((book) => partitionOf(book, PARTITIONS) === partition).length,
        ),
      );
      const pool = startPool(answered.pool, { queues, log: silent });
      await expect.poll(() => answered.ids.toSorted()).toEqual(books.toSorted());
      await enqueuer.close();
      await pool.close(LIMIT);
      await queues.close();
    });
  });

  test("a client connects with one node's address", async () => {
    const [first] = cluster.urls.split(',');
    const queues = createQueues(config({ REDIS_URL: first!, REDIS_CLUSTER: true, QUEUE_LANES: PARTITIONS }), silent);
    expect(await queues.depths(LIMIT)).toHaveLength(5 * PARTITIONS);
    await queues.close();
  });

  test('partitions of a node that was killed and started again are processed again', async () => {
    const queues = createQueues(config({ QUEUE_LANES: PARTITIONS }), silent);
    const enqueuer = createEnqueuer({ queues, log: silent, flushLimitMs: 300 });
    const answered = new Answered();
    const pool = startPool(answered.pool, { queues, log: silent });
    const books = Array.from({ length: 40 }, () => newId());
    const enqueueUntilAll = (name: string) =>
      expect
        .poll(
          () => {
            const missing = books.filter((book) => !answered.ids.includes(`${name} ${book}`));
            for (const book of missing) enqueuer.enqueue(book, [reserve(`${name} ${book}`)]);
            return missing.length;
          },
          { interval: 200 },
        )
        .toBe(0);
    await enqueueUntilAll('before');
    await cluster.kill(1);
    for (const book of books) enqueuer.enqueue(book, [reserve(`lost ${book}`)]);
    await cluster.start(1);
    await enqueueUntilAll('after');
    await enqueuer.close();
    await pool.close(LIMIT);
    await queues.close();
  });

  test('a node with an eviction policy is found', async () => {
    const queues = createQueues(config(), silent);
    await queues.check('installation');
    await cluster.client(2).config('SET', 'maxmemory-policy', 'volatile-lru');
    await expect(queues.check('installation')).rejects.toThrow(/maxmemory-policy of this Redis is volatile-lru/);
    await cluster.client(2).config('SET', 'maxmemory-policy', 'noeviction');
    await queues.close();
  });
});
