/** Statements over random journals, against plain sums: opening + movements = closing, whatever the days and the currency. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AskedStatement,
  openStatement,
  statementLines,
  sumStatement,
} from '../../../src/accounts/statements/read-statement.ts';
import { changeOf } from '../../../src/accounts/statements/statement.ts';
import { statementCsv } from '../../../src/accounts/statements/statement-csv.ts';
import { dayOf } from '../../../src/calendar/day.ts';
import { RESOURCES } from '../../../src/groups.ts';
import { lineTextsOf } from '../../../src/ledger/resources/line-text-store.ts';
import { currencyExponent } from '../../../src/money/currency.ts';
import type { Instant } from '../../../src/values/clock.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook, transfer } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { runs } from '../../support/runs.ts';

const START = Date.UTC(2026, 2, 1);
const DAY_MS = 86_400_000;
/** 0, 2 and 3 decimals. No account is kept in a currency of 4 (money/currency.ts). */
const CURRENCIES = ['JPY', 'EUR', 'KWD'];

let database: TestDatabase;
let book: TestBook;
let now: Instant = START;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl, clock: { now: () => now } });
});
afterAll(async () => {
  await book?.close();
  await database?.drop();
});

interface Posted {
  readonly day: string;
  readonly change: bigint;
}

const runtime = () => ({
  pool: book.pool,
  lists: { read: <Result>(_: Uuid, work: (db: TestBook['pool']) => Promise<Result>) => work(book.pool) },
  lineTexts: lineTextsOf(RESOURCES),
  committer: { submit: book.committer.submit.bind(book.committer) },
  clock: { now: () => now },
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const day = (at: Instant) => dayOf(at, 'UTC');
const sumOf = (lines: readonly Posted[]) => lines.reduce((sum, { change }) => sum + change, 0n);

const step = fc.record({
  hours: fc.integer({ min: 0, max: 40 }),
  amount: fc.bigInt({ min: 1n, max: 9_007_199_254_740n }),
  back: fc.boolean(),
});
const journal = fc.record({
  currency: fc.constantFrom(...CURRENCIES),
  steps: fc.array(step, { minLength: 0, maxLength: 12 }),
  first: fc.integer({ min: -1, max: 12 }),
  days: fc.integer({ min: 0, max: 12 }),
});

test('opening + movements = closing, and every line is in the statement of its day alone', async () => {
  const exponents = new Set(CURRENCIES.map(currencyExponent));
  expect([...exponents]).toEqual([0, 2, 3]);
  await fc.assert(
    fc.asyncProperty(journal, async ({ currency, steps, first, days }) => {
      now += DAY_MS;
      const began = now;
      const amount = 9_000_000_000_000_000n;
      const here = await book.account({ currency, amount });
      const there = await book.account({ currency, amount });
      const lines: Posted[] = [{ day: day(now), change: amount }];
      for (const { hours, amount: moved, back } of steps) {
        now += hours * 3_600_000;
        const [from, to] = back ? [there, here] : [here, there];
        await book.submit(transfer({ from, to, amount: moved }));
        lines.push({ day: day(now), change: back ? moved : -moved });
      }
      now = Math.max(now, began + 26 * DAY_MS);
      const [from, to] = [day(began + first * DAY_MS), day(began + (first + days) * DAY_MS)];
      const asked: AskedStatement = {
        ...{ bookId: book.id, accountId: here, accountName: null, from, to, requestId: newId() },
      };
      const head = await openStatement(runtime(), asked);
      const statement = await sumStatement(runtime(), head);
      const within = lines.filter((line) => line.day >= from && line.day <= to);
      expect(statement).toMatchObject({
        interim: false,
        opening: sumOf(lines.filter((line) => line.day < from)),
        closing: sumOf(lines.filter((line) => line.day <= to)),
        credits: { count: within.filter(({ change }) => change > 0n).length },
        debits: { count: within.filter(({ change }) => change < 0n).length },
      });
      expect(statement.opening + statement.credits.sum - statement.debits.sum).toBe(statement.closing);
      const shown = (await all(statementLines(runtime(), head))).flat();
      expect(shown.map((line) => ({ day: line.postedOn, change: changeOf(line, 'credit') }))).toEqual(within);
      // Read twice, each form is the same to the byte, and so is the digest.
      const csv = async () => (await all(statementCsv(head, statementLines(runtime(), head), { bom: false }))).join('');
      expect(await csv()).toBe(await csv());
      expect((await sumStatement(runtime(), head)).digest).toBe(statement.digest);
    }),
    { numRuns: runs(25) },
  );
});
