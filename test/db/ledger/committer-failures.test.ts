/**
 * What each class of database error does to a batch (DESIGN.md §3): which commands wait, which fail, and that none is
 * lost or happens twice.
 */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lockBook } from '../../../src/ledger/book/book-store.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import type { Table } from '../../../src/ledger/rows/table.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { logThatRuns, openBook, type TestBook, type Transfer, transfer } from '../../support/book.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let superuser: pg.Client;
let book: TestBook;
let from: Uuid;
let to: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuserUrl);
  await superuser.connect();
});

afterAll(async () => {
  await superuser?.end();
  await database?.drop();
});

beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl });
  [from, to] = [await book.account({ amount: 1_000_000n }), await book.account()];
  book.batches.length = 0;
});

afterEach(() => book.close());

const moving = (change: Partial<Transfer> = {}): Command<bigint> => transfer({ from, to, amount: 1n, ...change });
const moveOne = (change: Partial<Transfer> = {}, deadlineMs?: number) => book.submit(moving(change), deadlineMs);
const HOUR_MS = 3_600_000;
const settleAll = (commands: Command<bigint>[]) => Promise.allSettled(commands.map((command) => book.submit(command)));

/** Counts the committed transfers, and checks that sequences have no gap and the account has their sum. */
async function arrived(): Promise<number> {
  // Not through the book's own connections: some tests end those.
  const { rows } = await superuser.query<{ count: string; last: string; posted: string }>(
    `SELECT count(e.id) AS count, b.entry_sequence AS last, a.posted_credits AS posted
     FROM books b JOIN accounts a ON a.book_id = b.id AND a.id = $2 LEFT JOIN entries e ON e.book_id = b.id
     WHERE b.id = $1 GROUP BY b.entry_sequence, a.posted_credits`,
    [book.id, to],
  );
  const { count, last, posted } = rows[0]!;
  expect([count, String(BigInt(posted) + 1n)]).toEqual([last, last]);
  return Number(posted);
}

/** Makes the owner's trigger raise this error for the next `times` writes of entries. */
async function failWrites(state: string, times: number): Promise<void> {
  await superuser.query(`
    DROP TRIGGER IF EXISTS fail ON entries;
    DROP SEQUENCE IF EXISTS failures CASCADE;
    CREATE SEQUENCE failures;
    GRANT USAGE ON SEQUENCE failures TO PUBLIC;
    CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- A sequence counts whatever is rolled back.
      IF nextval('failures') <= ${times} THEN RAISE EXCEPTION 'simulated' USING ERRCODE = '${state}'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER fail BEFORE INSERT ON entries FOR EACH STATEMENT EXECUTE FUNCTION fail()`);
}

const healWrites = () => superuser.query('DROP TRIGGER IF EXISTS fail ON entries');

