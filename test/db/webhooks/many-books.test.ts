/** Deliveries of many books in shared statements: as fast as those of one, and no book is in the way of another. */
import type { ServerResponse } from 'node:http';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { Room } from '../../../src/fairness/room.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';
import type { BookRow } from '../../../src/ledger/rows/table.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { type DeliveryKey, type DeliveryResult, parseDeliveryId } from '../../../src/webhooks/deliveries/delivery.ts';
import { loadPendingOfBooks, recordResultsOfBooks } from '../../../src/webhooks/deliveries/delivery-pairs-store.ts';
import { loadPendingDeliveries, recordResults } from '../../../src/webhooks/deliveries/delivery-store.ts';
import { createRecorder } from '../../../src/webhooks/deliveries/record-deliveries.ts';
import { attemptsOf, setStage } from './stage.ts';
import { deliveriesOf, log, START } from './world.ts';

const stage = setStage();

interface Tenant {
  readonly bookId: BookId;
  readonly endpointId: Uuid;
  readonly ids: string[];
}

/** Books with an endpoint each and some deliveries of it. */
async function tenants(count: number, { url, events = 1 }: { url: string; events?: number }): Promise<Tenant[]> {
  const made: Tenant[] = [];
  for (let number = 0; number < count; number++) {
    const bookId = await stage.world.newBook();
    const { id } = await stage.world.endpoint(bookId, { url, events: ['payout.*'] });
    made.push({ bookId, endpointId: id, ids: await stage.world.emit(bookId, 'payout.paid', events) });
  }
  return made;
}

const statusesOf = async ({ endpointId }: Tenant) =>
  (await deliveriesOf(stage.world.pool, endpointId)).map(({ status }) => status);

function newResult(id: string, { arrived, attempts }: { arrived: boolean; attempts: number }): DeliveryResult {
  return {
    ...parseDeliveryId(id)!,
    attempts,
    status: arrived ? 'delivered' : 'pending',
    retryAt: arrived ? null : START + 5_000,
    attempt: {
      startedAt: START,
      durationMs: 5,
      status: arrived ? 200 : 500,
      error: null,
      response: 'said "so"',
      retryAfterMs: null,
    },
  };
}

function openPool(url: string): Pool {
  const pool = createPool({ url, name: 'test', size: 8, log });
  stage.after(() => pool.end());
  return pool;
}

/** A stranger's transaction that holds a row until it is let go. */
async function hold(sql: string, values: unknown[]): Promise<() => Promise<unknown>> {
  const stranger = new pg.Client({ connectionString: stage.world.superuserUrl });
  await stranger.connect();
  let held = true;
  const letGo = async () => {
    if (!held) return;
    held = false;
    await stranger.query('ROLLBACK');
    await stranger.end();
  };
  stage.after(letGo);
  await stranger.query('BEGIN');
  await stranger.query(sql, values);
  return letGo;
}

/** So many are answered at once: their results are there at once, and are recorded together. */
function answerAtOnce(count: number): (response: ServerResponse) => void {
  let held: ServerResponse[] = [];
  return (response) => {
    held.push(response);
    if (held.length < count) return;
    for (const one of held) one.writeHead(200).end();
    held = [];
  };
}

