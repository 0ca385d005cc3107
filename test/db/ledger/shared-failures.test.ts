/** Batches of several books that meet other writers, lost answers and locks: every command happens once in its book. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Cut, startTcpProxy, type TcpProxy } from '../../../scripts/harness/tcp-proxy.ts';
import { updateExactly } from '../../../src/db/exactly.ts';
import { createPool, type Pool, type Transaction } from '../../../src/db/pool.ts';
import type { Finding } from '../../../src/group/finding.ts';
import { GROUPS } from '../../../src/groups.ts';
import { type KeptAnswer, once } from '../../../src/idempotency/once.ts';
import { lockBook } from '../../../src/ledger/book/book-store.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import type { DissolvedBatch, DissolveReason } from '../../../src/ledger/commit/shared-committer.ts';
import type { Table } from '../../../src/ledger/rows/table.ts';
import { acceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import { verifyDatabase } from '../../../src/verify/verify-database.ts';
import { logThatRuns, payoutRequest, transfer } from '../../support/book.ts';
import { PLAIN_FINGERPRINTS } from '../../support/fingerprints.ts';
import { type FundedBook, type ManyBooks, openManyBooks } from '../../support/many-books.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = createLogger('silent', 'test');
let database: TestDatabase;
let superuser: pg.Client;
let stranger: pg.Client;
let pool: Pool;
let proxy: TcpProxy;
let farPool: Pool;
let books: readonly FundedBook[];
/** Connected to the database directly. */
let many: ManyBooks;
/** The same books in another process, connected through the proxy. */
let far: ManyBooks;
let dissolved: DissolveReason[];
let givenUp: DissolvedBatch[];

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuserUrl);
  await superuser.connect();
  // Postgres finds a circle before a batch gives up waiting.
  await superuser.query(`ALTER DATABASE ${database.name} SET deadlock_timeout = '10ms'`);
  stranger = new pg.Client(database.applicationUrl);
  await stranger.connect();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 20, log });
  proxy = await startTcpProxy(database.applicationUrl);
  farPool = createPool({ url: proxy.url, name: 'test', size: 20, log, queryTimeoutMs: 2_000 });
  const opened = await openManyBooks(pool, { count: 20 });
  ({ books } = opened);
  await opened.committer.close();
});

afterAll(async () => {
  const findings: Finding[] = [];
  await verifyDatabase(pool, { groups: GROUPS, onFinding: (finding) => findings.push(finding) });
  expect(findings).toEqual([]);
  await farPool?.end();
  await proxy?.close();
  await pool?.end();
  await stranger?.end();
  await superuser?.end();
  await database?.drop();
});

beforeEach(async () => {
  dissolved = [];
  givenUp = [];
  const onDissolved = (reason: DissolveReason, batch: DissolvedBatch) => {
    dissolved.push(reason);
    givenUp.push(batch);
  };
  many = await openManyBooks(pool, { known: books, onDissolved });
  far = await openManyBooks(farPool, { known: books, onDissolved });
});

afterEach(async () => {
  await stranger.query('ROLLBACK');
  await Promise.all([many.committer.close(), far.committer.close()]);
});

/** Accepts a payout in each of these books under one key, as the API does. */
function acceptAll({ committer }: ManyBooks, some: readonly FundedBook[], key: string): Promise<KeptAnswer[]> {
  return Promise.all(
    some.map(({ id, from: accountId }) =>
      committer.submit(
        id,
        once(acceptPayout(payoutRequest(id, { accountId, idempotencyKey: key })), {
          key,
          fingerprint: Buffer.from(key),
          fingerprints: PLAIN_FINGERPRINTS,
          publicUrl: 'https://api.test',
        }),
      ),
    ),
  );
}

