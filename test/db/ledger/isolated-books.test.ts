/** Isolated books beside others: no book keeps another one waiting, and large work ends. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTcpProxy } from '../../../scripts/harness/tcp-proxy.ts';
import { createPool, type Pool, type Queryable } from '../../../src/db/pool.ts';
import { lockBook } from '../../../src/ledger/book/book-store.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import type { Table } from '../../../src/ledger/rows/table.ts';
import { inFlightPayouts } from '../../../src/payouts/payout/in-flight-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import { logThatRuns, transfer } from '../../support/book.ts';
import { type FundedBook, type ManyBooks, openManyBooks } from '../../support/many-books.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = createLogger('silent', 'test');
let database: TestDatabase;
let pool: Pool;
let books: readonly FundedBook[];
let many: ManyBooks;
let stranger: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 20, log });
  stranger = new pg.Client(database.applicationUrl);
  await stranger.connect();
  await stranger.query('SET idle_in_transaction_session_timeout = 0');
  const opened = await openManyBooks(pool, { count: 40 });
  ({ books } = opened);
  await opened.committer.close();
});

afterAll(async () => {
  await stranger?.end();
  await pool?.end();
  await database?.drop();
});

beforeEach(async () => {
  many = await openManyBooks(pool, { known: books });
});

afterEach(async () => {
  await stranger.query('ROLLBACK');
  await many.committer.close();
});

const HOUR_MS = 3_600_000;

const sick = (state: string) =>
  logThatRuns(`DO $$ BEGIN RAISE EXCEPTION 'simulated' USING ERRCODE = '${state}'; END $$`);

/** The same, until the test says that the database is well again. */
function sickUntilHealed(state: string) {
  const failing = sick(state);
  let ill = true;
  const append = async (...given: Parameters<typeof failing.append>) => {
    if (ill) await failing.append(...given);
  };
  return {
    append: { ...failing, append },
    heal: () => {
      ill = false;
    },
  };
}

/** Two of them in one batch take longer to load than a batch may. */
function tableThatSleeps(): Table<unknown> {
  const sleep = async (db: Queryable) => void (await db.query('SELECT pg_sleep(1.7)'));
  const nothing = async () => undefined;
  return {
    name: 'sleeping',
    writeOrder: 0,
    insert: nothing,
    update: nothing,
    load: (db) => sleep(db).then(() => new Map()),
    pairs: { idOf: () => '', insert: nothing, update: nothing, load: (db) => sleep(db).then(() => []) },
  };
}

/** A command that may not be committed together with those of other books. */
function reading({ id, from }: FundedBook, during = () => {}, deadlineMs?: number): Promise<number> {
  const origin = { id: newId(), requestId: newId() };
  const command: Command<number> = {
    ...origin,
    name: 'test.read',
    touches: [{ table: inFlightPayouts, ids: [from] }],
    decide(state, moment) {
      during();
      return new Draft(state, origin, moment).finish(0);
    },
  };
  return many.committer.submit(id, command, { deadlineMs });
}

async function hold({ id }: FundedBook): Promise<void> {
  await stranger.query('BEGIN');
  await lockBook(stranger as never, id);
}

test('what is too much for the short limits is carried out in smaller batches', async () => {
  const [held, large] = books as [FundedBook, FundedBook];
  await hold(held);
  const waiting = many.move(held, {}, 60_000);
  const spin = () => {
    const end = performance.now() + 20;
    while (performance.now() < end);
  };
  // Together they decide for 1.6 s under the lock. A batch may have one.
  await Promise.all(Array.from({ length: 80 }, () => reading(large, spin, 15_000)));
  await stranger.query('ROLLBACK');
  await waiting;
});

test('a book for which the database fails does not delay its shared batch, even while other batches succeed', async () => {
  const [ill, ...others] = books as [FundedBook, ...FundedBook[]];
  const elsewhere = others.slice(20);
  const far = new Set(elsewhere.map(({ id }) => id));
  const distributed = await openManyBooks(pool, {
    known: books,
    nodeOf: (bookId) => (far.has(bookId) ? 'other node' : 'this node'),
  });
  let stop = false;
  const traffic = elsewhere.map(async (book) => {
    while (!stop) await distributed.move(book);
  });
  let over = false;
  const { append, heal } = sickUntilHealed('58030');
  const failing = distributed.move(ill, { append }, HOUR_MS).finally(() => (over = true));
  await distributed.moveAll(others.slice(0, 20));
  expect(over).toBe(false);
  stop = true;
  await Promise.all(traffic);
  heal();
  await failing;
  await distributed.committer.close();
});

test('a book of which one command is refused and another one fails for long does not delay other isolated books', async () => {
  const bad = books.slice(0, 4);
  let over = 0;
  const refused = bad.map((book) => expect(many.move(book, { append: sick('22012') })).rejects.toBeDefined());
  const { append, heal } = sickUntilHealed('58030');
  const failing = bad.map((book) => many.move(book, { append }, HOUR_MS).finally(() => over++));
  await many.moveAll(books.slice(4));
  await Promise.all(refused);
  await reading(books[5]!);
  expect(over).toBe(0);
  heal();
  await Promise.all(failing);
});

test('statements that together take longer than a batch may concern their own book', async () => {
  const [slow, ...others] = books as [FundedBook, ...FundedBook[]];
  const sleeping = () => {
    const { touches, ...command } = transfer({ from: slow.from, to: slow.to, amount: 1n });
    const touching = { ...command, touches: [...touches, { table: tableThatSleeps(), ids: ['any'] }] };
    return many.committer.submit(slow.id, touching, { deadlineMs: 40_000 });
  };
  await Promise.all([sleeping(), sleeping(), many.moveAll(others)]);
});

test('a silent connection of a lone book is given up', async () => {
  const proxy = await startTcpProxy(database.applicationUrl);
  const farPool = createPool({ url: proxy.url, name: 'test', size: 10, log });
  const far = await openManyBooks(farPool, { known: books });
  const swallowed = proxy.cutAt('FOR NO KEY UPDATE', 'without a word');
  const answer = far.move(books[0]!, {}, 25_000);
  await swallowed;
  await answer;
  await far.committer.close();
  await farPool.end();
  await proxy.close();
});