describe('when the database fails for a while, the whole batch waits and is committed', () => {
  afterEach(healWrites);

  test.each`
    state      | what
    ${'53100'} | ${'disk full'}
    ${'53200'} | ${'out of memory'}
    ${'53300'} | ${'too many connections'}
    ${'40001'} | ${'serialization failure'}
    ${'40P01'} | ${'deadlock'}
    ${'55P03'} | ${'lock not available'}
    ${'57014'} | ${'statement timeout'}
    ${'57P03'} | ${'starting up'}
    ${'58030'} | ${'input or output error'}
    ${'08006'} | ${'connection failure'}
    ${'25006'} | ${'read-only, a standby just now'}
  `('$state $what, twice', async ({ state }) => {
    await failWrites(state, 2);
    const sequences = await Promise.all(Array.from({ length: 1_000 }, () => moveOne()));
    expect(new Set(sequences).size).toBe(1_000);
    expect(book.errors.map(({ code }) => code)).toEqual([state, state]);
    expect(book.batches.reduce((sum, commands) => sum + commands, 0)).toBe(1_000);
    expect(await arrived()).toBe(1_000);
  });

  test('and is answered 503 with Retry-After at its deadline when the failure lasts', async () => {
    await failWrites('53100', 1_000_000);
    await expect(moveOne({}, 300)).rejects.toMatchObject({
      code: 'service_unavailable',
      headers: { 'Retry-After': '1' },
    });
    await healWrites();
    expect(await arrived()).toBe(0);
  });

  test('each command waits until its own deadline, queued ones too', async () => {
    const over: string[] = [];
    const note = (name: string) => () => over.push(name);
    await failWrites('53100', 1_000_000);
    const first = moveOne({}, HOUR_MS).finally(note('first'));
    await eventually(() => expect(book.errors.length).toBeGreaterThan(0));
    const queued = moveOne({}, HOUR_MS).finally(note('queued'));
    await expect(moveOne({}, 100)).rejects.toMatchObject({ code: 'service_unavailable' });
    // Hours before theirs, the deadlines of the others end nothing.
    expect(over).toEqual([]);
    await healWrites();
    expect((await first) + 1n).toBe(await queued);
    expect(await arrived()).toBe(2);
  });

  test('and the remaining commands keep their order', async () => {
    await failWrites('53100', 3);
    const sequences = await Promise.all(
      [moveOne({}, 20), moveOne(), moveOne()].map((move) => move.catch(() => 'late')),
    );
    expect(sequences).toEqual(['late', 3n, 4n].map((value) => (value === 'late' ? value : expect.any(BigInt))));
    expect((sequences[1] as bigint) + 1n).toBe(sequences[2]);
  });

  test('and a batch that was decided ahead waits for the one before it', async () => {
    let failures = 4;
    const failing = logThatRuns("DO $$ BEGIN RAISE EXCEPTION 'simulated' USING ERRCODE = '58030'; END $$");
    const failingAtFirst = {
      ...failing,
      append: async (...given: Parameters<typeof failing.append>) => {
        if (failures-- > 0) await failing.append(...given);
      },
    };
    let lost = 1;
    const lostAtFirst: Table<unknown> = {
      name: 'lost',
      writeOrder: 0,
      load: async () => {
        if (lost-- > 0) throw Object.assign(new Error('simulated'), { code: '08006' });
        return new Map();
      },
      insert: async () => undefined,
      update: async () => undefined,
    };
    let second: Promise<bigint> | undefined;
    const first = moveOne({
      append: failingAtFirst,
      during: () => {
        const next = moving();
        second ??= book.submit({ ...next, touches: [...next.touches, { table: lostAtFirst, ids: ['any'] }] });
      },
    });
    const sequence = await first;
    expect(await second).toBe(sequence + 1n);
    expect(failures).toBe(-1);
    expect(lost).toBeLessThan(0);
  });
});

test('what arrives while a batch is attempted again does not overtake the batch behind it', async () => {
  const waitingForLocks = (count: number) =>
    eventually(async () => {
      const { rowCount } = await book.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(count);
    });
  let attempts = 0;
  const failing = logThatRuns(`DO $$ BEGIN
    PERFORM pg_advisory_xact_lock(1);
    RAISE EXCEPTION 'simulated' USING ERRCODE = '58030';
  END $$`);
  const failingOnce = {
    ...failing,
    append: async (...given: Parameters<typeof failing.append>) => {
      if (attempts++ === 0) await failing.append(...given);
    },
  };
  const stranger = await book.pool.connect();
  await superuser.query('SELECT pg_advisory_lock(1)');
  let second: Promise<bigint> | undefined;
  const during = () => {
    second ??= moveOne();
  };
  const first = moveOne({ append: failingOnce, during });
  // The first batch writes, and the second one, decided ahead, waits for it.
  await waitingForLocks(2);
  const third = moveOne();
  await stranger.query('BEGIN');
  const locked = lockBook(stranger, book.id);
  await waitingForLocks(3);
  await superuser.query('SELECT pg_advisory_unlock(1)');
  await locked;
  // The first batch again: what has arrived may join one that waits for the lock.
  await waitingForLocks(1);
  await stranger.query('ROLLBACK');
  stranger.release();
  const sequence = await first;
  expect([await second, await third]).toEqual([sequence + 1n, sequence + 2n]);
});

