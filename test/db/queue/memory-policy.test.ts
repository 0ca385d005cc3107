/** The Redis settings that jobs need, and what Redis keeps when it is killed. */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startPool } from '../../../src/queue/pool.ts';
import { createQueues, type Queues } from '../../../src/queue/queues.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { Answered, LIMIT } from './queue-contract.ts';

describeWithRedis('a Redis', () => {
  let redis: TestRedis;
  let queues: Queues;
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const open = () => createQueues({ DATABASE_URL: 'postgres://unused', REDIS_URL: redis.url, QUEUE_LANES: 1 }, log);
  const errors = () => lines.map(({ msg }) => msg);

  beforeEach(async () => {
    lines.length = 0;
    redis = await startRedis();
  });
  afterEach(async () => {
    await queues?.close();
    await redis.remove();
  });

  test("with Debian's default settings is accepted", async () => {
    queues = open();
    await queues.check('installation');
    expect(errors()).toEqual([]);
  });

  test.each(['allkeys-lru', 'volatile-ttl', 'allkeys-random'])(
    'with maxmemory-policy %s is refused',
    async (policy) => {
      await redis.client().config('SET', 'maxmemory-policy', policy);
      queues = open();
      await expect(queues.check('installation')).rejects.toThrow(
        `REDIS_URL: the setting maxmemory-policy of this Redis is ${policy}, so that it may throw jobs away.\nSet it to noeviction: CONFIG SET maxmemory-policy noeviction`,
      );
    },
  );

  test('that refuses CONFIG is checked by INFO', async () => {
    await redis.client().call('ACL', 'SETUSER', 'default', '-config');
    queues = open();
    await queues.check('installation');
    expect(errors()).toEqual([]);
  });

  test('that is absent at the start does not prevent the start, and is checked once it is there', async () => {
    await redis.kill();
    queues = open();
    await queues.check('installation');
    expect(errors()).toEqual(['the queues do not answer; what is accepted waits in Postgres until they do']);
    await redis.start();
    await queues.depth('ledger', 0, LIMIT);
    expect(errors()).toHaveLength(1);
    await redis.client().config('SET', 'maxmemory-policy', 'allkeys-lru');
    await redis.client().call('CLIENT', 'KILL', 'TYPE', 'NORMAL', 'SKIPME', 'YES');
    await expect.poll(errors).toContain('redis may throw jobs away');
  });

  test('with an append-only file keeps enqueued jobs when it is killed', async () => {
    await redis.kill();
    await redis.start({ appendOnly: true });
    await redis.client().config('SET', 'appendfsync', 'always');
    queues = open();
    const job = { name: 'payout.reserve' as const, data: { bookId: 'book', ids: ['a'] } };
    await queues.add('ledger', 0, [job], LIMIT);
    await redis.kill();
    await redis.start({ appendOnly: true });
    const answered = new Answered();
    const pool = startPool(answered.pool, { queues, log });
    await expect.poll(() => answered.ids).toEqual(['a']);
    await pool.close(LIMIT);
  });
});
