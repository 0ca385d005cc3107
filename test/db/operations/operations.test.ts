import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../scripts/ops.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { listOpenExceptions } from '../../../src/exceptions/open-exceptions-store.ts';
import { GROUPS } from '../../../src/groups.ts';
import { createMetrics } from '../../../src/metrics/metrics.ts';
import { readBacklog } from '../../../src/operations/backlog-store.ts';
import { createRowFailed } from '../../../src/operations/row-failed.ts';
import { listStuck, markStuck, retryStuck } from '../../../src/operations/stuck-store.ts';
import { movedNotices } from '../../../src/outside/notices/moved-notices.ts';
import { PartyUnreachable } from '../../../src/outside/party/party.ts';
import { movedPayouts } from '../../../src/payouts/payout/moved-payouts.ts';
import { countUnknown } from '../../../src/payouts/payout/unresolved-store.ts';
import type { QueueDepth } from '../../../src/queue/queues.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { movedDeliveries } from '../../../src/webhooks/deliveries/moved-deliveries.ts';
import { insertDeliveries, insertPayouts, withoutForeignKeys } from '../../support/operations-rows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { runHere } from '../../support/run-here.ts';

const log = pino({ level: 'silent' });
const MOVED = GROUPS.flatMap(({ moved }) => moved);
const NOW = Date.UTC(2026, 0, 15, 12);

