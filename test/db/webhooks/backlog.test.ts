/** Endpoints that are behind: one due row each, drained in order, and without delay for other endpoints. */
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { createPool } from '../../../src/db/pool.ts';
import { GROUPS } from '../../../src/groups.ts';
import type { EventPost } from '../../../src/outside/connections/post-event.ts';
import { partsOf } from '../../../src/queue/job.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { checkOverdue } from '../../../src/verify/overdue-check.ts';
import { deleteEndpoint, disableEndpoint, enableEndpoint } from '../../../src/webhooks/actions/manage-endpoint.ts';
import { deliveryView, listDeliveries } from '../../../src/webhooks/deliveries/delivery-list-store.ts';
import { createSweeper } from '../../../workers/sweeper.ts';
import { eventually } from '../../support/eventually.ts';
import { reportCounts } from '../../support/statistics.ts';
import { change, setStage } from './stage.ts';
import { backlogOf, type DeliveryState, deliveriesOf, log, NO_BACKLOG, START } from './world.ts';

const stage = setStage();
const MINUTE = 60_000;

/** A sweeper over the stage's database that hands its jobs to a deliverer at once. */
function sweeping(posting: ReturnType<typeof stage.deliverer>, pool = stage.world.pool) {
  const enqueued: string[] = [];
  const { clock } = stage.world;
  const sweeper = createSweeper({
    groups: GROUPS,
    pool,
    clock,
    log,
    forms: { multiBookJobs: false, laterJobs: true },
    config: { SWEEP_INTERVAL_MS: 50, IDEMPOTENCY_BODY_RETENTION_DAYS: 30, NOTICE_RETENTION_DAYS: 90 },
    rails: { all: () => [], files: () => [] },
    acquirers: { all: () => [] },
    processors: { all: () => [] },
    queues: {
      partitions: 1,
      async add(_pool, _partition, jobs) {
        for (const { name, data } of jobs) {
          for (const { bookId, ids } of partsOf(data)) {
            enqueued.push(...ids.map((id) => `${name} ${id}`));
            if (name === 'endpoint.drain') posting.drain(bookId, ids);
            else posting.take(bookId, ids);
          }
        }
      },
      depth: async (of, partition) => {
        return { queue: `${of}`, pool: of, partition, states: { waiting: 0, active: 0, delayed: 0, failed: 0 } };
      },
    },
  });
  return { sweep: () => sweeper.sweep(), enqueued };
}

const pendingOf = async (endpointId: Uuid) =>
  (await deliveriesOf(stage.world.pool, endpointId)).filter(({ status }) => status === 'pending').length;

/** Puts an endpoint behind, as after failed attempts: `count` deliveries wait, and the endpoint is due at START. */
async function putBehind(endpointId: Uuid, count: number): Promise<void> {
  const { pool } = stage.world;
  const from = (
    await pool.query<{ sequence: bigint }>('SELECT event_sequence AS sequence FROM books WHERE id = $1', [stage.bookId])
  ).rows[0]!.sequence;
  const superuser = new pg.Client({ connectionString: stage.world.superuserUrl });
  await superuser.connect();
  await superuser.query('SET session_replication_role = replica');
  await superuser.query(
    `INSERT INTO events (book_id, sequence, id, type, object_id, request_id, actor, created_at, payload)
     SELECT $1, $2 + n, gen_random_uuid(), 'payout.paid', gen_random_uuid(), gen_random_uuid(), 'test', $3,
       '{"type":"payout.paid","n":' || n || '}' FROM generate_series(1, $4) n`,
    [stage.bookId, from, new Date(START), count],
  );
  await superuser.query(
    `INSERT INTO webhook_deliveries (book_id, endpoint_id, event_sequence, status, due_at, created_at)
     SELECT $1, $5, $2 + n, 'pending', NULL, $3
     FROM generate_series(1, $4) n`,
    [stage.bookId, from, new Date(START), count, endpointId],
  );
  await superuser.query('UPDATE books SET event_sequence = event_sequence + $2 WHERE id = $1', [stage.bookId, count]);
  await superuser.query(
    `UPDATE webhook_endpoints SET behind_since = $2, retry_at = $2, due_at = $2, retry_attempts = 1, waiting_from = $3
     WHERE id = $1`,
    [endpointId, new Date(START), from + 1n],
  );
  await superuser.query('ANALYZE events, webhook_deliveries');
  await superuser.end();
}

