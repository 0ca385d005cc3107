/** How commands form batches: no timer, bounded queues, several writers on one book. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { lockBook } from '../../../src/ledger/book/book-store.ts';
import { derivedTable } from '../../../src/ledger/rows/derived-table.ts';
import type { Table } from '../../../src/ledger/rows/table.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { type BookOptions, openBook, type TestBook, transfer } from '../../support/book.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let pool: Pool;
let book: TestBook;
let from: Uuid;
let to: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 8, log: createLogger('silent', 'test') });
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const open = async (options: Partial<BookOptions> = {}) => {
  book = await openBook({ database: pool, ...options });
  [from, to] = [await book.account({ amount: 1_000_000n }), await book.account()];
  book.batches.length = 0;
};
beforeEach(() => open());
afterEach(() => book.close());

const moves = (count: number, on = book) =>
  Array.from({ length: count }, () => on.submit(transfer({ from, to, amount: 1n })));

/** Holds the book's lock until the returned function is called. */
async function holdLock(): Promise<() => Promise<void>> {
  const holder = await pool.connect();
  await holder.query('BEGIN');
  await lockBook(holder, book.id);
  return async () => {
    await holder.query('COMMIT');
    holder.release();
  };
}

async function lockWaiters(): Promise<bigint> {
  const { rows } = await pool.query<{ n: bigint }>(
    "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows[0]!.n;
}

describe('batches', () => {
  test('a single command is committed at once', async () => {
    for (const move of [1, 2, 3]) {
      await Promise.all(moves(1));
      expect(book.batches).toHaveLength(move);
    }
  });

  test('commands that arrive together are committed together', async () => {
    await Promise.all(moves(10));
    expect(book.batches).toEqual([10]);
  });

  test('many commands at once to an idle book form two halves: one is decided while the other is written', async () => {
    // The book is idle once the turn of the last answer is over.
    await new Promise(setImmediate);
    await Promise.all(moves(500));
    expect(book.batches).toEqual([250, 250]);
  });

  test('a command that may read a table that is computed, and reads nothing of it, is decided ahead as others are', async () => {
    const ahead: boolean[] = [];
    await book.close();
    await open({ observe: (batch) => ahead.push(batch.ahead) });
    const computed = derivedTable<string>({ name: 'computed', load: () => Promise.resolve(new Map()) });
    const reading = (ids: readonly Uuid[]) => {
      const command = transfer({ from, to, amount: 1n });
      return { ...command, touches: [...command.touches, { table: computed as Table<unknown>, ids }] };
    };
    for (const [ids, expected] of [
      [[], true],
      [[newId()], false],
    ] as const) {
      await new Promise(setImmediate);
      ahead.length = 0;
      await Promise.all(Array.from({ length: 500 }, () => book.submit(reading(ids))));
      // Two commits may be reported in one turn, in either order.
      expect(ahead.toSorted()).toEqual([false, expected]);
    }
  });

  test('commands that arrive while the batch waits for the lock join it, behind the others', async () => {
    const release = await holdLock();
    const first = moves(1);
    await eventually(async () => expect(await lockWaiters()).toBe(1n));
    const later = moves(300);
    await release();
    const sequences = await Promise.all([...first, ...later]);
    expect(book.batches).toEqual([301]);
    expect(sequences).toEqual(sequences.map((_, at) => sequences[0]! + BigInt(at)));
  });

  test('that are full leave further commands to the next batch', async () => {
    await book.close();
    await open({ maxBatch: 100 });
    const release = await holdLock();
    const first = moves(1);
    await eventually(async () => expect(await lockWaiters()).toBe(1n));
    const later = moves(300);
    await release();
    const sequences = await Promise.all([...first, ...later]);
    // Two commits may be reported in one turn, in either order.
    expect(book.batches.toSorted()).toEqual([1, 100, 100, 100]);
    expect(sequences).toEqual(sequences.map((_, at) => sequences[0]! + BigInt(at)));
  });

  test('of one book number two at most: one commits, one waits for the lock', async () => {
    await book.close();
    await open({ maxBatch: 1 });
    let most = 0;
    pool.on('acquire', () => {
      most = Math.max(most, pool.totalCount - pool.idleCount);
    });
    const sequences = await Promise.all(moves(50));
    pool.removeAllListeners('acquire');
    expect(book.batches).toEqual(Array.from({ length: 50 }, () => 1));
    expect(sequences).toEqual(sequences.map((_, at) => sequences[0]! + BigInt(at)));
    // In Postgres two at most. Here the answer to a commit, on its own connection, may be read behind that to the lock that it
    // gave up: a third has begun by then.
    expect([2, 3]).toContain(most);
  });

  test('hold a thousand commands at most', async () => {
    await Promise.all(moves(2_500));
    // Each commit is reported by its own connection: the last two may come in either order.
    expect(book.batches.toSorted((a, b) => b - a)).toEqual([1_000, 1_000, 500]);
  });

  test('answer each command with its own entry, in order of arrival', async () => {
    const sequences = await Promise.all(moves(200));
    expect(sequences).toEqual(sequences.map((_, at) => sequences[0]! + BigInt(at)));
  });

  test('of different books do not wait for each other', async () => {
    const other = await openBook({ database: pool });
    const release = await holdLock();
    const waiting = moves(1);
    await other.account({ amount: 5n });
    await release();
    await Promise.all(waiting);
    await other.close();
  });
});

describe('bounds', () => {
  test('a full queue refuses commands before it accepts them, and accepts again later', async () => {
    await book.close();
    await open({ maxQueue: 10 });
    const results = await Promise.allSettled(moves(25));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(15);
    for (const error of refused)
      expect(error).toMatchObject({ code: 'service_unavailable', headers: { 'Retry-After': '1' } });
    expect(await Promise.all(moves(10))).toHaveLength(10);
  });

  test('a command that touches more than 1,000 rows is refused', async () => {
    const touching = (count: number) => {
      const command = transfer({ from, to, amount: 1n });
      const ids = Array.from({ length: count - 2 }, newId);
      return { ...command, touches: [...command.touches, { table: accounts, ids }] };
    };
    await expect(book.submit(touching(1_001))).rejects.toThrow(/touches 1001 rows, at most 1000/);
    await expect(book.submit(touching(1_000))).resolves.toBeTypeOf('bigint');
  });

  test('an unknown book is not found', async () => {
    await expect(book.committer.submit(newId(), transfer({ from, to, amount: 1n }))).rejects.toMatchObject({
      code: 'resource_not_found',
    });
  });
});

describe('closing', () => {
  test('refuses new commands and finishes those it holds', async () => {
    const held = moves(50);
    const closed = book.committer.close();
    await expect(moves(1)[0]).rejects.toMatchObject({ code: 'service_unavailable' });
    await closed;
    expect(await Promise.all(held)).toHaveLength(50);
  });
});

describe('two committers on one book', () => {
  test('write gapless sequences and correct balances', async () => {
    const second = await openBook({ database: database.applicationUrl, bookId: book.id });
    const bursts: Promise<bigint>[] = [];
    // A process that waits for the lock may gather many bursts in one batch.
    for (let burst = 0; burst < 20 || (second.batches.length < 2 && burst < 200); burst++) {
      bursts.push(...moves(25), ...moves(25, second));
      await Promise.any(bursts.slice(-50));
    }
    const sequences = (await Promise.all(bursts)).sort((a, b) => (a < b ? -1 : 1));
    expect(sequences).toEqual(sequences.map((_, at) => sequences[0]! + BigInt(at)));
    expect(book.batches.length).toBeGreaterThan(1);
    expect(second.batches.length).toBeGreaterThan(1);
    const lines = await book.rows<{ line: bigint; after: bigint }>(
      'SELECT credit_line AS line, credit_balance_after AS after FROM postings WHERE book_id = $1 AND credit_account_id = $2 ORDER BY credit_line',
      to,
    );
    expect(lines).toEqual(sequences.map((_, at) => ({ line: BigInt(at + 1), after: BigInt(at + 1) })));
    await second.close();
  });
});

describe('a preview', () => {
  test('answers as the commit would, writes nothing and waits for no lock', async () => {
    const before = await book.row('SELECT * FROM books WHERE id = $1');
    const release = await holdLock();
    expect(await book.committer.preview(book.id, transfer({ from, to, amount: 1n }))).toBeTypeOf('bigint');
    await release();
    expect(await book.row('SELECT * FROM books WHERE id = $1')).toEqual(before);
  });

  test('is read together with those that arrive with it, and each is decided as if it were alone', async () => {
    let acquired = 0;
    pool.on('acquire', () => {
      acquired += 1;
    });
    const unknown = newId();
    const asked = await Promise.allSettled([
      ...Array.from({ length: 100 }, () => book.committer.preview(book.id, transfer({ from, to, amount: 1_000_000n }))),
      book.committer.preview(book.id, transfer({ from: unknown, to, amount: 1n })),
      book.committer.preview(book.id, transfer({ from: 'no id' as Uuid, to, amount: 1n })),
    ]);
    pool.removeAllListeners('acquire');
    // All of the account's money a hundred times over: nothing of one is there for the next.
    expect(new Set(asked.slice(0, 100).map((one) => one.status === 'fulfilled' && one.value)).size).toBe(1);
    expect(asked[0]!.status).toBe('fulfilled');
    expect(asked.slice(100).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked[100]).not.toEqual(asked[101]);
    // One reading of all fails, since an id is none; then each is read by itself.
    expect(acquired).toBe(1 + 102);
  });

  test('is read with no more others than one command may touch rows of', async () => {
    let acquired = 0;
    pool.on('acquire', () => {
      acquired += 1;
    });
    const wide = Array.from({ length: 6 }, () => {
      const command = transfer({ from, to, amount: 1n });
      const many = { table: accounts as Table<unknown>, ids: Array.from({ length: 400 }, () => newId()) };
      return book.committer.preview(book.id, { ...command, touches: [...command.touches, many] });
    });
    expect(new Set(await Promise.all(wide)).size).toBe(1);
    pool.removeAllListeners('acquire');
    expect(acquired).toBe(3);
  });
});
