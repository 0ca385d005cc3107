/** Connections that break, hang or are terminated mid-batch: every command happens once and is answered. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Cut, startTcpProxy, type TcpProxy } from '../../../scripts/harness/tcp-proxy.ts';
import { PATIENCE_MS } from '../../../scripts/harness/until.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { idempotencyKeys } from '../../../src/idempotency/idempotency-table.ts';
import { once } from '../../../src/idempotency/once.ts';
import { lockBook } from '../../../src/ledger/book/book-store.ts';
import { acceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { returnPayout } from '../../../src/payouts/returns/return-payout.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, payoutRequest, type TestBook } from '../../support/book.ts';
import { eventually } from '../../support/eventually.ts';
import { PLAIN_FINGERPRINTS } from '../../support/fingerprints.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = createLogger('silent', 'test');
let database: TestDatabase;
let superuser: pg.Client;
let proxy: TcpProxy;
/** Connects to the database directly. */
let book: TestBook;
/** The same book, connected through the proxy. */
let far: TestBook;
let accountId: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuserUrl);
  await superuser.connect();
  proxy = await startTcpProxy(database.applicationUrl);
});

afterAll(async () => {
  await proxy?.close();
  await superuser?.end();
  await database?.drop();
});

beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl });
  far = await openBook({ database: proxy.url, bookId: book.id, queryTimeoutMs: PATIENCE_MS });
  accountId = await book.account({ amount: 1_000_000n });
});

afterEach(async () => {
  await far.close();
  await book.close();
});

const count = async (table: string) =>
  (await book.row<{ n: bigint }>(`SELECT count(*) AS n FROM ${table} WHERE book_id = $1`)).n;

/** Accepts a payout under an idempotency key, as the API does. */
const accepting = (key: string) =>
  once(acceptPayout(payoutRequest(book.id, { accountId, idempotencyKey: key })), {
    key,
    fingerprint: Buffer.from(key),
    fingerprints: PLAIN_FINGERPRINTS,
    publicUrl: 'https://api.test',
  });

describe.each<[Cut, { committed: boolean }]>([
  ['before its answer', { committed: true }],
  ['without a word', { committed: true }],
  ['before it arrives', { committed: false }],
])('a connection that breaks at COMMIT, %s', (cut, { committed }) => {
  beforeEach(async () => {
    if (cut !== 'without a word') return;
    // Nothing else ends the wait for an answer. No other statement takes as long.
    await far.close();
    far = await openBook({ database: proxy.url, bookId: book.id, queryTimeoutMs: 2_000 });
  });

  test('a payout is accepted once, and answered normally', async () => {
    const cutOff = proxy.cutAt('COMMIT', cut, { answer: 'COMMIT' });
    const answer = await far.submit(accepting('k'));
    await cutOff;
    expect(far.errors).toHaveLength(1);
    // When the first attempt committed, the second finds its own row and gives the first answer, byte for byte.
    expect(answer).toMatchObject({ status: 202, replayed: committed });
    const key = (await idempotencyKeys.load(book.pool as never, book.id, ['k'])).get('k')!;
    expect(answer.body).toBe(key.body);
    expect([await count('payouts'), await count('holds')]).toEqual([1n, 1n]);
    expect(await book.row('SELECT held_debits FROM accounts WHERE book_id = $1 AND id = $2', accountId)).toEqual({
      held_debits: 1_005n,
    });
  });

  test('each step of a payout is booked once', async () => {
    const payout = await book.accept({ accountId });
    const steps = [
      () => far.reserve(payout),
      () => far.settle(payout, { status: 'pending', nextInquiryMs: 1_000 }),
      () => far.settle(payout, { status: 'paid' }),
      () => far.submit(returnPayout(book.id, payout, { id: newId(), amount: 400n, reason: null, raw: {} })),
      () => far.settle(payout, { status: 'rejected' }),
    ];
    const answers = [];
    for (const step of steps) {
      const cutOff = proxy.cutAt('COMMIT', cut, { answer: 'COMMIT' });
      answers.push(await step());
      await cutOff;
    }
    expect(answers.map(({ status }) => status)).toEqual(['processing', 'processing', 'paid', 'paid', 'returned']);
    const entries = await book.rows<{ step: string }>(
      'SELECT step FROM entries WHERE book_id = $1 AND resource_id = $2 ORDER BY sequence',
      payout.id,
    );
    expect(entries.map(({ step }) => step)).toEqual(['reserved', 'paid', 'returned_1', 'returned_2']);
    expect((await payouts.load(book.pool, book.id, [payout.id])).get(payout.id)).toMatchObject({
      amountReturned: 1_000n,
      inquiries: 1,
    });
    expect(
      await book.row('SELECT count(*) AS n FROM rail_answers WHERE book_id = $1 AND payout_id = $2', payout.id),
    ).toEqual({ n: 4n });
  });
});

