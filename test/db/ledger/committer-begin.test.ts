/**
 * A BEGIN that fails alone, for example by pg_cancel_backend(). The connection stays open, and each statement sent
 * behind it would run as its own transaction. The batch must write nothing then.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pool, Transaction } from '../../../src/db/pool.ts';
import { openBook, type TestBook, transfer } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const CANCELED = `DO $$ BEGIN RAISE EXCEPTION 'canceling statement due to user request' USING ERRCODE = '57014'; END $$`;

let database: TestDatabase;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
});

afterAll(async () => {
  await book?.close();
  await database?.drop();
});

type Query = (...given: unknown[]) => Promise<unknown>;

/** A pool whose connections pass each statement to `by`, which may send another one instead. */
function tapped(pool: Pool, by: (query: Query, given: unknown[]) => Promise<unknown>): Pool {
  const connect = async () => {
    const client = await pool.connect();
    const { query, release } = client;
    const send = query.bind(client) as unknown as Query;
    return {
      query: (...given: unknown[]) => by(send, given),
      release: release.bind(client),
    } as unknown as Transaction;
  };
  return { connect, query: pool.query.bind(pool) } as unknown as Pool;
}

/** Cancels the BEGIN of each transaction whose number is listed. */
function cancelBegins(
  pool: Pool,
  numbers: readonly number[],
  after: (given: unknown[]) => Promise<void> = async () => {},
) {
  let begun = 0;
  return tapped(pool, async (query, given) => {
    const [first] = given;
    const isCanceled = typeof first === 'string' && first.startsWith('BEGIN') && numbers.includes(++begun);
    const answer = await (isCanceled ? query(CANCELED) : query(...given));
    await after(given);
    return answer;
  });
}

const amounts = (from: string) =>
  book.row<{ balance: bigint; booked: bigint; head: bigint; entries: bigint }>(
    `SELECT a.posted_credits - a.posted_debits AS balance, b.entry_sequence AS head,
       (SELECT count(*) FROM entries WHERE book_id = $1) AS entries,
       (SELECT sum(amount * CASE WHEN credit_account_id = $2 THEN 1 ELSE -1 END)::bigint FROM postings
        WHERE book_id = $1 AND $2 IN (credit_account_id, debit_account_id)) AS booked
     FROM books AS b JOIN accounts AS a ON a.book_id = b.id WHERE b.id = $1 AND a.id = $2`,
    from,
  );

test('a canceled BEGIN and a failing statement behind it leave nothing of the batch', async () => {
  const [from, to] = [await book.account({ amount: 1_000n }), await book.account()];
  const before = await amounts(from);
  const one = transfer({ from, to, amount: 1n });
  const broken = {
    ...one,
    decide(...given: Parameters<typeof one.decide>) {
      const outcome = one.decide(...given);
      return { ...outcome, entries: outcome.entries.map((entry) => ({ ...entry, step: null as never })) };
    },
  };
  const far = await openBook({ database: cancelBegins(book.pool, [1]), bookId: book.id });
  await expect(far.submit(broken)).rejects.toMatchObject({ code: '23502' });
  expect(await amounts(from)).toEqual(before);
});

test('a concurrent write by another process is not lost', async () => {
  const [from, to] = [await book.account({ amount: 1_000n }), await book.account()];
  let isFirst = true;
  const pool = cancelBegins(book.pool, [1], async ([statement]) => {
    if (!isFirst || !(statement as { name?: string }).name?.startsWith('accounts.load')) return;
    isFirst = false;
    await book.submit(transfer({ from, to, amount: 100n }));
  });
  const far = await openBook({ database: pool, bookId: book.id });
  await far.submit(transfer({ from, to, amount: 1n }));
  expect(isFirst).toBe(false);
  const { balance, booked } = await amounts(from);
  expect([balance, booked]).toEqual([899n, 899n]);
});

test('commands that keep arriving each happen once, also in batches decided ahead', async () => {
  const [from, to] = [await book.account({ amount: 1_000n }), await book.account()];
  const far = await openBook({ database: cancelBegins(book.pool, [2, 3, 5, 8]), bookId: book.id, maxBatch: 5 });
  await Promise.all(Array.from({ length: 100 }, () => far.submit(transfer({ from, to, amount: 1n }))));
  const { balance, booked, head, entries } = await amounts(from);
  expect([balance, booked, entries]).toEqual([900n, 900n, head]);
  expect(far.errors.filter(({ code }) => code === '57014').length).toBeGreaterThan(0);
});
