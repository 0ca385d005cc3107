import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEnqueuer, type Enqueuer } from '../../../src/queue/enqueuer.ts';
import { type RunningPool, startPool } from '../../../src/queue/pool.ts';
import { createQueues, type Queues } from '../../../src/queue/queues.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { Answered, LIMIT, queueContract, reserve, silent } from './queue-contract.ts';

describeWithRedis('queues on Redis', () => {
  let redis: TestRedis;
  const config = () => ({ DATABASE_URL: 'postgres://unused', REDIS_URL: redis.url, QUEUE_LANES: 1 });

  beforeAll(async () => {
    redis = await startRedis();
  });
  beforeEach(async () => {
    await redis.client().flushall();
  });
  afterAll(() => redis.remove());

  queueContract(config);

  describe('when Redis fails', () => {
    let queues: Queues;
    let enqueuer: Enqueuer;
    let answered: Answered;
    let pool: RunningPool;
    const counts = { enqueuedIds: 0, droppedIds: 0 };

    beforeEach(() => {
      Object.assign(counts, { enqueuedIds: 0, droppedIds: 0 });
      queues = createQueues(config(), silent);
      enqueuer = createEnqueuer({
        queues,
        log: silent,
        flushLimitMs: 300,
        counts: { enqueued: (ids) => (counts.enqueuedIds += ids), dropped: (ids) => (counts.droppedIds += ids) },
      });
      answered = new Answered();
      pool = startPool(answered.pool, { queues, log: silent });
    });
    afterEach(async () => {
      answered.release();
      await enqueuer.close();
      await pool.close(LIMIT);
      await queues.close();
    });

    const enqueue = (id: string) => enqueuer.enqueue('book', [reserve(id)]);

    /** Enqueues again and again, as the sweeper does, until a job is processed. */
    const enqueueUntilAnswered = (id: string) =>
      expect
        .poll(() => {
          if (!answered.ids.includes(id)) enqueue(id);
          return answered.ids.includes(id);
        })
        .toBe(true);

    test('after FLUSHALL with a job in hand, the next job is processed', async () => {
      answered.hold();
      enqueue('in hand');
      await expect.poll(() => answered.started).toBe(1);
      await redis.client().flushall();
      answered.release();
      await enqueueUntilAnswered('after');
      expect(answered.ids).toContain('in hand');
    });

    test('killed and restarted: no call blocks, jobs in between are dropped, later ones are processed', async () => {
      enqueue('before');
      await expect.poll(() => answered.ids).toEqual(['before']);
      await redis.kill();
      for (let index = 0; index < 1_000; index++) enqueuer.enqueue('book', [reserve(`lost ${index}`)]);
      // All of them returned before anything was known about the first.
      expect(counts.droppedIds).toBe(0);
      await expect.poll(() => counts.droppedIds).toBe(1_000);
      await redis.start();
      await enqueueUntilAnswered('after');
    });

    test('frozen: jobs are dropped within the time limit, and processed again once it resumes', async () => {
      enqueue('before');
      await expect.poll(() => answered.ids).toEqual(['before']);
      redis.freeze();
      enqueue('lost');
      await expect.poll(() => counts.droppedIds).toBeGreaterThanOrEqual(1);
      redis.thaw();
      await enqueueUntilAnswered('after');
    });

    test('frozen until the connection is closed: jobs that the connection held are dropped', async () => {
      enqueue('before');
      await expect.poll(() => answered.ids).toEqual(['before']);
      redis.freeze();
      // A producer closes a silent connection after two seconds. Until then each flush has its own limit.
      for (let round = 0; round < 10; round++) {
        const dropped = counts.droppedIds;
        enqueue(`lost ${round}`);
        await expect.poll(() => counts.droppedIds).toBe(dropped + 1);
      }
      redis.thaw();
      await enqueueUntilAnswered('after');
      // A job enqueued after the connection was closed is kept neither in this process nor in Redis.
      expect(answered.ids).not.toContain('lost 9');
    });
  });

  test('absent at the start: jobs are dropped, closing does not hang, and all works once Redis is there', async () => {
    await redis.kill();
    const queues = createQueues(config(), silent);
    const enqueuer = createEnqueuer({ queues, log: silent, flushLimitMs: 100 });
    const answered = new Answered();
    const pool = startPool(answered.pool, { queues, log: silent });
    const closedEarly = startPool(answered.pool, { queues, log: silent });
    // Otherwise it says that the limit was over.
    expect(await closedEarly.close(LIMIT)).toBe(true);
    await expect(queues.depth('ledger', 0, { limitMs: 100 })).rejects.toThrow('did not answer within 100 ms');
    await redis.start();
    await expect
      .poll(() => {
        enqueuer.enqueue('book', [reserve('a')]);
        return answered.ids.length;
      })
      .toBeGreaterThan(0);
    await enqueuer.close();
    await pool.close(LIMIT);
    await queues.close();
  });
});
