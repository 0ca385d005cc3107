/** The balance at a moment of the past, checked against the lines of the account. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAccountLines } from '../../../src/ledger/account/account-line-store.ts';
import { findBalanceAt } from '../../../src/ledger/balances/balance-at-store.ts';
import type { Instant } from '../../../src/values/clock.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook, transfer } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const START = Date.UTC(2026, 0, 1);
const STEPS = 40;

let database: TestDatabase;
let book: TestBook;
let now: Instant = START;
let [here, there]: Uuid[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl, clock: { now: () => now } });
  [here, there] = [await book.account({ amount: 1_000_000n }), await book.account({ amount: 1_000_000n })];
  for (let step = 0; step < STEPS; step++) {
    // Some lines share a moment, some are a minute apart, and money moves in both directions.
    now += [0, 1, 5, 60_000][step % 4]!;
    const [from, to] = step % 3 === 0 ? [here!, there!] : [there!, here!];
    await book.submit(transfer({ from, to, amount: BigInt(step + 1) }));
  }
});

afterAll(async () => {
  await book?.close();
  await database?.drop();
});

test('is the balance after the last line at or before the moment', async () => {
  const { rows: lines } = await listAccountLines(book.pool, book.id, here!, { limit: 100 });
  expect(lines).toHaveLength(STEPS + 1);
  const account = { id: here!, lines: BigInt(lines.length) };
  const moments = fc.integer({ min: START - 10, max: now + 10 });
  await fc.assert(
    fc.asyncProperty(fc.oneof(moments, fc.constantFrom(...lines.map((line) => line.postedAt))), async (moment) => {
      const last = lines.find((line) => line.postedAt <= moment);
      expect(await findBalanceAt(book.pool, book.id, account, moment)).toEqual({
        line: last?.line ?? 0n,
        posted: last?.balanceAfter ?? 0n,
      });
    }),
  );
});

test('of an account without lines is zero', async () => {
  expect(await findBalanceAt(book.pool, book.id, { id: there!, lines: 0n }, now)).toEqual({ line: 0n, posted: 0n });
});
