import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { GROUPS } from '../../../src/groups.ts';
import { dueStatements } from '../../../src/operations/due-store.ts';
import { movedPayouts } from '../../../src/payouts/payout/moved-payouts.ts';
import { partsOf, type QueuePool, rowsIn } from '../../../src/queue/job.ts';
import type { QueueJob } from '../../../src/queue/queues.ts';
import { BEFORE_ALL_IDS, newId, type Uuid } from '../../../src/values/ids.ts';
import { movedDeliveries } from '../../../src/webhooks/deliveries/moved-deliveries.ts';
import { createSweeper, type SweeperRuntime, startSweeper } from '../../../workers/sweeper.ts';
import {
  insertDeliveries,
  insertIdempotencyKeys,
  insertPayouts,
  withoutForeignKeys,
} from '../../support/operations-rows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

/** No rail works by files. */
const NO_FILES = { files: () => [] };
const log = pino({ level: 'silent' });
const NOW = Date.UTC(2026, 0, 15, 12);
const DAY = 86_400_000;

const idsOf = ({ data }: QueueJob) => partsOf(data).flatMap(({ ids }) => ids);

describe('the sweeper', () => {
  let database: TestDatabase;
  let superuser: pg.Client;
  let pool: Pool;
  let book: Uuid;
  let now: number;

  /** The enqueued jobs, and the queue depths that the sweeper reads. */
  let enqueued: { pool: QueuePool; partition: number; job: QueueJob }[];
  let waiting: Partial<Record<QueuePool, number>>;
  let unreachable: Set<QueuePool>;
  let notices: number;

  const runtime = (facts: Partial<SweeperRuntime> = {}): SweeperRuntime => ({
    groups: GROUPS,
    pool,
    queues: {
      partitions: 1,
      async add(to, partition, jobs) {
        if (unreachable.has(to)) throw new Error('ECONNREFUSED');
        enqueued.push(...jobs.map((job) => ({ pool: to, partition, job })));
      },
      async depth(of, partition) {
        if (unreachable.has(of)) throw new Error('ECONNREFUSED');
        const states = { waiting: waiting[of] ?? 0, active: 0, delayed: 0, failed: 0 };
        return { queue: `${of}-${partition}`, pool: of, partition, states };
      },
    },
    acquirers: { all: () => [] },
    processors: { all: () => [] },
    rails: {
      all: () => [{ name: 'sandbox', notices: async () => new Array(notices).fill({}) }],
      ...NO_FILES,
    },
    clock: { now: () => now },
    log,
    forms: { multiBookJobs: false, laterJobs: true },
    config: { SWEEP_INTERVAL_MS: 50, IDEMPOTENCY_BODY_RETENTION_DAYS: 30, NOTICE_RETENTION_DAYS: 90 },
    ...facts,
  });
  const sweep = (facts?: Partial<SweeperRuntime>) => createSweeper(runtime(facts)).sweep();
  const enqueuedIds = (name: string) =>
    enqueued.filter(({ job }) => job.name === name).flatMap(({ job }) => idsOf(job));
  const dueAt = async (id: Uuid) =>
    (await superuser.query('SELECT due_at FROM payouts WHERE id = $1', [id])).rows[0].due_at?.getTime() ?? null;

  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = new pg.Client({ connectionString: database.superuserUrl });
    await superuser.connect();
    await withoutForeignKeys(superuser);
    pool = createPool({ url: database.applicationUrl, name: 'test', size: 8, log });
  });
  beforeEach(async () => {
    await superuser.query('TRUNCATE payouts, webhook_deliveries, idempotency_keys CASCADE');
    book = newId();
    now = NOW;
    enqueued = [];
    waiting = {};
    unreachable = new Set();
    notices = 0;
  });
  afterAll(async () => {
    await pool.end();
    await superuser.end();
    await database.drop();
  });

  test.each`
    status          | due          | enqueues
    ${'pending'}    | ${NOW - 1}   | ${['ledger', 'payout.reserve']}
    ${'pending'}    | ${NOW}       | ${['ledger', 'payout.reserve']}
    ${'pending'}    | ${NOW + 1}   | ${null}
    ${'pending'}    | ${null}      | ${null}
    ${'processing'} | ${NOW - DAY} | ${['rails', 'payout.inquire']}
    ${'processing'} | ${NOW + 1}   | ${null}
    ${'paid'}       | ${NOW - 1}   | ${null}
    ${'failed'}     | ${null}      | ${null}
  `('a $status payout that is due at $due enqueues $enqueues', async ({ status, due, enqueues }) => {
    const [id] = await insertPayouts(superuser, [{ bookId: book, status, dueAt: due }]);
    await sweep();
    expect(enqueued.map(({ pool: to, job }) => [to, job.name, job.data])).toEqual(
      enqueues ? [[...enqueues, { bookId: book, ids: [id] }]] : [],
    );
    expect(await dueAt(id!)).toBe(enqueues ? NOW + 30_000 : due);
  });

  test('a due delivery is enqueued by event and endpoint, and postponed by a minute', async () => {
    const endpointId = newId();
    await insertDeliveries(superuser, [
      { bookId: book, eventSequence: 7n, endpointId, dueAt: NOW - 1 },
      { bookId: book, eventSequence: 8n, endpointId, dueAt: NOW + 1 },
      { bookId: book, eventSequence: 9n, endpointId, dueAt: NOW - 1, status: 'delivered' },
    ]);
    await sweep();
    expect(enqueued.map(({ pool: to, job }) => [to, job.name, idsOf(job)])).toEqual([
      ['webhooks', 'delivery.send', [`7:${endpointId}`]],
    ]);
    const { rows } = await superuser.query('SELECT due_at FROM webhook_deliveries WHERE event_sequence = 7');
    expect(rows[0].due_at.getTime()).toBe(NOW + 60_000);
  });

  test('a stuck row is not enqueued', async () => {
    const [id] = await insertPayouts(superuser, [{ bookId: book, dueAt: NOW - 1 }]);
    await superuser.query('UPDATE payouts SET stuck_at = now() WHERE id = $1', [id]);
    await sweep();
    expect(enqueued).toEqual([]);
  });

  test('a row whose job the release before does not know stays due as it is, until the contract', async () => {
    const [id] = await insertPayouts(superuser, [{ bookId: book, status: 'scheduled', dueAt: NOW - 1 }]);
    await sweep({ forms: { multiBookJobs: true, laterJobs: false } });
    expect([enqueued, await dueAt(id!)]).toEqual([[], NOW - 1]);
    await sweep({ forms: { multiBookJobs: true, laterJobs: true } });
    expect(enqueued.map(({ job }) => [job.name, idsOf(job)])).toContainEqual(['payout.release', [id]]);
  });

  test('a row that no worker moves is enqueued again after its interval, and not before', async () => {
    await insertPayouts(superuser, [{ bookId: book, dueAt: NOW }]);
    await sweep();
    now += 29_999;
    await sweep();
    expect(enqueued).toHaveLength(1);
    now += 1;
    await sweep();
    expect(enqueued).toHaveLength(2);
    expect(enqueued[0]!.job.deduplicationId).toBe(enqueued[1]!.job.deduplicationId);
  });

  test('a job that is never processed blocks later ones by its id for 2 minutes, for notices 30 seconds', async () => {
    await insertPayouts(superuser, [{ bookId: book, dueAt: NOW }]);
    notices = 1;
    for (const afterMs of [0, 29_999, 30_000, 60_000, 90_000, 120_000]) {
      now = NOW + afterMs;
      await sweep();
    }
    const names = (of: string) => enqueued.filter(({ job }) => job.name === of).map(({ job }) => job.deduplicationId);
    const payouts = names('payout.reserve');
    expect(payouts).toHaveLength(5);
    expect(new Set(payouts.slice(0, 4)).size).toBe(1);
    expect(payouts[4]).not.toBe(payouts[0]);
    const rail = names('rail.notices');
    expect(rail).toHaveLength(6);
    expect(rail[0]).toBe(rail[1]);
    expect(new Set(rail.slice(1)).size).toBe(5);
  });

  test('pages through all overdue rows, up to a hundred rows of one book a job', async () => {
    const other = newId();
    const ids = await insertPayouts(
      superuser,
      Array.from({ length: 2_500 }, (_, index) => ({ bookId: index % 5 === 0 ? other : book, dueAt: NOW - index })),
    );
    const swept = await sweep();
    expect(swept['pending payouts']).toBe(2_500);
    expect(enqueuedIds('payout.reserve').toSorted()).toEqual(ids.toSorted());
    expect(Math.max(...enqueued.map(({ job }) => rowsIn(job.data)))).toBe(100);
    expect(new Set(enqueued.map(({ job }) => job.deduplicationId)).size).toBe(enqueued.length);
  });

  describe('once a job may carry rows of several books', () => {
    const forms = { multiBookJobs: true, laterJobs: true };
    const named = () => enqueued.map(({ job }) => job.deduplicationId);

    test('what is due of quiet books shares jobs, which are named after all their rows', async () => {
      const books = Array.from({ length: 150 }, () => newId());
      const ids = await insertPayouts(
        superuser,
        books.map((bookId) => ({ bookId, dueAt: NOW })),
      );
      await sweep({ forms });
      expect(enqueued.map(({ job }) => rowsIn(job.data))).toEqual([100, 50]);
      expect(enqueuedIds('payout.reserve').toSorted()).toEqual(ids.toSorted());
      now += 30_000;
      await sweep({ forms });
      expect(enqueued).toHaveLength(4);
      expect(new Set(named()).size).toBe(2);
      // Another row of one book: its job has another name, and the other job keeps its own.
      now += 30_000;
      await insertPayouts(superuser, [{ bookId: books[149]!, dueAt: NOW }]);
      await sweep({ forms });
      expect(new Set(named()).size).toBe(3);
    });

    test('beyond a page, each book’s first rows share jobs and the others go behind', async () => {
      const quiet = Array.from({ length: 50 }, () => newId());
      const ids = await insertPayouts(superuser, [
        ...Array.from({ length: 2_000 }, () => ({ bookId: book, dueAt: NOW - DAY })),
        ...quiet.map((bookId) => ({ bookId, dueAt: NOW - 1 })),
      ]);
      await sweep({ forms });
      expect(enqueuedIds('payout.reserve').toSorted()).toEqual(ids.toSorted());
      const [shared, ...others] = enqueued.filter(({ job }) => job.priority === undefined);
      expect(
        partsOf(shared!.job.data)
          .map(({ bookId }) => bookId)
          .toSorted(),
      ).toEqual(quiet.toSorted());
      expect(others.map(({ job }) => rowsIn(job.data))).toEqual([100]);
      for (const { job } of enqueued) if (job.priority !== undefined) expect(partsOf(job.data)).toHaveLength(1);
    });
  });

  test('several sweepers at once enqueue each row once', async () => {
    const ids = await insertPayouts(
      superuser,
      Array.from({ length: 3_000 }, () => ({ bookId: book, dueAt: NOW - 1 })),
    );
    for (let round = 0; round < 3; round++) await Promise.all([sweep(), sweep(), sweep(), sweep()]);
    expect(enqueuedIds('payout.reserve').toSorted()).toEqual(ids.toSorted());
  });

  test('a row whose due time changes between read and update is left alone', async () => {
    const [moved, still] = await insertPayouts(superuser, [
      { bookId: book, dueAt: NOW - 2 },
      { bookId: book, dueAt: NOW - 1 },
    ]);
    const queues = runtime().queues;
    await sweep({
      queues: {
        ...queues,
        // The sweeper reads the depth between the two.
        async depth(...of) {
          await superuser.query('UPDATE payouts SET due_at = $2 WHERE id = $1', [moved, new Date(NOW + 5_000)]);
          return queues.depth(...of);
        },
      },
    });
    expect(enqueuedIds('payout.reserve')).toEqual([still]);
    expect(await dueAt(moved!)).toBe(NOW + 5_000);
  });

  test('a row locked by a committer is skipped, and enqueued in a later round', async () => {
    const [held, free] = await insertPayouts(superuser, [
      { bookId: book, dueAt: NOW - 2 },
      { bookId: book, dueAt: NOW - 1 },
    ]);
    await superuser.query('BEGIN');
    await superuser.query('SELECT FROM payouts WHERE id = $1 FOR NO KEY UPDATE', [held]);
    await sweep();
    expect(enqueuedIds('payout.reserve')).toEqual([free]);
    await superuser.query('ROLLBACK');
    await sweep();
    expect(enqueuedIds('payout.reserve')).toEqual([free, held]);
  });

  test('a deep partition takes one job a book and interval; other pools continue', async () => {
    const quiet = newId();
    const ids = await insertPayouts(
      superuser,
      Array.from({ length: 250 }, (_, index) => ({ bookId: book, dueAt: NOW - 1_000 + index })),
    );
    const [ofQuiet] = await insertPayouts(superuser, [{ bookId: quiet, dueAt: NOW }]);
    const [processing] = await insertPayouts(superuser, [{ bookId: book, status: 'processing', dueAt: NOW - 1 }]);
    waiting = { ledger: 301 };
    const sweeper = createSweeper(runtime());
    await sweeper.sweep();
    expect(enqueuedIds('payout.reserve').toSorted()).toEqual([...ids.slice(0, 100), ofQuiet].toSorted());
    expect(enqueuedIds('payout.inquire')).toEqual([processing]);
    expect(await dueAt(ids[100]!)).toBe(NOW - 900);
    now += 29_999;
    await sweeper.sweep();
    expect(enqueuedIds('payout.reserve')).toHaveLength(101);
    now += 1;
    await sweeper.sweep();
    expect(enqueuedIds('payout.reserve')).toHaveLength(202);
    waiting = { ledger: 300 };
    await sweeper.sweep();
    expect(new Set(enqueuedIds('payout.reserve')).size).toBe(251);
  });

  test('a book with more due rows than a round takes does not delay other books', async () => {
    const quiet = Array.from({ length: 150 }, () => newId());
    await superuser.query(
      `INSERT INTO payouts (book_id, id, status, account_id, hold_id, amount, fee, currency, rail, destination_type,
                            end_to_end_id, request_id, due_at, created_at, updated_at)
       SELECT $1, id, 'pending', id, id, 900, 0, 'JOD', 'sandbox', 'cliq', id::text, id, $2, now(), now()
       FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 40000)) AS flood`,
      [book, new Date(NOW - DAY)],
    );
    const ofQuiet = await insertPayouts(
      superuser,
      quiet.map((bookId) => ({ bookId, dueAt: NOW - 1 })),
    );
    const { queues } = runtime();
    await sweep({
      queues: {
        ...queues,
        async depth(of, partition, limit) {
          const depth = await queues.depth(of, partition, limit);
          const added = enqueued.filter((one) => one.pool === of && one.partition === partition).length;
          return { ...depth, states: { ...depth.states, waiting: added } };
        },
      },
    });
    const reserved = enqueued.filter(({ job }) => job.name === 'payout.reserve').map(({ job }) => job);
    const jobsOf = (bookId: Uuid) => reserved.filter((job) => partsOf(job.data).some((part) => part.bookId === bookId));
    expect(reserved.flatMap(idsOf)).toEqual(expect.arrayContaining(ofQuiet));
    expect(quiet.map((bookId) => jobsOf(bookId).map((job) => job.priority))).toEqual(quiet.map(() => [undefined]));
    // Further jobs of a book come after the first jobs of all other books.
    expect(jobsOf(book).map((job) => job.priority)).toEqual(
      jobsOf(book).map((_, index) => (index === 0 ? undefined : index)),
    );
    expect(jobsOf(book).length).toBeGreaterThan(1);
    expect(reserved.length).toBeLessThan(500);
    const { rows } = await superuser.query('SELECT count(*)::int AS due FROM payouts WHERE due_at <= $1', [
      new Date(NOW),
    ]);
    expect(rows[0].due).toBe(40_150 - reserved.flatMap(idsOf).length);
  });

  test('while the queues are unreachable no row is postponed; afterwards all are enqueued at once', async () => {
    const [id] = await insertPayouts(superuser, [{ bookId: book, dueAt: NOW - 1 }]);
    unreachable = new Set(['ledger']);
    await sweep();
    expect(await dueAt(id!)).toBe(NOW - 1);
    unreachable.clear();
    await sweep();
    expect(enqueuedIds('payout.reserve')).toEqual([id]);
  });

  test('a kind that fails does not stop the others', async () => {
    const [id] = await insertPayouts(superuser, [{ bookId: book, status: 'processing', dueAt: NOW - 1 }]);
    await insertPayouts(superuser, [{ bookId: book, dueAt: NOW - 1 }]);
    unreachable = new Set(['ledger']);
    const rails = { ...NO_FILES, all: () => [{ name: 'sandbox', notices: () => Promise.reject(new Error('away')) }] };
    expect(await sweep({ rails })).toMatchObject({
      'pending payouts': 0,
      'processing payouts': 1,
      'notices of sandbox': 0,
    });
    expect(enqueuedIds('payout.inquire')).toEqual([id]);
  });

  test('a rail with unacknowledged notices is enqueued by its name', async () => {
    await sweep();
    expect(enqueued).toEqual([]);
    notices = 1;
    await sweep();
    expect(enqueued.map(({ pool: to, job }) => [to, job.name, job.data])).toEqual([
      ['rails', 'rail.notices', { bookId: '', ids: ['sandbox'] }],
    ]);
  });

  test('stored answers are dropped after their retention, and keys stay', async () => {
    await insertIdempotencyKeys(superuser, [
      { bookId: book, key: 'old', createdAt: NOW - 30 * DAY - 1 },
      { bookId: newId(), key: 'old', createdAt: NOW - 31 * DAY },
      { bookId: book, key: 'young', createdAt: NOW - 30 * DAY },
    ]);
    expect(await sweep()).toMatchObject({ 'stored answers': 2 });
    const { rows } = await superuser.query(
      'SELECT key, status, body IS NOT NULL AS kept FROM idempotency_keys ORDER BY key, created_at',
    );
    expect(rows).toEqual([
      { key: 'old', status: 202, kept: false },
      { key: 'old', status: 202, kept: false },
      { key: 'young', status: 202, kept: true },
    ]);
    expect(await sweep()).toMatchObject({ 'stored answers': 0 });
  });

  test('finds due rows by index, whatever the number of other rows', async () => {
    await insertPayouts(
      superuser,
      Array.from({ length: 3_000 }, () => ({ bookId: book, dueAt: NOW + DAY })),
    );
    await superuser.query('ANALYZE payouts');
    const { rows } = await superuser.query(
      `EXPLAIN SELECT book_id, id, due_at FROM payouts
       WHERE due_at <= '${new Date(NOW).toISOString()}' AND due_at IS NOT NULL AND stuck_at IS NULL AND status = 'pending'
       ORDER BY due_at LIMIT 1000`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('payouts_due');
  });

  test.each([movedPayouts, movedDeliveries])('takes books in turn by an index: $kind', async (rows) => {
    const books = Array.from({ length: 30 }, () => newId());
    const due = books.flatMap((bookId) => Array.from({ length: 100 }, () => ({ bookId, dueAt: NOW })));
    await insertPayouts(superuser, due);
    await insertDeliveries(
      superuser,
      due.map((row, index) => ({ ...row, eventSequence: BigInt(index + 1), endpointId: row.bookId })),
    );
    await superuser.query('ANALYZE payouts, webhook_deliveries');
    const { dueByBookSql } = dueStatements(rows, 'pending');
    const explained = await pool.query(`EXPLAIN ${dueByBookSql}`, [new Date(NOW), BEFORE_ALL_IDS]);
    const plan = explained.rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(new Set(plan.match(/using \w+/g))).toEqual(new Set([`using ${rows.table.name}_due_by_book`]));
    expect(plan).not.toMatch(/Seq Scan on|Sort/);
  });

  test('rounds never overlap', async () => {
    let asking = 0;
    let most = 0;
    const rails = {
      ...NO_FILES,
      all: () => [
        {
          name: 'sandbox',
          async notices() {
            most = Math.max(most, ++asking);
            await new Promise(setImmediate);
            asking -= 1;
            return [];
          },
        },
      ],
    };
    const sweeper = createSweeper(runtime({ rails }));
    await Promise.all([sweeper.sweep(), sweeper.sweep(), sweeper.sweep()]);
    expect(most).toBe(1);
  });

  test('a rail that does not answer delays only its own kind', async () => {
    let answer: (notices: []) => void = () => undefined;
    let asked = 0;
    const silent = () => {
      asked += 1;
      return new Promise<[]>((resolve) => {
        answer = resolve;
      });
    };
    const quick = { name: 'quick', notices: async () => new Array(1).fill({}) };
    const rails = { ...NO_FILES, all: () => [{ name: 'silent', notices: silent }, quick] };
    const config = { SWEEP_INTERVAL_MS: 1, IDEMPOTENCY_BODY_RETENTION_DAYS: 30, NOTICE_RETENTION_DAYS: 90 };
    const sweeper = startSweeper(runtime({ rails, config }));
    await expect.poll(() => enqueued.filter(({ job }) => job.name === 'rail.notices').length).toBeGreaterThan(2);
    const [id] = await insertPayouts(superuser, [{ bookId: book, dueAt: NOW - 1 }]);
    await expect.poll(() => enqueuedIds('payout.reserve')).toEqual([id]);
    expect(asked).toBe(1);
    answer([]);
    await sweeper.close();
  });

  test('runs rounds until it is closed', async () => {
    let rounds = 0;
    const rails = {
      ...NO_FILES,
      all: () => {
        rounds += 1;
        return [];
      },
    };
    const sweeper = startSweeper(
      runtime({
        rails,
        config: { SWEEP_INTERVAL_MS: 1, IDEMPOTENCY_BODY_RETENTION_DAYS: 30, NOTICE_RETENTION_DAYS: 90 },
      }),
    );
    await expect.poll(() => rounds).toBeGreaterThan(2);
    await sweeper.close();
    const ended = rounds;
    await sweep();
    expect(rounds).toBe(ended);
  });
});