describe('when a command cannot be written, only that command of a thousand fails', () => {
  test.each`
    state      | what                       | culprit
    ${'23505'} | ${'a step booked twice'}   | ${() => moving({ resourceId: twice })}
    ${'23503'} | ${'a row that is missing'} | ${() => moving({ append: logThatRuns(`INSERT INTO inbound_transfers (book_id, id, account_id, amount, currency, created_at) VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, 'EUR', now())`) })}
    ${'23514'} | ${'a check'}               | ${() => moving({ append: logThatRuns("UPDATE accounts SET status = 'lost'") })}
    ${'22012'} | ${'a division by zero'}    | ${() => moving({ append: logThatRuns('SELECT 1 / 0') })}
    ${'22P02'} | ${'a value of no meaning'} | ${() => moving({ append: logThatRuns("SELECT 'x'::uuid") })}
    ${'22021'} | ${'a NUL in a text'}       | ${() => moving({ resource: 'trans\u0000fer' })}
    ${'42P01'} | ${'a table that is not'}   | ${() => moving({ append: logThatRuns('SELECT FROM nowhere') })}
    ${'42501'} | ${'a right it has not'}    | ${() => moving({ append: logThatRuns('DELETE FROM entries') })}
  `('$state $what', async ({ state, culprit }) => {
    twice = newId();
    await moveOne({ resourceId: twice });
    const commands = Array.from({ length: 1_000 }, () => moving());
    commands[617] = culprit();
    const results = await settleAll(commands);
    const failed = results.flatMap((result, at) => (result.status === 'rejected' ? [[at, result.reason.code]] : []));
    expect(failed).toEqual([[617, state]]);
    expect(await arrived()).toBe(1_000);
  });
  let twice = newId();

  test('the other commands keep their order', async () => {
    const commands = Array.from({ length: 64 }, () => moving());
    commands[0] = moving({ append: logThatRuns('SELECT 1 / 0') });
    commands[40] = moving({ append: logThatRuns('SELECT 1 / 0') });
    const results = await settleAll(commands);
    const sequences = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(sequences).toHaveLength(62);
    expect(sequences).toEqual([...sequences].sort((a, b) => (a < b ? -1 : 1)));
  });

  test('several bad commands each fail alone', async () => {
    const commands = Array.from({ length: 200 }, (_, at) =>
      moving(at % 50 === 7 ? { append: logThatRuns('SELECT 1 / 0') } : {}),
    );
    const results = await settleAll(commands);
    const failed = results.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []));
    expect(failed).toEqual([7, 57, 107, 157]);
    expect(await arrived()).toBe(196);
  });
});

describe('when a decision throws', () => {
  test('only its command fails, in the same commit', async () => {
    const bug = new Error('a bug');
    const thrower = moving({
      during: () => {
        throw bug;
      },
    });
    const results = await settleAll([moving(), thrower, moving()]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: bug });
    expect(book.batches).toEqual([3]);
    expect(await arrived()).toBe(2);
  });

  test('its error is not taken for a database error, whatever its code', async () => {
    const bug = Object.assign(new Error('a bug'), { code: '53100' });
    const thrower = moving({
      during: () => {
        throw bug;
      },
    });
    await expect(book.submit(thrower)).rejects.toBe(bug);
    expect(book.errors).toEqual([]);
  });
});

describe('when a job cannot be enqueued', () => {
  test('the committed command is answered, and does not happen again', async () => {
    const deaf = await openBook({
      database: book.pool,
      bookId: book.id,
      enqueue: () => {
        throw new Error('no queue');
      },
    });
    const accountId = await deaf.account({ amount: 10_000n });
    const payouts = await Promise.all([deaf.accept({ accountId }), deaf.accept({ accountId })]);
    expect(payouts.map(({ status }) => status)).toEqual(['pending', 'pending']);
    expect(await deaf.row('SELECT count(*) AS n FROM payouts WHERE book_id = $1')).toEqual({ n: 2n });
    await deaf.close();
  });
});

describe('when the database is read-only', () => {
  const READ_ONLY = 'default_transaction_read_only';
  /** The role says that it writes, whatever the database's default: only a setting of the role in its database is stronger. */
  const set = (change: string) => {
    const role = new URL(database.applicationUrl).username;
    return superuser.query(`ALTER ROLE "${role}" IN DATABASE ${database.name} ${change}`);
  };
  afterEach(() => set(`RESET ${READ_ONLY}`));

  test('commands wait, and are committed once it is writable', async () => {
    await set(`SET ${READ_ONLY} = on`);
    const standby = await openBook({ database: database.applicationUrl, bookId: book.id, poolSize: 1 });
    const sequence = standby.submit(moving());
    await eventually(() => expect(standby.errors.length).toBeGreaterThan(1));
    expect(new Set(standby.errors.map(({ code }) => code))).toEqual(new Set(['25006']));
    // As a failover ends: the connections to the old standby are closed, new ones may write.
    await set(`RESET ${READ_ONLY}`);
    await superuser.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()`,
      [database.name],
    );
    expect(await sequence).toBeGreaterThan(0n);
    expect(await arrived()).toBe(1);
    await standby.close();
  });

  test('commands are answered 503 at their deadline', async () => {
    await set(`SET ${READ_ONLY} = on`);
    const standby = await openBook({ database: database.applicationUrl, bookId: book.id, poolSize: 1 });
    await expect(standby.submit(moving(), 200)).rejects.toMatchObject({ code: 'service_unavailable' });
    await standby.close();
  });
});