describe('operations', () => {
  let database: TestDatabase;
  let superuser: pg.Client;
  let pool: Pool;
  let bookId: Uuid;
  let endpointId: Uuid;

  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = new pg.Client({ connectionString: database.superuserUrl });
    await superuser.connect();
    await withoutForeignKeys(superuser);
    pool = createPool({ url: database.applicationUrl, name: 'test', size: 4, log });
  });
  beforeEach(async () => {
    await superuser.query('TRUNCATE payouts, webhook_deliveries, exceptions CASCADE');
    bookId = newId();
    endpointId = newId();
  });
  afterAll(async () => {
    await pool.end();
    await superuser.end();
    await database.drop();
  });

  const stuckPayout = (id: Uuid, error: unknown = new Error('a bug')) =>
    markStuck(pool, movedPayouts, { bookId, id, error, at: NOW });
  const oneDue = async (status = 'pending') =>
    (await insertPayouts(superuser, [{ bookId, status, dueAt: NOW - 7_000 }]))[0]!;

  describe('a stuck row', () => {
    test.each`
      status          | marked
      ${'pending'}    | ${true}
      ${'processing'} | ${true}
      ${'paid'}       | ${false}
      ${'failed'}     | ${false}
      ${'canceled'}   | ${false}
      ${'returned'}   | ${false}
    `('a $status payout is marked: $marked', async ({ status, marked }) => {
      expect(await stuckPayout(await oneDue(status))).toBe(marked);
      expect(await listStuck(pool, MOVED, 10)).toHaveLength(marked ? 1 : 0);
    });

    test.each`
      status         | marked
      ${'pending'}   | ${true}
      ${'delivered'} | ${false}
      ${'failed'}    | ${false}
      ${'canceled'}  | ${false}
    `('a $status delivery is marked: $marked', async ({ status, marked }) => {
      await insertDeliveries(superuser, [{ bookId, eventSequence: 7n, endpointId, dueAt: NOW, status }]);
      const id = `7:${endpointId}`;
      expect(await markStuck(pool, movedDeliveries, { bookId, id, error: 'a bug', at: NOW })).toBe(marked);
      expect((await listStuck(pool, MOVED, 10)).map((row) => row.id)).toEqual(marked ? [id] : []);
    });

    test('keeps its first error, truncated and without characters that Postgres refuses', async () => {
      const id = await oneDue();
      await stuckPayout(id, new Error(`NUL \u0000 and ${'x'.repeat(9_000)}`));
      expect(await stuckPayout(id, new Error('the second'))).toBe(false);
      const [row] = await listStuck(pool, MOVED, 10);
      expect(row).toMatchObject({ kind: 'payout', bookId, id, status: 'pending', stuckAt: NOW });
      expect(row!.error).toMatch(/^Error: NUL {2}and x+$/);
      expect(row!.error).toHaveLength(2_000);
    });

    test.each`
      what                           | error                                               | isMarked
      ${'a bug'}                     | ${new Error('a bug')}                               | ${true}
      ${'a database that is away'}   | ${Object.assign(new Error('x'), { code: '08006' })} | ${false}
      ${'a party without an answer'} | ${new PartyUnreachable('x')}                        | ${false}
    `('after $what: marked $isMarked, and otherwise still due', async ({ error, isMarked }) => {
      const id = await oneDue();
      const rowFailed = createRowFailed({ pool, log, clock: { now: () => NOW } });
      expect(await rowFailed(movedPayouts, { bookId, id }, error)).toBe(isMarked);
      expect((await listStuck(pool, MOVED, 10)).map((row) => row.id)).toEqual(isMarked ? [id] : []);
    });

    test('that cannot be marked is still due', async () => {
      const away = createPool({ url: database.applicationUrl, name: 'test', size: 1, log });
      await away.end();
      const rowFailed = createRowFailed({ pool: away, log, clock: { now: () => NOW } });
      expect(await rowFailed(movedPayouts, { bookId, id: await oneDue() }, new Error('a bug'))).toBe(false);
    });

    test('of another book is not marked', async () => {
      const id = await oneDue();
      expect(await markStuck(pool, movedPayouts, { bookId: newId(), id, error: 'a bug', at: NOW })).toBe(false);
    });

    test('a rail notice is marked, listed under its rail, and can be retried', async () => {
      const id = newId();
      await superuser.query(
        `INSERT INTO rail_notices (book_id, rail, id, end_to_end_id, kind, reference, notice, status, due_at, told_at, created_at, updated_at)
         VALUES ($1, 'sandbox', $2, 'CH1', 'paid', 'R', '{}', 'waiting', $3, $3, $3, $3)`,
        [bookId, id, new Date(NOW)],
      );
      const row = { bookId, id: `sandbox:${id}`, error: 'a bug', at: NOW } as const;
      expect([await markStuck(pool, movedNotices, row), await markStuck(pool, movedNotices, row)]).toEqual([
        true,
        false,
      ]);
      const listed = await listStuck(pool, MOVED, 10);
      expect(listed).toMatchObject([{ kind: 'notice', id: `sandbox:${id}`, status: 'waiting', error: 'a bug' }]);
      expect(await readBacklog(pool, MOVED, NOW)).toContainEqual({
        kind: 'notice',
        oldestDueAt: null,
        due: 0,
        stuck: 1,
      });
      expect(await retryStuck(pool, MOVED, { rows: listed, now: NOW + 1 })).toBe(1);
      expect(await listStuck(pool, MOVED, 10)).toEqual([]);
      await superuser.query('TRUNCATE rail_notices');
    });

    test('that is retried is due at once and has no mark', async () => {
      const id = await oneDue();
      await insertDeliveries(superuser, [{ bookId, eventSequence: 7n, endpointId, dueAt: null }]);
      await stuckPayout(id);
      await markStuck(pool, movedDeliveries, { bookId, id: `7:${endpointId}`, error: 'a bug', at: NOW });
      expect(await retryStuck(pool, MOVED, { rows: await listStuck(pool, MOVED, 10), now: NOW + 1 })).toBe(2);
      expect(await listStuck(pool, MOVED, 10)).toEqual([]);
      const { rows } = await superuser.query(
        'SELECT due_at, stuck_error FROM payouts UNION ALL SELECT due_at, stuck_error FROM webhook_deliveries',
      );
      expect(rows).toEqual([1, 2].map(() => ({ due_at: new Date(NOW + 1), stuck_error: null })));
    });

    test('that was marked again since it was listed is not retried', async () => {
      const id = await oneDue();
      await stuckPayout(id);
      const seen = await listStuck(pool, MOVED, 10);
      await superuser.query('UPDATE payouts SET stuck_at = $1', [new Date(NOW + 5_000)]);
      expect(await retryStuck(pool, MOVED, { rows: seen, now: NOW })).toBe(0);
    });
  });

  test('the backlog: the oldest due row, and the number of due and stuck rows', async () => {
    await insertPayouts(superuser, [
      { bookId, dueAt: NOW - 7_000 },
      { bookId, dueAt: NOW - 1 },
      { bookId, dueAt: NOW + 1 },
      { bookId, dueAt: null },
    ]);
    await stuckPayout(await oneDue());
    expect(await readBacklog(pool, MOVED, NOW)).toEqual([
      { kind: 'period', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'hold', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'statement_schedule', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'credit', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'payout', oldestDueAt: NOW - 7_000, due: 2, stuck: 1 },
      { kind: 'payout_batch', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'payment_operation', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'payment', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'payment_share', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'acquirer_payday', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'dispute', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'card_operation', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'transaction', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'fee_day', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'reconciliation', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'notice', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'delivery', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'replay', oldestDueAt: null, due: 0, stuck: 0 },
      { kind: 'report', oldestDueAt: null, due: 0, stuck: 0 },
    ]);
  });

  test('unknown payouts are counted by rail; exceptions are listed while open', async () => {
    await insertPayouts(superuser, [
      { bookId, status: 'processing', outcome: 'unknown', dueAt: null },
      { bookId, status: 'processing', dueAt: null },
    ]);
    expect(await countUnknown(pool)).toEqual([{ rail: 'sandbox', payouts: 1 }]);
    const exception = [bookId, newId(), newId()];
    for (const status of ['open', 'resolved']) {
      await superuser.query(
        `INSERT INTO exceptions (book_id, id, kind, resource, resource_id, detail, status, created_at)
         VALUES ($1, gen_random_uuid(), 'paid_after_failed', 'payout', $2, 'what happened', $3, $4)`,
        [exception[0], exception[2], status, new Date(NOW)],
      );
    }
    expect(await listOpenExceptions(pool, { limit: 10 })).toMatchObject([
      {
        bookId,
        exception: { kind: 'paid_after_failed', status: 'open', resourceId: exception[2], createdAt: NOW },
      },
    ]);
  });

  describe('metrics', () => {
    const depth: QueueDepth = {
      queue: 'ledger-0',
      pool: 'ledger',
      partition: 0,
      states: { waiting: 3, active: 1, delayed: 0, failed: 0 },
    };
    const metricsOf = (sources: Partial<Parameters<typeof createMetrics>[0]> = {}) =>
      createMetrics({
        groups: GROUPS,
        pool,
        queues: { depths: async () => [depth] },
        clock: { now: () => NOW },
        log,
        ...sources,
      });

    test('report due, stuck, unknown, open and queued work, and name no book', async () => {
      await superuser.query(
        `INSERT INTO exceptions (book_id, id, kind, resource, resource_id, detail, status, created_at)
         VALUES ($1, gen_random_uuid(), 'paid_after_failed', 'payout', gen_random_uuid(), 'what happened', 'open', $2)`,
        [bookId, new Date(NOW)],
      );
      await insertPayouts(superuser, [{ bookId, status: 'processing', outcome: 'unknown', dueAt: NOW - 7_000 }]);
      await stuckPayout(await oneDue());
      const text = await metricsOf().render();
      for (const line of [
        'countinghouse_due_oldest_seconds{kind="payout"} 7',
        'countinghouse_due_oldest_seconds{kind="delivery"} 0',
        'countinghouse_stuck_rows{kind="payout"} 1',
        'countinghouse_payouts_unknown{rail="sandbox"} 1',
        'countinghouse_exceptions_open{kind="paid_after_failed"} 1',
        'countinghouse_exceptions{kind="paid_after_failed",status="open"} 1',
        'countinghouse_queue_jobs{queue="ledger-0",state="waiting"} 3',
      ]) {
        expect(text.split('\n')).toContain(line);
      }
      expect(text).toContain('process_cpu_user_seconds_total');
      expect(text).not.toContain(bookId);
    });

    test("report how far this machine's clock is ahead of Postgres", async () => {
      const ahead = async (ms: number) => {
        const text = await metricsOf({ machineClock: { now: () => Date.now() + ms } }).render();
        return Number(/^countinghouse_clock_ahead_seconds (\S+)$/m.exec(text)?.[1]);
      };
      // Postgres runs on this machine and shares its clock. The query takes less than a minute.
      expect(Math.round((await ahead(3_600_000)) / 60)).toBe(60);
      expect(Math.round((await ahead(-7_200_000)) / 60)).toBe(-120);
      expect(Math.round((await ahead(0)) / 60) + 0).toBe(0);
    });

    test('count commits, requests and jobs', async () => {
      const metrics = metricsOf();
      metrics.observeBatch({
        commands: 40,
        ahead: true,
        shared: false,
        books: 1,
        skipped: 0,
        lockWaitSeconds: 0.002,
        commitSeconds: 0.004,
      });
      metrics.observeBatch({
        commands: 7,
        ahead: false,
        shared: true,
        books: 3,
        skipped: 2,
        lockWaitSeconds: 0.02,
        commitSeconds: 0.04,
      });
      metrics.batchDissolved('lock');
      metrics.observeRequest({ method: 'POST', route: '/v1/payouts', status: 202 }, 0.003);
      metrics.enqueuer.enqueued(5);
      metrics.enqueuer.dropped(2, 'unreachable');
      const lines = (await metrics.render()).split('\n');
      for (const line of [
        'countinghouse_batch_commands_sum{decided="ahead"} 40',
        'countinghouse_batch_commands_sum{decided="shared"} 7',
        'countinghouse_batch_books_sum{decided="shared"} 3',
        'countinghouse_batch_books_skipped_total 2',
        'countinghouse_batches_dissolved_total{reason="lock"} 1',
        'countinghouse_batches_total{decided="ahead"} 1',
        'countinghouse_batches_total{decided="shared"} 1',
        'countinghouse_book_lock_wait_seconds_count 2',
        'countinghouse_commit_seconds_bucket{le="0.005"} 1',
        'countinghouse_http_request_seconds_count{method="POST",route="/v1/payouts",status="202"} 1',
        'countinghouse_job_rows_enqueued_total 5',
        'countinghouse_job_rows_dropped_total{reason="unreachable"} 2',
      ]) {
        expect(lines).toContain(line);
      }
    });

    test('omit what cannot be read, and report the rest', async () => {
      let reachable = true;
      const queues = { depths: () => (reachable ? Promise.resolve([depth]) : Promise.reject(new Error('away'))) };
      const gone = createPool({ url: 'postgres://nobody:x@127.0.0.1:1/none', name: 'test', size: 1, log });
      expect(await metricsOf({ queues, pool: gone }).render()).toContain('countinghouse_queue_jobs{');
      reachable = false;
      const text = await metricsOf({ queues, pool: gone }).render();
      expect(text).not.toContain('countinghouse_queue_jobs{');
      expect(text).not.toContain('countinghouse_due_oldest_seconds{');
      expect(text).not.toMatch(/^countinghouse_clock_ahead_seconds /m);
      expect(text).toContain('process_cpu_user_seconds_total');
      await gone.end();
    });

    test('run one query for concurrent scrapes', async () => {
      let asked = 0;
      const queues = {
        depths: async () => {
          asked += 1;
          return [depth];
        },
      };
      const metrics = metricsOf({ queues });
      await Promise.all([metrics.render(), metrics.render(), metrics.render()]);
      await metrics.render();
      expect(asked).toBe(1);
    });
  });

  describe('npm run ops', () => {
    const ops = (...given: string[]) => runHere(program, given, { DATABASE_URL: database.applicationUrl });

    test('stuck: lists rows, retries by id, and names ids that are not stuck', async () => {
      const id = await oneDue();
      await insertDeliveries(superuser, [{ bookId, eventSequence: 7n, endpointId, dueAt: null }]);
      await stuckPayout(id);
      await markStuck(pool, movedDeliveries, { bookId, id: `7:${endpointId}`, error: 'a bug', at: NOW + 1 });
      const listed = await ops('stuck', 'list', '--json');
      const rows = listed.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(rows.map((row) => row.id)).toEqual([
        publicId('payout', id),
        `7:${publicId('webhookEndpoint', endpointId)}`,
      ]);
      expect((await ops('stuck', 'list')).out).toContain('Error: a bug');

      const retried = await ops('stuck', 'retry', rows[1].id, 'po_nothing', '--json');
      expect(retried).toMatchObject({ code: 1, out: '{"retried":1,"unknown":["po_nothing"]}\n' });
      expect(await ops('stuck', 'retry')).toMatchObject({ code: 0, out: '1 row tries again.\n' });
      expect(await ops('stuck', 'list')).toMatchObject({ code: 0, out: 'Nothing is stuck.\n' });
    });

    test('queues: shows depths, due rows and unknown payouts', async () => {
      await insertPayouts(superuser, [{ bookId, status: 'processing', outcome: 'unknown', dueAt: Date.now() - 5_000 }]);
      const { code, out } = await ops('queues', '--json');
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        backend: 'postgres',
        queues: ['ledger-0', 'rails-0', 'payments-0', 'webhooks-0', 'reports-0'].map((queue) => ({
          queue,
          waiting: 0,
        })),
        rows: [
          { kind: 'period', due: 0 },
          { kind: 'hold', due: 0 },
          { kind: 'statement_schedule', due: 0 },
          { kind: 'credit', due: 0 },
          { kind: 'payout', due: 1 },
          { kind: 'payout_batch', due: 0 },
          { kind: 'payment_operation', due: 0 },
          { kind: 'payment', due: 0 },
          { kind: 'payment_share', due: 0 },
          { kind: 'acquirer_payday', due: 0 },
          { kind: 'dispute', due: 0 },
          { kind: 'card_operation', due: 0 },
          { kind: 'transaction', due: 0 },
          { kind: 'fee_day', due: 0 },
          { kind: 'reconciliation', due: 0 },
          { kind: 'notice', due: 0 },
          { kind: 'delivery', due: 0 },
          { kind: 'replay', due: 0 },
          { kind: 'report', due: 0 },
        ],
        payouts_unknown: [{ rail: 'sandbox', payouts: 1 }],
      });
      expect((await ops('queues')).out).toContain('Payouts of unknown outcome');
    });

    test('exceptions: says when none is open', async () => {
      expect(await ops('exceptions', 'list')).toMatchObject({ code: 0, out: 'No exception is open.\n' });
    });
  });
});
