/** Since when rows wait for their pool: exact for a few rows and for tens of thousands, whatever the sweeper has postponed. */
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { GROUPS } from '../../../src/groups.ts';
import { createMetrics } from '../../../src/metrics/metrics.ts';
import { WaitingTimes } from '../../../src/operations/waiting.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { createSweeper } from '../../../workers/sweeper.ts';
import { insertPayouts, withoutForeignKeys } from '../../support/operations-rows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = pino({ level: 'silent' });
const SECOND = 1_000;
const NOW = Date.UTC(2026, 0, 15, 12);

describe('the oldest row that waits', () => {
  let database: TestDatabase;
  let superuser: pg.Client;
  let pool: Pool;
  let book: Uuid;
  let now: number;

  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = new pg.Client({ connectionString: database.superuserUrl });
    await superuser.connect();
    await withoutForeignKeys(superuser);
    pool = createPool({ url: database.applicationUrl, name: 'test', size: 4, log });
  });
  beforeEach(async () => {
    await superuser.query('TRUNCATE payouts, webhook_deliveries, webhook_endpoints, rail_notices CASCADE');
    book = newId();
    now = NOW;
  });
  afterAll(async () => {
    await pool.end();
    await superuser.end();
    await database.drop();
  });

  const times = () => new WaitingTimes({ pool, groups: GROUPS, scanLimitMs: 30_000 });
  /** Seconds by pool and kind, without those that do not wait. */
  async function seconds(of = times()) {
    const read = await of.read(now);
    return Object.fromEntries(
      read.flatMap(({ pool: to, kind, since }) =>
        since === null ? [] : [[`${to} ${kind}`, Math.round((now - since) / SECOND)]],
      ),
    );
  }
  /** Waits since `agoMs`, as the API accepts a payout. */
  async function pending(agoMs: number, status = 'pending') {
    const [id] = await insertPayouts(superuser, [{ bookId: book, status, dueAt: now - agoMs + 30 * SECOND }]);
    await superuser.query('UPDATE payouts SET updated_at = $2 WHERE id = $1', [id, new Date(now - agoMs)]);
    return id!;
  }
  /** The sweeper of a product whose workers are away. */
  const sweep = () =>
    createSweeper({
      groups: GROUPS,
      pool,
      queues: {
        partitions: 1,
        add: async () => undefined,
        depth: async (of, partition) => {
          const states = { waiting: 0, active: 0, delayed: 0, failed: 0 };
          return { queue: `${of}-${partition}`, pool: of, partition, states };
        },
      },
      acquirers: { all: () => [] },
      processors: { all: () => [] },
      rails: { all: () => [], files: () => [] },
      clock: { now: () => now },
      log,
      forms: { multiBookJobs: false, laterJobs: true },
      config: { SWEEP_INTERVAL_MS: 50, IDEMPOTENCY_BODY_RETENTION_DAYS: 30, NOTICE_RETENTION_DAYS: 90 },
    }).sweep();

  test('of twenty is told from the first second on, and while the sweeper postpones them for hours', async () => {
    for (let number = 0; number < 20; number++) await pending(number * 100);
    const oldest = NOW - 1_900;
    const reading = times();
    for (const passed of [0, 10, 29, 31, 45, 120, 3_600, 7_200]) {
      now = NOW + passed * SECOND;
      await sweep();
      expect(await seconds(reading)).toEqual({ 'ledger payout': Math.round((now - oldest) / SECOND) });
    }
    await superuser.query("UPDATE payouts SET status = 'processing', updated_at = $1, sent_at = $1", [new Date(now)]);
    expect(await seconds(reading)).toEqual({ 'rails payout': 0 });
    await superuser.query("UPDATE payouts SET status = 'paid', due_at = NULL");
    expect(await seconds(reading)).toEqual({});
  });

  test('is told for each pool, and an inquiry that is not due yet waits for nobody', async () => {
    await pending(50 * SECOND);
    const inquired = await pending(3_600 * SECOND, 'processing');
    await superuser.query('UPDATE payouts SET next_inquiry_at = $2, due_at = $2 WHERE id = $1', [
      inquired,
      new Date(now + 60 * SECOND),
    ]);
    expect(await seconds()).toEqual({ 'ledger payout': 50 });
    now += 70 * SECOND;
    expect(await seconds()).toEqual({ 'ledger payout': 120, 'rails payout': 10 });
  });

  test('is told of notices by the pool that books them, and of endpoints that are behind', async () => {
    for (const [party, ago] of [
      ['sandbox', 40],
      ['sandbox_acquirer', 70],
    ] as const)
      await superuser.query(
        `INSERT INTO rail_notices (book_id, rail, id, end_to_end_id, kind, reference, notice, status, due_at, told_at, created_at, updated_at)
         VALUES ($1, $2, gen_random_uuid(), 'CH1', 'paid', 'R', '{}', 'waiting', $3, $3, $3, $3)`,
        [book, party, new Date(now - ago * SECOND)],
      );
    await superuser.query(
      `INSERT INTO webhook_endpoints (book_id, id, url, events, status, secret_sealed, retry_at, due_at, created_at, updated_at)
       VALUES ($1, gen_random_uuid(), 'https://example.com', '{*}', 'enabled', '', $2, $3, $2, $2)`,
      [book, new Date(now - 90 * SECOND), new Date(now + 20 * SECOND)],
    );
    expect(await seconds()).toEqual({ 'rails notice': 40, 'payments notice': 70, 'webhooks webhook_endpoint': 90 });
  });

  test('of 30,000 is exact, whatever their due times, and while workers take the oldest', async () => {
    const rows = 30_000;
    const old = await pending(5_000 * SECOND);
    await payoutsWait(rows);
    // The oldest is due last.
    await superuser.query('UPDATE payouts SET due_at = $2 WHERE id = $1', [old, new Date(now + 30 * SECOND)]);
    await superuser.query('ANALYZE payouts');
    const reading = times();
    expect(await seconds(reading)).toEqual({ 'ledger payout': 5_000, 'rails payout': 3_000 });
    now += 5 * SECOND;
    await superuser.query("UPDATE payouts SET status = 'paid', due_at = NULL WHERE id = $1", [old]);
    expect(await seconds(reading)).toEqual({ 'ledger payout': 3_005, 'rails payout': 3_005 });
    // More than the list of a scan holds.
    await superuser.query("UPDATE payouts SET status = 'paid', due_at = NULL WHERE updated_at < $1", [
      new Date(NOW - 900 * SECOND),
    ]);
    await expect.poll(() => seconds(reading)).toEqual({ 'ledger payout': 905, 'rails payout': 905 });
  });

  /** So many payouts, half of them for each of two pools. The sweeper has postponed each at another time. */
  async function payoutsWait(rows: number) {
    await superuser.query(
      `INSERT INTO payouts (book_id, id, status, account_id, hold_id, amount, fee, currency, rail, destination_type,
                            end_to_end_id, request_id, due_at, created_at, updated_at)
       SELECT $1, id, CASE n % 2 WHEN 0 THEN 'pending' ELSE 'processing' END, id, id, 900, 0, 'JOD', 'sandbox', 'cliq', id::text, id,
              $2::timestamptz + (n * 7919 % 30000) * interval '1 ms', $2, $2::timestamptz - n * interval '100 ms'
       FROM (SELECT gen_random_uuid() AS id, n FROM generate_series(1, $3) n) AS made`,
      [book, new Date(now), rows],
    );
  }

  /** And as many deliveries: three scans. */
  async function manyWait(rows: number) {
    await payoutsWait(rows);
    await superuser.query(
      `INSERT INTO webhook_deliveries (book_id, event_sequence, endpoint_id, status, due_at, created_at)
       SELECT $1, n, $1, 'pending', $2, $2 FROM generate_series(1, $3) n`,
      [book, new Date(now), rows],
    );
  }
  /** The pool, where `scan` stands before each scan. */
  function scanning(scan: () => Promise<void>): Pool {
    const query = async (text: string, values: unknown[]) => {
      if (text.includes('ORDER BY since')) await scan();
      return pool.query(text, values);
    };
    return { query } as unknown as Pool;
  }

  test('is that of the rows that are due first while a scan takes too long, and one scan runs at a time', async () => {
    await manyWait(4_000);
    let [begun, running, most] = [0, 0, 0];
    const release: (() => void)[] = [];
    const slow = scanning(async () => {
      begun++;
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => release.push(resolve));
      running--;
    });
    const reading = new WaitingTimes({ pool: slow, groups: GROUPS, scanLimitMs: 50 });
    for (let read = 0; read < 3; read++)
      expect(Object.keys(await seconds(reading))).toEqual(['ledger payout', 'rails payout', 'webhooks delivery']);
    expect([begun, most]).toEqual([1, 1]);
    const open = setInterval(() => {
      for (const each of release.splice(0)) each();
    }, 1);
    await expect.poll(() => seconds(reading)).toMatchObject({ 'ledger payout': 400, 'rails payout': 400 });
    clearInterval(open);
    expect(most).toBe(1);
  });

  test('is not scanned for again at once where a scan fails', async () => {
    await manyWait(4_000);
    const refuse = () => Promise.reject(new Error('canceling statement due to statement timeout'));
    const refused = new WaitingTimes({ pool: scanning(refuse), groups: GROUPS, scanLimitMs: 30_000 });
    let failed = 0;
    // Each takes as long as two reads: the pause is nine times that, on a machine of any speed.
    const failing = scanning(async () => {
      await refused.read(now);
      await refused.read(now);
      failed++;
      return refuse();
    });
    const reading = new WaitingTimes({ pool: failing, groups: GROUPS, scanLimitMs: 30_000 });
    for (let read = 0; read < 3; read++)
      expect(Object.keys(await seconds(reading))).toEqual(['ledger payout', 'rails payout', 'webhooks delivery']);
    expect(failed).toBe(3);
  });

  test('is a metric, with a line for every pool and kind', async () => {
    await pending(12 * SECOND);
    const text = await createMetrics({
      groups: GROUPS,
      pool,
      queues: { depths: async () => [] },
      clock: { now: () => now },
      log,
    }).render();
    const lines = text.split('\n').filter((line) => line.startsWith('countinghouse_waiting_oldest_seconds{'));
    expect(lines).toContain('countinghouse_waiting_oldest_seconds{pool="ledger",kind="payout"} 12');
    expect(lines).toContain('countinghouse_waiting_oldest_seconds{pool="rails",kind="payout"} 0');
    expect(lines).toContain('countinghouse_waiting_oldest_seconds{pool="webhooks",kind="delivery"} 0');
    expect(lines.length).toBeGreaterThan(10);
  });
});
