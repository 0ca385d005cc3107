/**
 * A failover: the address leads to a server that takes no writes, and then to one that does. Connections made in between
 * live on at the first unless the product ends them.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Standby, startStandby } from '../../scripts/harness/standby.ts';
import { startTcpProxy, type TcpProxy } from '../../scripts/harness/tcp-proxy.ts';
import { until } from '../../scripts/harness/until.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { Readiness } from '../../src/db/readiness.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../../src/embedded/throwaway-postgres.ts';
import { RIGHTS } from '../../src/groups.ts';
import { install } from '../../src/operations/install.ts';
import { createLogger } from '../../src/process/log.ts';
import type { BackendWorker } from '../../src/queue/queue-backend.ts';
import { createQueues, type Queues } from '../../src/queue/queues.ts';
import { connectRedis } from '../../src/queue/redis-connection.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts';

const log = createLogger('silent', 'test');

/** A worker of one partition, and what it has answered. */
function openWorker(queues: Queues): { worker: BackendWorker; answered: string[]; failures: string[] } {
  const [answered, failures]: [string[], string[]] = [[], []];
  const worker = queues.openWorker('ledger', 0, {
    concurrency: 2,
    answer: async ({ data }) => void answered.push(...('ids' in data ? data.ids : [])),
  });
  worker.on('error', ({ message }: Error) => void failures.push(message));
  return { worker, answered, failures };
}

/** Adds a job as often as the queue refuses it, as the sweeper does. */
async function addUntilTaken(queues: Queues, id: string): Promise<void> {
  await until(() =>
    queues
      .add('ledger', 0, [{ name: 'payout.reserve', data: { bookId: 'b', ids: [id] } }], { limitMs: 2_000 })
      .then(() => true)
      .catch(() => false),
  );
}

describe('Postgres: all connections cut, and new ones led to a hot standby for a while', () => {
  let primary: ThrowawayPostgres;
  let standby: Standby;
  let address: TcpProxy;
  let pool: Pool;

  beforeAll(async () => {
    primary = await startThrowawayPostgres();
    const { ownerUrl, applicationUrl, signerUrl } = primary;
    await install({ rights: RIGHTS, ownerUrl, applicationUrl, signerUrl, log });
    standby = await startStandby(primary);
  });
  afterAll(async () => {
    await standby?.remove();
    await primary?.remove();
  });
  beforeEach(async () => {
    address = await startTcpProxy(primary.applicationUrl);
    pool = createPool({ url: address.url, name: 'test', size: 3, log });
  });
  afterEach(async () => {
    await pool.end();
    await address.close();
  });

  const failOver = () => {
    address.leadTo(`postgres://127.0.0.1:${standby.port}`);
    address.cutAll();
  };
  const failBack = () => address.leadTo(primary.applicationUrl);
  const isStandby = async () => (await pool.query('SELECT pg_is_in_recovery() AS standby')).rows[0].standby;

  test('a pool hands out no connection to a standby, and reaches the primary as soon as the address does', async () => {
    expect(await isStandby()).toBe(false);
    failOver();
    await until(
      () => isStandby().catch(({ code }) => code),
      (seen) => seen === '25006',
    );
    await expect(inTransaction(pool, (trx) => trx.query('SELECT 1'))).rejects.toMatchObject({ code: '25006' });
    failBack();
    expect(await Promise.all([isStandby(), isStandby(), isStandby()])).toEqual([false, false, false]);
  });

  test('a connection whose server says that it is read-only is not used again', async () => {
    const write = (trx: { query: Pool['query'] }) =>
      trx.query('SET TRANSACTION READ ONLY').then(() => trx.query('DELETE FROM payouts'));
    const pidOf = async () => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
    const before = await pidOf();
    await expect(inTransaction(pool, write as never)).rejects.toMatchObject({ code: '25006' });
    expect(await pidOf()).not.toBe(before);
  });

  test('a process whose address leads to a standby is not ready', async () => {
    const readiness = new Readiness({ DATABASE_URL: address.url }, log);
    expect(await readiness.postgresAnswers()).toBe(true);
    failOver();
    await until(
      () => readiness.postgresAnswers(),
      (ready) => !ready,
    );
    failBack();
    expect(await readiness.postgresAnswers()).toBe(true);
    await readiness.close();
  });

  test('jobs come out again', async () => {
    const queues = createQueues({ DATABASE_URL: address.url, QUEUE_LANES: 1 }, log);
    const { worker, answered, failures } = openWorker(queues);
    await addUntilTaken(queues, 'before');
    await expect.poll(() => answered).toContain('before');
    failOver();
    // The connection that listens for jobs is made anew there, or is refused.
    await until(() => failures.some((message) => /LISTEN|leads to a server that is read-only/.test(message)));
    failBack();
    await addUntilTaken(queues, 'after');
    await expect.poll(() => answered).toContain('after');
    await worker.close();
    await queues.close();
  });
});

describeWithRedis('Redis: demoted to a replica, its connections left open, and new ones led to its successor', () => {
  let demoted: TestRedis;
  let successor: TestRedis;
  let address: TcpProxy;

  beforeEach(async () => {
    [demoted, successor] = await Promise.all([startRedis(), startRedis()]);
    address = await startTcpProxy(demoted.url);
  });
  afterEach(async () => {
    await address?.close();
    await demoted?.remove();
    await successor?.remove();
  });

  const failOver = async () => {
    await demoted.client().replicaof('127.0.0.1', new URL(successor.url).port);
    address.leadTo(successor.url);
  };

  test('jobs come out again', async () => {
    const queues = createQueues({ DATABASE_URL: '', REDIS_URL: address.url, QUEUE_LANES: 1 }, log);
    const { worker, answered } = openWorker(queues);
    await addUntilTaken(queues, 'before');
    await expect.poll(() => answered).toContain('before');
    await failOver();
    await addUntilTaken(queues, 'after');
    await expect.poll(() => answered).toContain('after');
    await worker.close();
    await queues.close();
  });

  test('what counts requests writes to the successor', async () => {
    const place = { urls: address.url, cluster: false };
    const redis = connectRedis(place, { connectionName: 'test', enableOfflineQueue: false, maxRetriesPerRequest: 0 });
    redis.on('error', () => undefined);
    const count = () => redis.incr('count').catch(() => 0);
    await until(count, (value) => value === 1);
    await failOver();
    await until(count, (value) => value === 1);
    expect(await successor.client().get('count')).toBe('1');
    redis.disconnect();
  });
});