describe('a connection that breaks earlier', () => {
  test.each(['BEGIN', 'FOR NO KEY UPDATE', 'UPDATE books SET', 'INSERT INTO payouts'])('at %s', async (text) => {
    const cutOff = proxy.cutAt(text, 'before its answer');
    // Replayed or not: the COMMIT is sent with the writes, and may be done before the connection breaks.
    expect(await far.submit(accepting('k'))).toMatchObject({ status: 202 });
    await cutOff;
    expect(await count('payouts')).toBe(1n);
  });
});

test('backends terminated while batches run: no command is lost, none happens twice', async () => {
  const answers: Promise<unknown>[] = [];
  let terminated = 0;
  // Repeats until ten working connections were terminated, at any step of a batch.
  while (terminated < 10) {
    for (let n = 0; n < 5 && answers.length < 900; n++)
      answers.push(far.submit(accepting(`k${answers.length}`), 30_000));
    const { rowCount } = await superuser.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = $1 AND application_name LIKE 'test %' AND xact_start IS NOT NULL`,
      [database.name],
    );
    terminated += rowCount ?? 0;
  }
  for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 202 });
  expect(far.errors.length).toBeGreaterThan(0);
  const accepted = BigInt(answers.length);
  const found = await book.row(
    `SELECT a.held_debits AS held, (SELECT count(*) FROM payouts p WHERE p.book_id = a.book_id) AS payouts,
       (SELECT count(*) FROM events e WHERE e.book_id = a.book_id AND e.type = 'payout.created') AS events
     FROM accounts a WHERE a.book_id = $1 AND a.id = $2`,
    accountId,
  );
  expect(found).toEqual({ held: accepted * 1_005n, payouts: accepted, events: accepted });
});

describe('a lock holder that hangs inside its transaction', () => {
  let stopped: pg.Client;
  const holdLock = async (settings: Record<string, string>) => {
    stopped = new pg.Client(database.applicationUrl);
    stopped.on('error', () => undefined);
    await stopped.connect();
    for (const [name, value] of Object.entries(settings)) await stopped.query(`SET ${name} = '${value}'`);
    await stopped.query('BEGIN');
    await lockBook(stopped as never, book.id);
  };
  afterEach(() => stopped.end().catch(() => undefined));

  test('is ended by the idle timeout, and the command is committed', async () => {
    await holdLock({ idle_in_transaction_session_timeout: '200ms' });
    expect(await book.submit(accepting('k'))).toMatchObject({ status: 202 });
    await expect(stopped.query('SELECT 1')).rejects.toThrow();
  });

  test('cannot freeze the book: the application role has the idle timeout', async () => {
    const { rows } = await book.pool.query("SELECT current_setting('idle_in_transaction_session_timeout') AS limit");
    expect(rows).toEqual([{ limit: '5s' }]);
  });

  test('is waited for up to lock_timeout: the batch is attempted again', async () => {
    const pool = impatientPool('100ms');
    const impatient = await openBook({ database: pool, bookId: book.id });
    await holdLock({});
    const answer = impatient.submit(accepting('k'));
    await eventually(() => expect(impatient.errors.length).toBeGreaterThan(1));
    expect(new Set(impatient.errors.map(({ code }) => code))).toEqual(new Set(['55P03']));
    await stopped.query('ROLLBACK');
    expect(await answer).toMatchObject({ status: 202 });
    await impatient.close();
    await pool.end();
  });

  test('that resumes after its session was ended commits nothing', async () => {
    await holdLock({ idle_in_transaction_session_timeout: '100ms' });
    await book.submit(accepting('k'));
    await expect(stopped.query('COMMIT')).rejects.toThrow();
  });

  function impatientPool(lockTimeout: string): Pool {
    const pool = createPool({ url: database.applicationUrl, name: 'test', size: 2, log });
    pool.on('connect', (client) => void client.query(`SET lock_timeout = '${lockTimeout}'`));
    return pool;
  }
});

test('without any connection a command waits, and is answered 503 at its deadline', async () => {
  const gone = await startTcpProxy(database.applicationUrl);
  const nowhere = await openBook({ database: gone.url, bookId: book.id });
  await gone.close();
  await expect(nowhere.submit(accepting('k'), 200)).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(nowhere.errors.length).toBeGreaterThan(1);
  await nowhere.close();
});
