/** Batches of several books: what they have in common, and that no book notices another one's trouble. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTcpProxy } from '../../../scripts/harness/tcp-proxy.ts';
import { PATIENCE_MS } from '../../../scripts/harness/until.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import type { Finding } from '../../../src/group/finding.ts';
import { GROUPS } from '../../../src/groups.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { lockBook } from '../../../src/ledger/book/book-store.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import type { Table } from '../../../src/ledger/rows/table.ts';
import { inFlightPayouts } from '../../../src/payouts/payout/in-flight-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import { verifyDatabase } from '../../../src/verify/verify-database.ts';
import { webhookEndpoints } from '../../../src/webhooks/endpoints/endpoint-table.ts';
import { logThatRuns, transfer } from '../../support/book.ts';
import { eventually } from '../../support/eventually.ts';
import { FUNDS, type FundedBook, type ManyBooks, openManyBooks } from '../../support/many-books.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

/** How long a machine holds locks decides nothing here. */
const HELD_FOR_ANY_TIME = { heldMs: Number.POSITIVE_INFINITY };

let database: TestDatabase;
let pool: Pool;
let known: readonly FundedBook[];
let many: ManyBooks;
/** What had arrived in each book before the test. */
let before: number[];
let stranger: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 20, log: createLogger('silent', 'test') });
  stranger = new pg.Client(database.applicationUrl);
  await stranger.connect();
  const opened = await openManyBooks(pool, { count: 100 });
  known = opened.books;
  await opened.committer.close();
});

afterAll(async () => {
  expect(await findings()).toEqual([]);
  await stranger?.end();
  await pool?.end();
  await database?.drop();
});

beforeEach(async () => {
  many = await openManyBooks(pool, { known: known.slice(0, 40), ...HELD_FOR_ANY_TIME });
  before = await posted(known);
});

afterEach(async () => {
  await stranger.query('ROLLBACK');
  await many.committer.close();
});

async function findings(): Promise<Finding[]> {
  const found: Finding[] = [];
  await verifyDatabase(pool, { groups: GROUPS, onFinding: (finding) => found.push(finding) });
  return found;
}

/** What has arrived in each book since the test began. */
async function arrived(books: readonly FundedBook[]): Promise<number[]> {
  return (await posted(books)).map((amount, index) => amount - before[known.indexOf(books[index]!)]!);
}

async function posted(books: readonly FundedBook[]): Promise<number[]> {
  const { rows } = await pool.query<{ id: string; posted: bigint }>(
    'SELECT id, posted_credits AS posted FROM accounts WHERE id = ANY ($1)',
    [books.map(({ to }) => to)],
  );
  const amounts = new Map(rows.map((row) => [row.id, Number(row.posted)]));
  return books.map(({ to }) => amounts.get(to) ?? 0);
}

async function waitingForLocks(): Promise<number> {
  const { rowCount } = await pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}

/** Fails with this state until it is mended. */
function failingUntilMended(state: string) {
  const statement = `DO $$ BEGIN RAISE EXCEPTION 'simulated' USING ERRCODE = '${state}'; END $$`;
  const [raises, runs] = [logThatRuns(statement), logThatRuns('SELECT 1')];
  let fails = true;
  const append: typeof runs.append = (...of) => (fails ? raises : runs).append(...of);
  return { log: { ...runs, append }, mend: () => (fails = false) };
}

const ones = (books: readonly unknown[]) => books.map(() => 1);