describe('an endpoint that is behind', () => {
  test('gets new deliveries without a job or a due time of their own, and receives all in order', async () => {
    let well = false;
    const hooks = await stage.receiver((response) => response.writeHead(well ? 200 : 500).end());
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    const posting = stage.deliverer();
    posting.take(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid', 100));
    await eventually(async () => expect((await backlogOf(stage.world.pool, id)).retry_attempts).toBe(1));
    const backlog = await backlogOf(stage.world.pool, id);
    expect(backlog).toMatchObject({ behind_since: START, retry_at: START + 5_000, due_at: START + 5_000 });
    const before = (await deliveriesOf(stage.world.pool, id)).length;
    expect(await stage.world.emit(stage.bookId, 'payout.paid', 10)).toEqual([]);
    const written = (await deliveriesOf(stage.world.pool, id)).slice(before);
    expect(written.map(({ due_at }) => due_at)).toEqual(Array(10).fill(null));

    const page = await listDeliveries(stage.world.pool, { bookId: stage.bookId, endpointId: id }, { limit: 1 });
    expect(deliveryView(page.rows[0]!, false).next_attempt_at).toBe(new Date(START + 5_000).toISOString());

    well = true;
    stage.world.clock.set(START + 6 * MINUTE);
    const { sweep } = sweeping(posting);
    await sweep();
    await eventually(async () => {
      await sweep();
      expect(await pendingOf(id)).toBe(0);
      expect(await backlogOf(stage.world.pool, id)).toEqual(NO_BACKLOG);
    });
    expect(await stage.world.emit(stage.bookId, 'payout.paid')).toHaveLength(1);
  });

  test('is due as one row: a delivery that falls due joins the backlog, and no job is enqueued for it', async () => {
    const hooks = await stage.receiver(() => undefined);
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    await stage.world.emit(stage.bookId, 'payout.paid', 3);
    await putBehind(id, 10);
    await stage.world.pool.query("UPDATE webhook_endpoints SET due_at = due_at + interval '1 hour' WHERE id = $1", [
      id,
    ]);
    stage.world.clock.set(START + MINUTE);
    const { sweep, enqueued } = sweeping(stage.deliverer());
    await sweep();
    expect(enqueued).toEqual([]);
    const states = await deliveriesOf(stage.world.pool, id);
    expect(states.map(({ due_at }) => due_at)).toEqual(states.map(() => null));
    expect((await backlogOf(stage.world.pool, id)).waiting_from).toBe(1n);
    const findings: unknown[] = [];
    const missing: unknown[] = [];
    await checkOverdue(stage.world.pool, {
      groups: GROUPS,
      now: START + 40 * MINUTE,
      bookId: stage.bookId,
      report: (one) => findings.push(one),
      missing: (one) => missing.push(one),
    });
    // Nobody is to attempt the endpoint for a while: one finding, not one for each delivery.
    expect(findings).toMatchObject([
      { check: 'delivery.overdue', actual: `to be tried since ${new Date(START).toISOString()}` },
    ]);
    expect(missing).toEqual([]);
  });

  test('is drained in order, with new events arriving meanwhile', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    await putBehind(id, 2_000);
    const posting = stage.deliverer();
    posting.drain(stage.bookId, [id]);
    await hooks.arrivals(1);
    for (let round = 0; round < 20; round++)
      posting.take(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid', 5));
    await eventually(async () => {
      expect(await pendingOf(id)).toBe(0);
      expect(await backlogOf(stage.world.pool, id)).toEqual(NO_BACKLOG);
    });
    expect(hooks.received).toHaveLength(2_100);
    const numbers = hooks.received
      .map(({ body }) => (JSON.parse(body) as { n?: number }).n)
      .filter((n) => n !== undefined);
    // In order, except for deliveries that run in parallel.
    for (const [index, number] of numbers.entries()) expect(Math.abs(number - index - 1)).toBeLessThan(1_000);
  });

  test('sends a failed delivery again behind the current event', async () => {
    let failed = false;
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hooks = await stage.receiver(async (response, { body }) => {
      const { n } = JSON.parse(body) as { n: number };
      if (n === 5 && !failed) {
        failed = true;
        return response.writeHead(500).end();
      }
      if (n > 100) await held;
      response.writeHead(200).end();
    });
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    await putBehind(id, 2_000);
    const posting = stage.deliverer();
    const { sweep } = sweeping(posting);
    posting.drain(stage.bookId, [id]);
    // The drain is past the failed delivery.
    await eventually(async () => expect(await pendingOf(id)).toBe(2_000 - 99));
    stage.world.clock.set(START + 10_000);
    await sweep();
    release!();
    await eventually(async () => {
      expect(await pendingOf(id)).toBe(0);
      expect(await backlogOf(stage.world.pool, id)).toEqual(NO_BACKLOG);
    });
    expect(hooks.received).toHaveLength(2_001);
  });

  test('is drained by a process whose clock is a little behind the one that set the due time', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    await putBehind(id, 20);
    // A failed delivery has joined the backlog, with its next attempt due by the other clock.
    await stage.world.pool.query(
      `UPDATE webhook_deliveries SET attempts = 1, retry_at = $2, due_at = $2 WHERE endpoint_id = $1
         AND event_sequence = (SELECT min(event_sequence) + 2 FROM webhook_deliveries WHERE endpoint_id = $1)`,
      [id, new Date(START)],
    );
    stage.world.clock.set(START - 1_500);
    stage.deliverer().drain(stage.bookId, [id]);
    await eventually(async () => {
      expect(await pendingOf(id)).toBe(0);
      expect(await backlogOf(stage.world.pool, id)).toEqual(NO_BACKLOG);
    });
    expect(hooks.received).toHaveLength(20);
  });

  test('is not behind any more once deleted, and its backlog is canceled', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    await putBehind(id, 20);
    await stage.world.submit(stage.bookId, deleteEndpoint(change(id)));
    stage.world.clock.set(Date.now() + MINUTE);
    stage.deliverer().drain(stage.bookId, [id]);
    await eventually(async () => expect(await backlogOf(stage.world.pool, id)).toEqual(NO_BACKLOG));
    expect((await deliveriesOf(stage.world.pool, id)).every(({ status }) => status === 'canceled')).toBe(true);
    expect(hooks.received).toHaveLength(0);
  });

  test('has its backlog canceled when switched off, and is due at once when switched on again', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    await putBehind(id, 20);
    await stage.world.pool.query("UPDATE webhook_endpoints SET retry_at = retry_at + interval '1 hour' WHERE id = $1", [
      id,
    ]);
    await stage.world.submit(stage.bookId, disableEndpoint(change(id)));
    await stage.world.submit(stage.bookId, enableEndpoint(change(id)));
    expect((await backlogOf(stage.world.pool, id)).retry_at!).toBeGreaterThan(START + 60 * MINUTE);
    stage.world.clock.set(Date.now() + MINUTE);
    await stage.world.submit(stage.bookId, disableEndpoint(change(id)));
    stage.deliverer().drain(stage.bookId, [id]);
    await eventually(async () => expect(await backlogOf(stage.world.pool, id)).toEqual(NO_BACKLOG));
    expect((await deliveriesOf(stage.world.pool, id)).every(({ status }) => status === 'canceled')).toBe(true);
    expect(hooks.received).toHaveLength(0);
  });

  test('is drained by one process at a time, and released by a process that stops', async () => {
    const answers: (() => void)[] = [];
    const hooks = await stage.receiver((response) => answers.push(() => response.writeHead(200).end()));
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    await putBehind(id, 50);
    const pool = createPool({ url: stage.world.applicationUrl, name: 'other', size: 1, log });
    stage.after(() => pool.end());
    const asked = vi.spyOn(pool, 'query');
    const [one, other] = [stage.deliverer(), stage.deliverer({ pool })];
    one.drain(stage.bookId, [id]);
    await hooks.arrivals(1);
    other.drain(stage.bookId, [id]);
    // The other process was told that the backlog is held, before it is released.
    await eventually(() => expect(asked).toHaveBeenCalledOnce());
    await asked.mock.results[0]!.value;
    const closing = one.close();
    for (const answer of answers.splice(0)) answer();
    await closing;
    expect(hooks.received).toHaveLength(1);
    other.drain(stage.bookId, [id]);
    await eventually(async () => {
      for (const answer of answers.splice(0)) answer();
      expect(await backlogOf(stage.world.pool, id)).toEqual(NO_BACKLOG);
    });
    expect(hooks.received).toHaveLength(50);
  });
});

