/**
 * Batches that are decided while the batch before them commits: their starting state, and what happens when that commit
 * fails.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { once } from '../../../src/idempotency/once.ts';
import { lockBook } from '../../../src/ledger/book/book-store.ts';
import type { ObservedBatch } from '../../../src/ledger/commit/batch.ts';
import { acceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import { createLogger } from '../../../src/process/log.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { openBook, payoutRequest, type TestBook, transfer } from '../../support/book.ts';
import { eventually } from '../../support/eventually.ts';
import { PLAIN_FINGERPRINTS } from '../../support/fingerprints.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let pool: Pool;
let book: TestBook;
let from: Uuid;
let to: Uuid;
let batches: ObservedBatch[];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 12, log: createLogger('silent', 'test') });
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

beforeEach(async () => {
  batches = [];
  book = await openBook({ database: pool, maxBatch: 5, observe: (batch) => batches.push(batch) });
  [from, to] = [await book.account({ amount: 1_000_000n }), await book.account()];
  batches.length = 0;
});
afterEach(() => book.close());

const moves = (count: number, on = book) =>
  Array.from({ length: count }, () => on.submit(transfer({ from, to, amount: 1n })));

const ahead = () => batches.filter((batch) => batch.ahead).length;

const balanceOf = async (account: Uuid) =>
  (
    await pool.query('SELECT posted_credits - posted_debits AS balance FROM accounts WHERE book_id = $1 AND id = $2', [
      book.id,
      account,
    ])
  ).rows[0].balance;

describe('a batch behind another', () => {
  test('is decided ahead, and continues from the state the other leaves', async () => {
    const sequences = await Promise.all(moves(200));
    expect(sequences).toEqual(sequences.map((_, at) => sequences[0]! + BigInt(at)));
    expect(batches.map(({ commands }) => commands)).toEqual(Array.from({ length: 40 }, () => 5));
    expect(ahead()).toBeGreaterThan(30);
    expect(await balanceOf(to)).toBe(200n);
    expect(book.errors).toEqual([]);
  });

  test('sees the remaining balance: the account is emptied once', async () => {
    const poor = await book.account({ amount: 50n });
    const answers = await Promise.allSettled(
      Array.from({ length: 120 }, () => book.submit(transfer({ from: poor, to, amount: 1n }))),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(ahead()).toBeGreaterThan(0);
    expect(await balanceOf(poor)).toBe(0n);
  });
});

describe('when another process writes the book in between', () => {
  test('the batch is decided again over the state the other process left', async () => {
    const other = await openBook({ database: pool, bookId: book.id, maxBatch: 5 });
    const sequences = await Promise.all([...moves(150), ...moves(150, other)]);
    const sorted = [...sequences].sort((a, b) => (a < b ? -1 : 1));
    expect(sorted).toEqual(sorted.map((_, at) => sorted[0]! + BigInt(at)));
    expect(await balanceOf(to)).toBe(300n);
    expect([...book.errors, ...other.errors]).toEqual([]);
    await other.close();
  });

  test('an account is not emptied twice', async () => {
    const other = await openBook({ database: pool, bookId: book.id, maxBatch: 5 });
    const poor = await book.account({ amount: 60n });
    const take = (on: TestBook) => on.submit(transfer({ from: poor, to, amount: 1n }));
    const answers = await Promise.allSettled(Array.from({ length: 200 }, (_, at) => take(at % 2 ? other : book)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(60);
    expect(await balanceOf(poor)).toBe(0n);
    await other.close();
  });
});

describe('when the batch before fails', () => {
  /** Terminates every connection that is inside a batch. */
  async function terminateBatches(): Promise<number> {
    const { rowCount } = await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND query ~ 'books|accounts|entries'`,
    );
    return rowCount ?? 0;
  }

  test('because its connection broke, every command still happens once', async () => {
    const sequences: bigint[] = [];
    let ended = 0;
    while (ended < 5 || ahead() === 0) {
      const moving = Promise.all(moves(100));
      ended += await terminateBatches();
      sequences.push(...(await moving));
    }
    expect(new Set(sequences).size).toBe(sequences.length);
    expect(await balanceOf(to)).toBe(BigInt(sequences.length));
  });

  test('because one of its rows cannot be written, the others are committed in order', async () => {
    const bad = transfer({ from, to, amount: 1n });
    // The entry has no step, which its column does not allow: Postgres refuses it, alone or in a batch.
    const broken = { ...bad, decide: (...given: Parameters<typeof bad.decide>) => withoutStep(bad.decide(...given)) };
    const first = moves(40);
    const failing = expect(book.submit(broken)).rejects.toMatchObject({ code: '23502' });
    const sequences = await Promise.all([...first, ...moves(40)]);
    await failing;
    const sorted = [...sequences].sort((a, b) => (a < b ? -1 : 1));
    expect(sorted).toEqual(sorted.map((_, at) => sorted[0]! + BigInt(at)));
    expect(await balanceOf(to)).toBe(80n);
  });

  test('because a command was refused by Postgres, no later request gets its unstored answer', async () => {
    const own = await openBook({ database: pool, bookId: book.id, maxBatch: 1 });
    const asked = (key: string) =>
      once(acceptPayout(payoutRequest(book.id, { accountId: from, idempotencyKey: key })), {
        key,
        fingerprint: Buffer.from(key),
        fingerprints: PLAIN_FINGERPRINTS,
        publicUrl: 'https://api.test',
      });
    for (let round = 0; round < 10; round++) {
      const [first, again] = [asked(`k${round}`), asked(`k${round}`)];
      const refused: typeof first = {
        ...first,
        decide(...given) {
          const outcome = first.decide(...given);
          return { ...outcome, events: outcome.events.map((event) => ({ ...event, type: null as never })) };
        },
      };
      const ready = moves(4, own);
      const failing = expect(own.submit(refused)).rejects.toMatchObject({ code: '23502' });
      const answer = await own.submit(again);
      await Promise.all([failing, ...ready]);
      expect(answer).toMatchObject({ status: 202, replayed: false });
      expect(await own.row('SELECT count(*) AS n FROM payouts WHERE book_id = $1')).toEqual({ n: BigInt(round + 1) });
    }
    await own.close();
  });

  function withoutStep(outcome: ReturnType<ReturnType<typeof transfer>['decide']>) {
    return { ...outcome, entries: outcome.entries.map((entry) => ({ ...entry, step: null as never })) };
  }
});

test('the committer waits for a book whose lock another connection holds without writing', async () => {
  const holder = await pool.connect();
  await holder.query('BEGIN');
  await lockBook(holder, book.id);
  const moving = moves(30);
  await eventually(async () => {
    const { rows } = await pool.query(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    expect(rows[0].n).toBeGreaterThan(0n);
  });
  await holder.query('COMMIT');
  holder.release();
  await Promise.all(moving);
  expect(await balanceOf(to)).toBe(30n);
});