describe('commands of quiet books that come together', () => {
  test('share a database transaction, and each book has its own entries', async () => {
    await many.moveAll(many.books);
    expect(many.batches.map(({ books, commands, skipped }) => [books, commands, skipped])).toEqual([[40, 40, 0]]);
    expect(await arrived(many.books)).toEqual(ones(many.books));
  });

  test('are decided one after the other over what the book has left', async () => {
    const [poor, ...rich] = many.books as [FundedBook, ...FundedBook[]];
    const left = FUNDS - BigInt((await posted([poor]))[0]!);
    const taking = [left, 1n, 1n].map((amount) => many.move(poor, { amount }));
    const others = many.moveAll(rich);
    const answers = await Promise.allSettled(taking);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    await others;
    expect(await arrived(rich)).toEqual(ones(rich));
    expect(many.batches).toHaveLength(1);
    await many.move({ ...poor, from: poor.to, to: poor.from }, { amount: left });
  });

  test('whose decision throws fail alone', async () => {
    const bug = () => {
      throw new Error('a bug');
    };
    const [first, ...others] = many.books as [FundedBook, ...FundedBook[]];
    const failing = many.move(first, { during: bug });
    await Promise.all([many.move(first), many.moveAll(others), expect(failing).rejects.toThrow('a bug')]);
    expect(await arrived(many.books)).toEqual(ones(many.books));
    expect(many.batches.map(({ books }) => books)).toEqual([40]);
  });

  test.each<[string, { table: Table<unknown>; rows: number; together: number[] }]>([
    ['a table that is read and not written', { table: inFlightPayouts, rows: 1, together: [1, 39] }],
    ['an endpoint', { table: webhookEndpoints, rows: 1, together: [1, 39] }],
    ['more than 64 rows', { table: accounts, rows: 63, together: [1, 39] }],
    ['64 rows', { table: accounts, rows: 62, together: [40] }],
  ])('that touch %s, beside two accounts', async (_, { table, rows, together }) => {
    const [first, ...others] = many.books as [FundedBook, ...FundedBook[]];
    const plain = transfer({ from: first.from, to: first.to, amount: 1n });
    const touches = [...plain.touches, { table, ids: Array.from({ length: rows }, newId) }];
    const moving = many.committer.submit(first.id, { ...plain, touches });
    await Promise.all([moving, many.moveAll(others)]);
    expect(await arrived(many.books)).toEqual(ones(many.books));
    const sizes = many.batches.map(({ books, shared }) => [books, shared] as const);
    expect(sizes.sort(([a], [b]) => a - b)).toEqual(together.map((books) => [books, books > 1]));
  });

  test('of a busy book have batches of their own', async () => {
    const [busy, ...quiet] = many.books as [FundedBook, ...FundedBook[]];
    const moves = Promise.all(Array.from({ length: 100 }, () => many.move(busy)));
    await many.moveAll(quiet);
    expect(new Set(await moves).size).toBe(100);
    expect(many.batches.filter(({ books }) => books === 39)).toHaveLength(1);
    expect(many.batches.filter(({ books }) => books === 1).reduce((sum, { commands }) => sum + commands, 0)).toBe(100);
    // Quiet again: the next commands share once more.
    await eventually(async () => {
      many.batches.length = 0;
      await many.moveAll(many.books);
      expect(many.batches.map(({ books }) => books)).toEqual([40]);
    });
  });

  test('are at most 64 books and 256 commands a batch', async () => {
    const more = await openManyBooks(pool, { known, ...HELD_FOR_ANY_TIME });
    await more.moveAll(known);
    expect(new Set(more.batches.map(({ books }) => books))).toEqual(new Set([64, 36]));
    await Promise.all(Array.from({ length: 6 }, () => more.moveAll(known)));
    await more.committer.close();
    expect(Math.max(...more.batches.map(({ commands }) => commands))).toBeLessThanOrEqual(256);
    expect(await arrived(known)).toEqual(known.map(() => 7));
  });

  test('are fewer in the batches behind one that held its locks for long', async () => {
    const more = await openManyBooks(pool, { known });
    const [first, second] = known as [FundedBook, FundedBook];
    const until = (end: number) => {
      while (performance.now() < end);
    };
    // Eight times as long as a batch should hold them: what follows is at most an eighth of 256 commands, and grows by a
    // quarter with each batch.
    await Promise.all([more.move(first, { during: () => until(performance.now() + 200) }), more.move(second)]);
    more.batches.length = 0;
    await more.moveAll(known);
    await more.committer.close();
    expect(more.batches[0]!.commands).toBeLessThanOrEqual(32);
    expect(Math.max(...more.batches.map(({ commands }) => commands))).toBeLessThanOrEqual(50);
    expect(await arrived(known)).toEqual(known.map((_, at) => (at < 2 ? 2 : 1)));
  });

  test('share only with books of the same database node', async () => {
    const near = new Set(known.slice(0, 10).map(({ id }) => id));
    const distributed = await openManyBooks(pool, {
      known: known.slice(0, 30),
      nodeOf: (bookId) => (near.has(bookId) ? 'this node' : 'other node'),
    });
    await distributed.moveAll(distributed.books);
    await distributed.committer.close();
    expect(new Set(distributed.batches.map(({ books }) => books))).toEqual(new Set([10, 20]));
  });

  test('of a lone book go by its own path', async () => {
    await many.move(many.books[0]!);
    await Promise.all(Array.from({ length: 5 }, () => many.move(many.books[0]!)));
    expect(new Set(many.batches.map(({ books, shared }) => `${books} ${shared}`))).toEqual(new Set(['1 false']));
  });

  test('are refused for a book that does not exist, and for it alone', async () => {
    const nowhere = { ...many.books[0]!, id: newId() };
    const [refused, moved] = await Promise.allSettled([many.move(nowhere), many.moveAll(many.books)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'resource_not_found' } });
    expect(moved.status).toBe('fulfilled');
  });
});