/** How many payouts each book has that were asked for under a key. */
async function acceptedUnder(key: string): Promise<number[]> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT (SELECT count(*)::integer FROM payouts p JOIN idempotency_keys k ON k.book_id = p.book_id AND k.resource_id = p.id
       WHERE p.book_id = wanted AND k.key = $2) AS count FROM unnest($1::uuid[]) AS wanted`,
    [books.map(({ id }) => id), key],
  );
  return rows.map(({ count }) => count);
}

/** Moves a unit in each of these books, and looks whether exactly that has arrived. */
async function expectMoved(some: readonly FundedBook[], moving: () => Promise<unknown>): Promise<void> {
  const before = await posted(some);
  await moving();
  expect(await posted(some)).toEqual(before.map((amount) => amount + 1n));
}

async function posted(some: readonly FundedBook[]): Promise<bigint[]> {
  const { rows } = await pool.query<{ posted: bigint }>(
    'SELECT posted_credits AS posted FROM accounts WHERE id = ANY ($1) ORDER BY id',
    [some.map(({ to }) => to)],
  );
  return rows.map((row) => row.posted);
}

async function waitingForLocks(): Promise<number> {
  const { rowCount } = await superuser.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}

const inOneBatch = (process: ManyBooks) => process.batches.some(({ books: together }) => together === books.length);

describe.each<[Cut, { committed: boolean }]>([
  ['before its answer', { committed: true }],
  ['without a word', { committed: true }],
  ['before it arrives', { committed: false }],
])('a connection that breaks at the COMMIT of many books, %s', (cut, { committed }) => {
  test('each payout is accepted once, and answered normally', async () => {
    const key = newId();
    const cutOff = proxy.cutAt('books.update_all', cut, { answer: 'COMMIT' });
    const answers = acceptAll(far, books, key);
    await cutOff;
    // When the first attempt committed, the second finds its own rows in every book.
    expect(await answers).toEqual(books.map(() => expect.objectContaining({ status: 202, replayed: committed })));
    expect(await acceptedUnder(key)).toEqual(books.map(() => 1));
    expect(far.errors.length).toBeGreaterThan(0);
    expect(inOneBatch(far)).toBe(true);
  });

  test('while another process takes half of the books, under the same keys', async () => {
    const key = newId();
    const half = books.filter((_, at) => at % 2 === 0);
    const cutOff = proxy.cutAt('books.update_all', cut, { answer: 'COMMIT' });
    const answers = acceptAll(far, books, key);
    await cutOff;
    const others = await acceptAll(many, half, key);
    const first = (await answers).filter((_, at) => at % 2 === 0);
    expect(others.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    expect(await acceptedUnder(key)).toEqual(books.map(() => 1));
  });
});

test('a book that is not where the batch found it: nothing is written, and each book goes on by itself', async () => {
  let moves = 1;
  // What another writer does to a book whose lock was lost in the middle.
  const moved: Table<unknown> = {
    name: 'moved',
    writeOrder: 0,
    load: async () => new Map(),
    insert: async () => undefined,
    update: async () => undefined,
    pairs: {
      idOf: () => '',
      async load(db, [key]) {
        if (moves-- > 0) await db.query('UPDATE books SET batch_id = $2 WHERE id = $1', [key!.bookId, newId()]);
        return [];
      },
      insert: async () => undefined,
      update: async () => undefined,
    },
  };
  const [first, ...others] = books as [FundedBook, ...FundedBook[]];
  const command: Command<bigint> = transfer({ from: first.from, to: first.to, amount: 1n });
  const touches = [...command.touches, { table: moved, ids: ['any'] }];
  await expectMoved(books, () =>
    Promise.all([many.committer.submit(first.id, { ...command, touches }), many.moveAll(others)]),
  );
  expect(dissolved).toEqual(['moved']);
  expect(givenUp.map(({ bookIds, commands }) => [[...bookIds].sort(), commands])).toEqual([
    [books.map(({ id }) => id).sort(), books.length],
  ]);
  // Together again.
  many.batches.length = 0;
  await many.moveAll(books);
  expect(inOneBatch(many)).toBe(true);
});

test('a row that is not where its statement found it: nothing is written, and each book goes on by itself', async () => {
  let misses = 1;
  const missing = {
    ...logThatRuns(''),
    append: async (trx: Transaction) => {
      if (misses-- <= 0) return;
      const text = 'UPDATE books SET entry_sequence = entry_sequence WHERE false';
      await updateExactly(trx, { name: 'test.missing', text, values: [], rows: 1 });
    },
  };
  const [first, ...others] = books as [FundedBook, ...FundedBook[]];
  await expectMoved(books, () => Promise.all([many.move(first, { append: missing }), many.moveAll(others)]));
  expect(dissolved).toEqual(['row']);
  expect(many.batches.map((batch) => [batch.shared, batch.books])).toEqual(books.map(() => [false, 1]));
});

test('deadlines pass book by book: one that is held costs no other book its own', async () => {
  const impatient = createPool({ url: database.applicationUrl, name: 'test', size: 20, log });
  impatient.on('connect', (client) => void client.query("SET lock_timeout = '300ms'"));
  const waiting = await openManyBooks(impatient, { known: books });
  const [held, ...others] = books as [FundedBook, ...FundedBook[]];
  await stranger.query('BEGIN');
  await lockBook(stranger as never, held.id);
  const patient = waiting.move(held, {}, 60_000);
  const hasty = expect(waiting.move(held, {}, 400)).rejects.toMatchObject({ code: 'service_unavailable' });
  await expectMoved(others, () => waiting.moveAll(others));
  await hasty;
  await expectMoved(others, () => waiting.moveAll(others));
  await stranger.query('ROLLBACK');
  await patient;
  await waiting.committer.close();
  await impatient.end();
});

describe('no circle of locks', () => {
  test('between two processes that wait for the same books, asked in opposite orders', async () => {
    const some = books.slice(0, 6);
    const opposite = some.toReversed();
    for (let done = false; !done; ) {
      dissolved.length = 0;
      await stranger.query('BEGIN');
      for (const { id } of some) await lockBook(stranger as never, id);
      // All are held: both leave them out at first, and then wait for all of them.
      const moving = Promise.all([many.moveAll(some), far.moveAll(opposite)]);
      let over = false;
      void moving.then(() => (over = true));
      while (!over && (await waitingForLocks()) < 2);
      await stranger.query('ROLLBACK');
      await moving;
      expect(dissolved).not.toContain('deadlock');
      // On a busy machine a batch may give up before the stranger does: then once more.
      done = dissolved.length === 0;
    }
  });

  test('between a batch and a stranger costs the batch nothing: its books go on apart', async () => {
    const [first, second] = books as [FundedBook, FundedBook];
    const hold = ({ to }: FundedBook) =>
      stranger.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [to]).catch((error: { code?: string }) => {
        expect(error.code).toBe('40P01');
      });
    for (let round = 0; round < 5; round++) {
      await stranger.query('BEGIN');
      await hold(second);
      let over = false;
      const moving = expectMoved(books, () => many.moveAll(books)).finally(() => (over = true));
      while (!over && (await waitingForLocks()) < 1);
      // The batch waits for one of the two rows, and may hold the other: then Postgres ends it, or the stranger.
      await hold(first);
      await stranger.query('ROLLBACK');
      await moving;
    }
  });
});
