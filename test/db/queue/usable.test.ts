/** Money is accepted only where work can be done: queues that can never carry a job stop the start, or end readiness. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../../scripts/harness/until.ts';
import { createPool } from '../../../src/db/pool.ts';
import { startPool } from '../../../src/queue/pool.ts';
import { createQueues, type QueueJob, type Queues, type QueuesConfig } from '../../../src/queue/queues.ts';
import { StalledQueues } from '../../../src/queue/stalled-queues.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { Answered, LIMIT, silent } from './queue-contract.ts';

let database: TestDatabase;
let open: Queues[];

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => {
  open = [];
});
afterEach(() => Promise.all(open.map((queues) => queues.close())));
afterAll(() => database?.drop());

function queuesOf(further: Partial<QueuesConfig> = {}): Queues {
  const queues = createQueues({ DATABASE_URL: database.applicationUrl, QUEUE_LANES: 1, ...further }, silent);
  open.push(queues);
  return queues;
}

const reserve = (id: string): QueueJob[] => [{ name: 'payout.reserve', data: { bookId: 'b', ids: [id] } }];

async function comesOut(queues: Queues): Promise<void> {
  const answered = new Answered();
  const pool = startPool(answered.pool, { queues, log: silent });
  try {
    await queues.add('ledger', 0, reserve('a'), LIMIT);
    await expect.poll(() => answered.ids).toEqual(['a']);
  } finally {
    await pool.close(LIMIT);
  }
}

describe('queues on Postgres', () => {
  test('carry jobs, whatever options the URL has', async () => {
    const url = `${database.applicationUrl}?options=-c%20application_name%3Dx%20-c%20search_path%3Dpublic`;
    const queues = queuesOf({ DATABASE_URL: url });
    await queues.check('installation');
    await comesOut(queues);
  });

  test('that were tried leave no row, and no connection', async () => {
    await queuesOf().check('installation');
    const superuser = createPool({ url: database.superuserUrl, name: 'test', size: 1, log: silent });
    const left = `SELECT (SELECT count(*) FROM bullmq.job) AS jobs, (SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE '{trial%') AS connections`;
    await expect.poll(async () => (await superuser.query(left)).rows).toEqual([{ jobs: 0n, connections: 0n }]);
    await superuser.end();
  });

  test('in a database without their tables stop the start', async () => {
    const other = await createTestDatabase();
    const superuser = createPool({ url: other.superuserUrl, name: 'test', size: 1, log: silent });
    await superuser.query('DROP SCHEMA bullmq CASCADE');
    await superuser.end();
    const started = queuesOf({ DATABASE_URL: other.applicationUrl }).check('installation');
    await expect(started).rejects.toThrow(/^The job queues do not work: a job that was added did not come out\./);
    await Promise.all(open.splice(0).map((queues) => queues.close()));
    await other.drop();
  });

  describe('out of which no job comes', () => {
    const [IDLE_MS, STILL_MS] = [60_000, 600_000];
    let queues: Queues;
    let stalled: StalledQueues;
    let now: number;

    beforeEach(async () => {
      now = 0;
      queues = queuesOf({ QUEUE_LANES: 2 });
      stalled = new StalledQueues(queues, { lookEveryMs: PATIENCE_MS, now: () => now });
    });
    afterEach(async () => {
      stalled.close();
      const superuser = createPool({ url: database.superuserUrl, name: 'test', size: 1, log: silent });
      await superuser.query('DELETE FROM bullmq.job').finally(() => superuser.end());
    });

    const lookAfter = async (afterMs: number) => {
      now += afterMs;
      await stalled.look();
      return stalled.stalled();
    };
    const waitIn = (partition: number, id = 'b') => queues.add('ledger', partition, reserve(id), LIMIT);

    test('though this process has room are named after a minute, each partition by itself', async () => {
      const taken = [0, 0];
      let room = true;
      stalled.watch({ name: 'ledger', hasRoom: () => room, taken: (partition) => taken[partition]! });
      await waitIn(1);
      await lookAfter(0);
      await lookAfter(0);
      expect(await lookAfter(IDLE_MS - 1)).toBeUndefined();
      taken[0] = 7;
      expect(await lookAfter(1)).toBe('ledger-1');
      taken[1] = 1;
      expect(await lookAfter(0)).toBeUndefined();
      room = false;
      await lookAfter(0);
      expect(await lookAfter(IDLE_MS)).toBeUndefined();
    });

    test('are named after ten minutes by a process without workers, unless something moves', async () => {
      stalled.watchMoney();
      await waitIn(1, 'first');
      await waitIn(1, 'second');
      await lookAfter(0);
      await lookAfter(0);
      expect(await lookAfter(STILL_MS - 1)).toBeUndefined();
      await waitIn(1, 'third');
      expect(await lookAfter(1)).toBe('ledger-1');
      // A worker takes one, and its process ends.
      const answered = new Answered();
      answered.hold();
      const pool = startPool(answered.pool, { queues, log: silent, concurrency: 1 });
      await expect.poll(() => answered.started).toBe(1);
      expect(await lookAfter(0)).toBeUndefined();
      answered.release();
      await pool.close(LIMIT);
    });

    test('for reports or webhooks do not end the readiness of those who accept money', async () => {
      stalled.watchMoney();
      await queues.add('reports', 0, [{ name: 'report.write', data: { bookId: 'b', ids: ['r'] } }], LIMIT);
      await lookAfter(0);
      await lookAfter(0);
      expect(await lookAfter(STILL_MS)).toBeUndefined();
    });

    test('because they cannot be read are named after ten minutes, and no longer once they can', async () => {
      const superuser = createPool({ url: database.superuserUrl, name: 'test', size: 1, log: silent });
      stalled.watchMoney();
      await superuser.query('ALTER SCHEMA bullmq RENAME TO elsewhere');
      await lookAfter(0);
      expect(await lookAfter(STILL_MS - 1)).toBeUndefined();
      expect(await lookAfter(1)).toBe('ledger-0');
      await superuser.query('ALTER SCHEMA elsewhere RENAME TO bullmq');
      expect(await lookAfter(0)).toBeUndefined();
      await superuser.end();
    });
  });

  test('a partition has room until every job that it may have is in progress', async () => {
    const queues = queuesOf();
    const answered = new Answered();
    answered.hold();
    const pool = startPool(answered.pool, { queues, log: silent, concurrency: 2 });
    await queues.add('ledger', 0, reserve('one'), LIMIT);
    await expect.poll(() => answered.started).toBe(1);
    expect(pool.hasRoom(0)).toBe(true);
    await queues.add('ledger', 0, reserve('two'), LIMIT);
    await expect.poll(() => pool.hasRoom(0)).toBe(false);
    answered.release();
    await expect.poll(() => pool.hasRoom(0)).toBe(true);
    await pool.close(LIMIT);
  });
});

describeWithRedis('queues on Redis', () => {
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.remove());

  const place = (further: Partial<QueuesConfig> = {}) => queuesOf({ REDIS_URL: redis.url, ...further });

  test('of two installations with one Redis the second does not start, but with a prefix of its own', async () => {
    await place().check('one');
    await place().check('one');
    await expect(place().check('two')).rejects.toThrow(/the names countinghouse:\* in this Redis are another/);
    await place({ REDIS_PREFIX: 'two' }).check('two');
    await comesOut(place({ REDIS_PREFIX: 'two' }));
    expect(await redis.client().keys('*trial*')).toEqual([]);
  });

  test('that come back as those of another installation: nothing is added or taken until they are ours again', async () => {
    const other = await startRedis();
    const queues = queuesOf({ REDIS_URL: other.url });
    await queues.check('one');
    const answered = new Answered();
    const pool = startPool(answered.pool, { queues, log: silent });
    const stalled = new StalledQueues(queues, { lookEveryMs: PATIENCE_MS });
    stalled.watchMoney();
    const claim = async (installation: string) => {
      await other.client().set('countinghouse:installation', installation);
      await other.client().call('CLIENT', 'KILL', 'TYPE', 'normal');
    };
    await claim('two');
    await expect.poll(() => queues.add('ledger', 0, reserve('a'), LIMIT).catch(({ name }) => name)).toBe('QueueUnfit');
    await stalled.look();
    expect(stalled.stalled()).toBe('ledger-0');
    await claim('one');
    await expect.poll(() => stalled.look().then(() => stalled.stalled())).toBeUndefined();
    await queues.add('ledger', 0, reserve('b'), LIMIT);
    await expect.poll(() => answered.ids).toContain('b');
    stalled.close();
    await pool.close(LIMIT);
    await other.remove();
  });

  test('that were away at the start are claimed once they answer', async () => {
    const other = await startRedis();
    await other.kill();
    const queues = queuesOf({ REDIS_URL: other.url });
    await queues.check('one');
    await other.start();
    await expect.poll(() => other.client().get('countinghouse:installation')).toBe('one');
    await other.remove();
  });

  test('whose certificate cannot be verified stop the start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countinghouse-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes', '-newkey', 'rsa:2048'];
    execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `rediss://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const REDIS_CLUSTER of [false, true])
      await expect(queuesOf({ REDIS_URL: url, REDIS_CLUSTER }).check('one')).rejects.toThrow(
        /^REDIS_URL: The certificate of the server cannot be verified \(DEPTH_ZERO_SELF_SIGNED_CERT\)\.\nName the authority/,
      );
    server.close();
    rmSync(folder, { recursive: true });
  });

  test.each([false, true])('that take another password stop the start (a cluster: %s)', async (REDIS_CLUSTER) => {
    const url = redis.url.replace('redis://', 'redis://nobody:password@');
    await expect(queuesOf({ REDIS_URL: url, REDIS_CLUSTER }).check('one')).rejects.toThrow(/^REDIS_URL: WRONGPASS /);
  });

  test.each(['eval', 'info'])('of a user who may not run %s stop the start', async (command) => {
    const rights = ['reset', 'on', '>password', '~*', '&*', '+@all', `-${command}`];
    if (command === 'eval') rights.push('-evalsha');
    await redis.client().acl('SETUSER', 'narrow', ...rights);
    const url = redis.url.replace('redis://', 'redis://narrow:password@');
    await expect(queuesOf({ REDIS_URL: url }).check('one')).rejects.toThrow(
      new RegExp(`NOPERM.*'${command}.*\\n.*EVAL and INFO too`),
    );
  });
});
