import { connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEnqueuer, type Enqueuer } from '../../../src/queue/enqueuer.ts';
import { type RunningPool, startPool } from '../../../src/queue/pool.ts';
import { createQueues, type Queues } from '../../../src/queue/queues.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { Answered, LIMIT, queueContract, reserve, silent } from './queue-contract.ts';

describe('queues on Postgres', () => {
  let database: TestDatabase;
  let superuser: pg.Client;
  const config = (url = database.applicationUrl) => ({ DATABASE_URL: url, QUEUE_LANES: 1 });

  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = new pg.Client({ connectionString: database.superuserUrl });
    await superuser.connect();
  });
  beforeEach(async () => {
    await superuser.query('TRUNCATE bullmq.job, bullmq.dedup, bullmq.dedup_next, bullmq.event CASCADE');
  });
  afterAll(async () => {
    await superuser.end();
    await database.drop();
  });

  queueContract(config);

  test('the application’s role creates no object in BullMQ’s schema, and a finished job leaves no row', async () => {
    const objects = async () => (await superuser.query('SELECT count(*)::int AS n FROM pg_class')).rows[0].n;
    const before = await objects();
    const queues = createQueues(config(), silent);
    const enqueuer = createEnqueuer({ queues, log: silent });
    const answered = new Answered();
    const pool = startPool(answered.pool, { queues, log: silent });
    for (let book = 0; book < 50; book++) enqueuer.enqueue(`book ${book}`, [reserve('a'), reserve('b')]);
    await expect.poll(() => answered.ids.length).toBe(100);
    await pool.close(LIMIT);
    await enqueuer.close();
    await queues.close();
    const { rows } = await superuser.query(
      'SELECT (SELECT count(*) FROM bullmq.job) + (SELECT count(*) FROM bullmq.dedup) AS n',
    );
    expect(rows[0].n).toBe('0');
    expect(await objects()).toBe(before);
  });

  describe('when connections are lost', () => {
    let queues: Queues;
    let enqueuer: Enqueuer;
    let answered: Answered;
    let pool: RunningPool;

    beforeEach(() => {
      queues = createQueues(config(), silent);
      enqueuer = createEnqueuer({ queues, log: silent, flushLimitMs: 2_000 });
      answered = new Answered();
      pool = startPool(answered.pool, { queues, log: silent });
    });
    afterEach(async () => {
      answered.release();
      await enqueuer.close();
      await pool.close(LIMIT);
      await queues.close();
    });

    const endConnections = () =>
      superuser.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
    const enqueueUntilAnswered = (id: string) =>
      expect
        .poll(() => {
          if (!answered.ids.includes(id)) enqueuer.enqueue('book', [reserve(id)]);
          return answered.ids.includes(id);
        })
        .toBe(true);

    test('while idle: the next jobs are processed', async () => {
      enqueuer.enqueue('book', [reserve('before')]);
      await expect.poll(() => answered.ids).toEqual(['before']);
      await endConnections();
      await enqueueUntilAnswered('after');
    });

    test('with a job in hand: it ends, and the next jobs are processed', async () => {
      answered.hold();
      enqueuer.enqueue('book', [reserve('in hand')]);
      await expect.poll(() => answered.started).toBe(1);
      await endConnections();
      answered.release();
      await enqueueUntilAnswered('after');
      expect(answered.ids).toContain('in hand');
    });
  });

  test('absent at the start: enqueued jobs are dropped, and all works once Postgres is there', async () => {
    const { hostname, port } = new URL(database.applicationUrl);
    const gate = await reservePort();
    const url = new URL(database.applicationUrl);
    url.port = String(gate.port);
    const dropped: number[] = [];
    const queues = createQueues(config(url.href), silent);
    const enqueuer = createEnqueuer({
      queues,
      log: silent,
      counts: { enqueued: () => undefined, dropped: (ids) => dropped.push(ids) },
    });
    const answered = new Answered();
    const pool = startPool(answered.pool, { queues, log: silent });
    enqueuer.enqueue('book', [reserve('lost')]);
    await expect.poll(() => dropped).toEqual([1]);
    await gate.open({ hostname, port: Number(port) });
    await expect
      .poll(() => {
        enqueuer.enqueue('book', [reserve('a')]);
        return answered.ids.length;
      })
      .toBeGreaterThan(0);
    await enqueuer.close();
    await pool.close(LIMIT);
    await queues.close();
    await gate.close();
  });
});

/** A port that refuses connections until `open`, and then forwards them. */
async function reservePort() {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  return {
    port,
    open: (target: { hostname: string; port: number }) =>
      new Promise<void>((resolve) => {
        server = createServer((client) => {
          const upstream = connect(target.port, target.hostname);
          for (const socket of [client, upstream]) {
            sockets.add(socket);
            socket.on('error', () => undefined);
          }
          client.pipe(upstream).pipe(client);
        }).listen(port, '127.0.0.1', resolve);
      }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    },
  };
}