/** Enough for any work by row to show. The bench `neighbours` has 200,000. */
const WAITING = 40_000;

test('a backlog of 40,000 deliveries costs a few updates and one log line, and all deliveries arrive', async () => {
  let well = false;
  const arrived = new Set<string>();
  // Instead of a receiver: that many requests over sockets would show nothing more about the drain.
  const url = 'http://127.0.0.1:1/hooks';
  const post = async (_agent: unknown, { url: to, headers }: EventPost) => {
    // The sweeper also finds deliveries of other tests.
    if (well && to === url) arrived.add(headers['webhook-id']!);
    return { status: well ? 200 : 503, error: null, retryAfter: undefined, response: null, isWhole: true };
  };
  const { id } = await stage.world.endpoint(stage.bookId, { url, events: ['payout.*'] });
  await putBehind(id, WAITING);
  const lines: { level: number; waiting?: number; since?: string }[] = [];
  const own = createPool({ url: stage.world.applicationUrl, name: COUNTED, size: 4, log });
  const told = { ...log, warn: (facts: object) => void lines.push(facts as never), info: () => undefined };
  const posting = stage.deliverer({ pool: own, log: told as never, post });

  const { sweep } = sweeping(posting, own);
  // Connections that stay idle would tell of what earlier tests have updated with it in the middle of this one.
  await reportCounts(stage.world.pool);
  const updatesBefore = await updatesOf(stage.world.superuserUrl);
  let moment = START;
  for (let wake = 2; wake <= 12; wake++) {
    await eventually(async () => {
      stage.world.clock.set(stage.world.clock.now() + 1_000);
      await sweep();
      expect((await backlogOf(stage.world.pool, id)).retry_attempts).toBe(wake);
    });
    moment = (await backlogOf(stage.world.pool, id)).retry_at!;
    stage.world.clock.set(moment);
  }
  const seconds = (moment - START) / 1_000;
  // After ten minutes the later due times are reached, and postponed in turn.
  for (let swept = 0; swept < 20; swept++) await sweep();
  await posting.close();
  await own.end();
  const updates = (await updatesOf(stage.world.superuserUrl)) - updatesBefore;
  expect(updates / seconds).toBeLessThan(5);
  // The attempts themselves were counted: each claims the endpoint, records its result and releases the endpoint.
  expect(updates).toBeGreaterThan(3 * 11);
  expect(lines).toMatchObject([{ since: new Date(START).toISOString() }]);
  expect(lines[0]!.waiting).toBeGreaterThan(WAITING - 100);

  well = true;
  const draining = stage.deliverer({ post });
  stage.world.clock.set(moment + 60 * MINUTE);
  const { sweep: sweepOn } = sweeping(draining);
  // A sweep skips an endpoint whose row another kind of the same sweep has locked: the next one finds it.
  await eventually(async () => {
    await sweepOn();
    expect(await backlogOf(stage.world.pool, id)).toEqual(NO_BACKLOG);
  });
  // Deliveries of the attempts above may have a later retry time. They are due by themselves and arrive then.
  const pending = await notArrived(id);
  expect(pending.length).toBeLessThan(12);
  for (const { status, attempts, due_at, retry_at } of pending)
    expect([status, attempts > 0, due_at]).toEqual(['pending', true, retry_at]);
  stage.world.clock.set(Math.max(moment, ...pending.map(({ retry_at }) => retry_at!)));
  await eventually(async () => {
    await sweepOn();
    expect(await notArrived(id)).toEqual([]);
  });
  expect(arrived.size).toBe(WAITING);
});

async function notArrived(endpointId: Uuid): Promise<DeliveryState[]> {
  const { rows } = await stage.world.pool.query<DeliveryState>(
    "SELECT status, attempts, retry_at, due_at FROM webhook_deliveries WHERE endpoint_id = $1 AND status <> 'delivered'",
    [endpointId],
  );
  return rows;
}

const COUNTED = 'counted';

/**
 * Rows updated so far in this database. Waits until the counted connections have ended: a connection reports its last
 * statistics when it ends.
 */
async function updatesOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await eventually(async () => {
    const counted = 'SELECT FROM pg_stat_activity WHERE application_name LIKE $1';
    expect((await client.query(counted, [`%${COUNTED}%`])).rowCount).toBe(0);
  });
  const { rows } = await client.query('SELECT sum(n_tup_upd)::float8 AS updates FROM pg_stat_user_tables');
  await client.end();
  return rows[0].updates;
}