describe('nobody else waits', () => {
  test('for a book whose row another transaction holds', async () => {
    const [held, ...others] = many.books as [FundedBook, ...FundedBook[]];
    await stranger.query('BEGIN');
    await lockBook(stranger as never, held.id);
    let over = false;
    const waiting = many.move(held).then((sequence) => {
      over = true;
      return sequence;
    });
    for (let round = 0; round < 10; round++) await many.moveAll(others);
    expect(over).toBe(false);
    // What comes later for the book waits behind.
    const later = many.move(held);
    await stranger.query('ROLLBACK');
    expect(await later).toBe((await waiting) + 1n);
  });

  test("for a book of which a stranger holds an account's row", async () => {
    const [held, ...others] = many.books as [FundedBook, ...FundedBook[]];
    await stranger.query('BEGIN');
    await stranger.query('SELECT 1 FROM accounts WHERE book_id = $1 AND id = $2 FOR UPDATE', [held.id, held.to]);
    const waiting = many.move(held);
    await many.moveAll(others);
    await many.moveAll(others);
    expect(await arrived(others)).toEqual(others.map(() => 2));
    await stranger.query('ROLLBACK');
    await waiting;
    expect(await arrived([held])).toEqual([1]);
  });

  test('for a command that Postgres refuses: it fails, and its book is isolated for a minute', async () => {
    const poison = logThatRuns("SELECT 'x'::int");
    const [sick, ...others] = many.books as [FundedBook, ...FundedBook[]];
    const first = many.move(sick);
    const failing = many.move(sick, { append: poison });
    const behind = many.move(sick);
    const all = many.moveAll(others);
    await expect(failing).rejects.toMatchObject({ code: '22P02' });
    expect(await behind).toBe((await first) + 1n);
    await all;
    expect(await arrived(others)).toEqual(ones(others));
    many.batches.length = 0;
    await many.moveAll(many.books);
    expect(many.batches.map(({ books }) => books).sort((a, b) => a - b)).toEqual([1, 39]);
  });
});

describe('no other book waits for an isolated book', () => {
  const reading = ({ id, from }: FundedBook) => {
    const origin = { id: newId(), requestId: newId() };
    const command: Command<number> = {
      ...origin,
      name: 'test.read',
      touches: [{ table: inFlightPayouts, ids: [from] }],
      decide: (state, moment) => new Draft(state, origin, moment).finish(0),
    };
    return many.committer.submit(id, command);
  };

  test('while it is locked: other isolated books have their turn', async () => {
    const held = many.books.slice(0, 6);
    await stranger.query('BEGIN');
    for (const { id } of held) await lockBook(stranger as never, id);
    let over = 0;
    const waiting = held.map((book) => reading(book).then(() => over++));
    await many.moveAll(many.books.slice(6));
    for (const book of many.books.slice(6, 12)) await reading(book);
    expect(over).toBe(0);
    await stranger.query('ROLLBACK');
    await Promise.all(waiting);
  });

  test('while it is busy', async () => {
    const busy = many.books.slice(0, 5);
    let stop = false;
    const writing = busy.map(async (book) => {
      while (!stop) await Promise.all([reading(book), ...Array.from({ length: 20 }, () => many.move(book))]);
    });
    for (const book of many.books.slice(5, 15)) await reading(book);
    stop = true;
    await Promise.all(writing);
  });

  test('while the database fails for it only', async () => {
    const failing = failingUntilMended('58030');
    const [sick, ...others] = many.books as [FundedBook, ...FundedBook[]];
    let over = false;
    const waiting = many.move(sick, { append: failing.log }, PATIENCE_MS).then(() => {
      over = true;
    });
    await many.moveAll(others);
    expect(over).toBe(false);
    failing.mend();
    await waiting;
  });

  test('and its deadline is kept although nothing else happens', async () => {
    const held = many.books.slice(0, 6);
    await stranger.query('BEGIN');
    for (const { id } of held) await lockBook(stranger as never, id);
    const late = held.map((book) => many.move(book, {}, 500));
    const outcomes = await Promise.allSettled(late);
    expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason?.code)).toEqual(
      held.map(() => 'service_unavailable'),
    );
    await stranger.query('ROLLBACK');
  });
});

test('a connection that falls silent is given up, and its books go on', async () => {
  const proxy = await startTcpProxy(database.applicationUrl);
  const farPool = createPool({ url: proxy.url, name: 'test', size: 10, log: createLogger('silent', 'test') });
  const far = await openManyBooks(farPool, { known: many.books });
  const swallowed = proxy.cutAt('FOR NO KEY UPDATE', 'without a word');
  const answers = far.moveAll(far.books);
  await swallowed;
  await answers;
  await far.committer.close();
  await farPool.end();
  await proxy.close();
  expect(await arrived(many.books)).toEqual(ones(many.books));
});