describe('deliveries of many books', () => {
  test('share queries and commits, and each is sent and recorded once', async () => {
    const hooks = await stage.receiver(answerAtOnce(40));
    const all = await tenants(40, { url: hooks.url, events: 2 });
    const query = vi.spyOn(stage.world.pool, 'query');
    const connect = vi.spyOn(stage.world.pool, 'connect');
    const posting = stage.deliverer();
    await Promise.all(all.map(({ bookId, ids }) => posting.deliver(bookId, ids)));
    expect(hooks.received).toHaveLength(80);
    for (const tenant of all) {
      expect(await statusesOf(tenant)).toEqual(['delivered', 'delivered']);
      expect(await attemptsOf(stage.world, tenant.endpointId)).toHaveLength(2);
    }
    const names = query.mock.calls.map(([config]) => (config as { name?: string }).name);
    expect(names.filter((name) => name?.startsWith('webhook_deliveries.load'))).toEqual([
      'webhook_deliveries.load_pairs',
    ]);
    // Results of several books are recorded in a transaction, those of one book in a statement.
    const transactions = connect.mock.calls.filter(([callback]) => callback === undefined).length;
    const recorded = transactions + names.filter((name) => name === 'webhook_deliveries.record').length;
    // A few for each forty, where each result by itself makes 80.
    expect(recorded).toBeLessThan(20);
  });

  test('are loaded alike book by book and together, those that are stuck or unknown not at all', async () => {
    const all = await tenants(3, { url: 'https://example.com/hooks', events: 3 });
    const [first, second] = all;
    await stage.world.pool.query(
      `UPDATE webhook_deliveries SET stuck_at = now() WHERE book_id = $1 AND event_sequence =
         (SELECT max(event_sequence) FROM webhook_deliveries WHERE book_id = $1)`,
      [first!.bookId],
    );
    const keysOf = ({ ids }: Tenant) => ids.map((id) => parseDeliveryId(id)!);
    const keys: BookRow<DeliveryKey>[] = all.flatMap((tenant) =>
      keysOf(tenant).map((row) => ({ bookId: tenant.bookId, row })),
    );
    // Another book's endpoint is not this book's.
    keys.push({ bookId: first!.bookId, row: keysOf(second!)[0]! });
    const together = await loadPendingOfBooks(stage.world.pool, keys);
    const oneByOne: typeof together = [];
    for (const tenant of all) {
      const loaded = await loadPendingDeliveries(stage.world.pool, tenant.bookId, keysOf(tenant));
      oneByOne.push(...loaded.map((row) => ({ bookId: tenant.bookId, row })));
    }
    expect(together).toHaveLength(8);
    expect(together).toEqual(expect.arrayContaining(oneByOne));
  });

  test('have the personal text of their own book filled in', async () => {
    const all = await tenants(3, { url: 'https://example.com/hooks' });
    const reference = 'ab'.repeat(32);
    const superuser = new pg.Client({ connectionString: stage.world.superuserUrl });
    await superuser.connect();
    stage.after(() => superuser.end());
    await superuser.query('SET session_replication_role = replica');
    await superuser.query('UPDATE events SET payload = $2, text_references = $3 WHERE book_id = ANY ($1)', [
      all.map(({ bookId }) => bookId),
      `{"name":{"$personal":"${reference}"}}`,
      reference,
    ]);
    // The text of the third is erased.
    for (const { bookId } of all.slice(0, 2))
      await superuser.query(
        `INSERT INTO personal_texts (book_id, reference, object, object_id, field, salt, text)
         VALUES ($1, decode($2, 'hex'), 'payout', $1, 'description', '', $3)`,
        [bookId, reference, `"text of ${bookId}"`],
      );
    const keys = all.map(({ bookId, ids }) => ({ bookId, row: parseDeliveryId(ids[0]!)! }));
    const loaded = await loadPendingOfBooks(stage.world.pool, keys);
    const payloads = new Map(loaded.map(({ bookId, row }) => [bookId, [row.payload, row.texts]]));
    const [first, second, third] = all.map(({ bookId }) => bookId);
    expect(payloads).toEqual(
      new Map([
        [first, [`{"name":"text of ${first}"}`, [`"text of ${first}"`]]],
        [second, [`{"name":"text of ${second}"}`, [`"text of ${second}"`]]],
        [third, ['{"name":null}', []]],
      ]),
    );
  });

  test('are recorded alike book by book and together, with the health of their endpoints', async () => {
    const all = await tenants(4, { url: 'https://example.com/hooks', events: 2 });
    const result = (id: string, arrived: boolean) => newResult(id, { arrived, attempts: 0 });
    // Of the first and third both fail, of the others one arrives.
    const resultsOf = ({ ids }: Tenant, index: number) => [result(ids[0]!, false), result(ids[1]!, index % 2 === 1)];
    const together = all.slice(0, 2);
    await recordResultsOfBooks(
      stage.world.pool,
      together.flatMap((tenant, index) => resultsOf(tenant, index).map((row) => ({ bookId: tenant.bookId, row }))),
    );
    for (const [index, tenant] of all.slice(2).entries())
      await recordResults(stage.world.pool, tenant.bookId, resultsOf(tenant, index));
    const stateOf = async ({ bookId, endpointId }: Tenant) => ({
      deliveries: await deliveriesOf(stage.world.pool, endpointId),
      attempts: await attemptsOf(stage.world, endpointId),
      health: (await stage.world.pool.query('SELECT failing_since FROM webhook_endpoints WHERE book_id = $1', [bookId]))
        .rows,
    });
    const states = await Promise.all(all.map(stateOf));
    expect(states.slice(0, 2)).toEqual(states.slice(2));
    expect(states.map(({ health }) => health)).toEqual([
      [{ failing_since: START }],
      [{ failing_since: null }],
      [{ failing_since: START }],
      [{ failing_since: null }],
    ]);
    // The same results again change nothing, and a later arrival ends the failing.
    const before = states[0];
    const again = (row: DeliveryResult) => recordResultsOfBooks(stage.world.pool, [{ bookId: all[0]!.bookId, row }]);
    await again(result(all[0]!.ids[0]!, false));
    expect(await stateOf(all[0]!)).toEqual(before);
    await again({ ...result(all[0]!.ids[0]!, true), attempts: 1 });
    expect((await stateOf(all[0]!)).health).toEqual([{ failing_since: null }]);
  });

  test('of a hundred books, the one that the database refuses is found, and the others are recorded', async () => {
    const hooks = await stage.receiver();
    const all = await tenants(100, { url: hooks.url });
    const poisoned = all[36]!;
    const owner = createPool({ url: stage.world.ownerUrl, name: 'test', size: 1, log });
    stage.after(async () => {
      await owner.query('ALTER TABLE webhook_attempts DROP CONSTRAINT no_poison');
      await owner.end();
    });
    await owner.query(
      `ALTER TABLE webhook_attempts ADD CONSTRAINT no_poison CHECK (endpoint_id <> '${poisoned.endpointId}')`,
    );
    const posting = stage.deliverer();
    await Promise.all(all.map(({ bookId, ids }) => posting.deliver(bookId, ids)));
    expect(stage.failures).toEqual([{ id: poisoned.ids[0], error: expect.objectContaining({ code: '23514' }) }]);
    for (const tenant of all) expect(await statusesOf(tenant)).toEqual([tenant === poisoned ? 'pending' : 'delivered']);
  });

  test('an id that the database refuses fails its own book alone', async () => {
    const hooks = await stage.receiver();
    const [good, bad] = await tenants(2, { url: hooks.url });
    const posting = stage.deliverer();
    const beyond = `9999999999999999999:${bad!.endpointId}`;
    const outcomes = await Promise.allSettled([
      posting.deliver(good!.bookId, good!.ids),
      posting.deliver(bad!.bookId, [beyond]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await statusesOf(good!)).toEqual(['delivered']);
  });

  test.each([
    ['a delivery', 'SELECT FROM webhook_deliveries WHERE endpoint_id = $1 FOR UPDATE'],
    ['an endpoint', 'SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE'],
  ])('of which one has %s that somebody holds: the others are recorded meanwhile', async (_, sql) => {
    const all = await tenants(6, { url: 'https://example.com/hooks', events: 2 });
    const [held, ...others] = all;
    const letGo = await hold(sql, [held!.endpointId]);
    // A role without timeouts: a batch that does not give up by itself would wait for the stranger.
    const record = createRecorder(openPool(stage.world.superuserUrl), new Room(5));
    // Each failure changes the health of its endpoint, and those of one turn go in one batch.
    const recordAll = (event: number) =>
      all.map(({ bookId, ids }) => record(bookId, newResult(ids[event]!, { arrived: false, attempts: 0 })));
    const attempts = async ({ endpointId }: Tenant) =>
      (await deliveriesOf(stage.world.pool, endpointId)).map((delivery) => delivery.attempts);
    const first = recordAll(0);
    await Promise.all(first.slice(1));
    // Also those that come while it goes by itself.
    const second = recordAll(1);
    await Promise.all(second.slice(1));
    for (const tenant of others) expect(await attempts(tenant)).toEqual([1, 1]);
    expect(await attempts(held!)).toEqual([0, 0]);
    await letGo();
    expect(await Promise.all([...first, ...second])).toEqual(Array.from({ length: 12 }, () => undefined));
    expect(await attempts(held!)).toEqual([1, 1]);
  });

  test.each([
    ['deliveries', 0, 'SELECT FROM webhook_deliveries WHERE endpoint_id = $1 FOR UPDATE'],
    // Each has deliveries of its own, and both change the health of every endpoint.
    ['endpoints', 1, 'SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE'],
  ])(
    'two processes that record the same %s of several books never wait for each other in a circle',
    async (_, other, sql) => {
      const all = await tenants(5, { url: 'https://example.com/hooks', events: 2 });
      const failed = (event: number): BookRow<DeliveryResult>[] =>
        all.map(({ bookId, ids }) => ({ bookId, row: newResult(ids[event]!, { arrived: false, attempts: 9 }) }));
      const superuser = openPool(stage.world.superuserUrl);
      const { rows } = await superuser.query('SELECT current_database() AS name');
      // Postgres finds a circle before a batch gives up waiting.
      await superuser.query(`ALTER DATABASE ${rows[0].name} SET deadlock_timeout = '10ms'`);
      stage.after(() => superuser.query(`ALTER DATABASE ${rows[0].name} RESET deadlock_timeout`));
      const pool = openPool(stage.world.applicationUrl);
      const waiting = async () => {
        const { rows: found } = await superuser.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return found.length;
      };
      for (let done = false; !done; ) {
        // Both wait for the stranger, or one for the other, when he lets go.
        const letGo = await hold(sql, [all[2]!.endpointId]);
        const recorded = Promise.allSettled([
          recordResultsOfBooks(pool, failed(0)),
          recordResultsOfBooks(pool, failed(other).toReversed()),
        ]);
        let ended = false;
        void recorded.then(() => {
          ended = true;
        });
        while (!ended && (await waiting()) < 2);
        await letGo();
        const codes = (await recorded).map((outcome) =>
          outcome.status === 'rejected' ? outcome.reason.code : 'recorded',
        );
        // On a busy machine one may wait too long before it is let go, and give up: then once more.
        expect(codes.filter((code) => code !== '55P03' && code !== 'recorded')).toEqual([]);
        done = codes.every((code) => code === 'recorded');
      }
    },
  );

  test('a deadlock over several books does not cause another attempt', async () => {
    const hooks = await stage.receiver(answerAtOnce(20));
    const all = await tenants(20, { url: hooks.url });
    const connect = stage.world.pool.connect.bind(stage.world.pool) as (...given: unknown[]) => unknown;
    let failed = false;
    // A connection for a transaction is a promise; a query of the pool hands a callback over.
    vi.spyOn(stage.world.pool, 'connect').mockImplementation(((...given: unknown[]) => {
      if (failed || given.length > 0) return connect(...given);
      failed = true;
      return Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
    }) as never);
    const posting = stage.deliverer();
    await Promise.all(all.map(({ bookId, ids }) => posting.deliver(bookId, ids)));
    expect(failed).toBe(true);
    expect(hooks.received).toHaveLength(20);
    for (const tenant of all) expect(await statusesOf(tenant)).toEqual(['delivered']);
  });
});