describe('two processes with the same books', () => {
  test('write every command once, each over what the other left', async () => {
    const other = await openManyBooks(pool, { known: many.books });
    const rounds = Array.from({ length: 30 }, () => [many.moveAll(many.books), other.moveAll(many.books)]).flat();
    const sequences = await Promise.all(rounds);
    await other.committer.close();
    for (const at of many.books.keys()) {
      const ofBook = sequences.map((round) => Number(round[at]!)).sort((a, b) => a - b);
      expect(ofBook).toEqual(Array.from({ length: 60 }, (_, index) => ofBook[0]! + index));
    }
    expect(await arrived(many.books)).toEqual(many.books.map(() => 60));
    expect([...many.errors, ...other.errors]).toEqual([]);
  });

  test('books that the other one holds: one batch leaves them out, the next one waits for them', async () => {
    const held = many.books.slice(0, 2);
    for (let done = false; !done; ) {
      many.batches.length = 0;
      many.dissolved.length = 0;
      await stranger.query('BEGIN');
      for (const { id } of held) await lockBook(stranger as never, id);
      const moving = many.moveAll(many.books);
      while ((await waitingForLocks()) === 0);
      await stranger.query('ROLLBACK');
      await moving;
      // On a busy machine the batch may give up before the stranger does: then once more.
      done = many.dissolved.length === 0;
    }
    expect(many.batches.map(({ shared, books, skipped }) => [shared, books, skipped])).toEqual([
      [true, 38, 2],
      [true, 2, 0],
    ]);
  });
});

describe('when the database fails', () => {
  test.each`
    state      | what                                 | dissolved
    ${'40P01'} | ${'a deadlock'}                      | ${['deadlock']}
    ${'55P03'} | ${'a lock that does not come'}       | ${['lock']}
    ${'57014'} | ${'a statement that takes too long'} | ${['statement']}
    ${'25P03'} | ${'a process that stood still'}      | ${['idle']}
    ${'53100'} | ${'a full disk'}                     | ${[]}
    ${'08006'} | ${'a lost connection'}               | ${[]}
    ${'40001'} | ${'a serialization failure'}         | ${[]}
  `('$state, $what: every command is committed once in the end', async ({ state, dissolved }) => {
    let failures = 2;
    const failing = logThatRuns('SELECT 1');
    const raising = {
      ...failing,
      append: async (trx: never, ...rest: [never, never]) => {
        if (failures-- > 0)
          await (trx as pg.PoolClient).query(
            `DO $$ BEGIN RAISE EXCEPTION 'simulated' USING ERRCODE = '${state}'; END $$`,
          );
        else await failing.append(trx, ...rest);
      },
    };
    const [first, ...others] = many.books as [FundedBook, ...FundedBook[]];
    const moves = [many.move(first, { append: raising }), many.moveAll(others)];
    await Promise.all(moves);
    expect(await arrived(many.books)).toEqual(ones(many.books));
    expect(many.dissolved).toEqual(dissolved);
  });

  test('for long, each command is answered 503 at its own deadline', async () => {
    const failing = failingUntilMended('53100');
    const [a, b, c] = many.books as [FundedBook, FundedBook, FundedBook];
    let over = false;
    const patient = many.move(a, { append: failing.log }, PATIENCE_MS).then(() => {
      over = true;
    });
    const refused = [b, c].map((book) => many.move(book, { append: failing.log }, 100));
    const outcomes = await Promise.allSettled(refused);
    expect(outcomes).toMatchObject(
      outcomes.map(() => ({ status: 'rejected', reason: { code: 'service_unavailable' } })),
    );
    expect(over).toBe(false);
    failing.mend();
    await patient;
  });
});

test('close() finishes what was accepted, and takes no more', async () => {
  const moves = many.moveAll(many.books);
  const closing = many.committer.close();
  await expect(many.move(many.books[0]!)).rejects.toMatchObject({ code: 'service_unavailable' });
  await closing;
  expect(await arrived(many.books)).toEqual(ones(many.books));
  await moves;
});

test('beyond what may wait in all, a book gets its part and no more', async () => {
  const small = await openManyBooks(pool, { known: many.books, maxWaiting: 100 });
  const [greedy, modest] = many.books as [FundedBook, FundedBook];
  const answers = Promise.allSettled(Array.from({ length: 300 }, () => small.move(greedy)));
  const own = small.move(modest);
  await own;
  const refused = (await answers).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(200);
  expect(refused[0]).toMatchObject({ reason: { code: 'service_unavailable' } });
  await small.committer.close();
});
