import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { RowLoads } from '../../../src/ledger/rows/row-loads.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { newId } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let books: TestBook[];
/** Two payouts of each book. */
let known: Payout[][];
let loads: RowLoads<Payout>;

beforeAll(async () => {
  database = await createTestDatabase();
  const first = await openBook({ database: database.applicationUrl });
  books = [first, await openBook({ database: first.pool }), await openBook({ database: first.pool })];
  known = [];
  for (const book of books) {
    const accountId = await book.account({ amount: 10_000n });
    known.push([await book.accept({ accountId }), await book.accept({ accountId })]);
  }
  loads = new RowLoads(first.pool, payouts);
});
afterAll(async () => {
  for (const book of (books ?? []).toReversed()) await book.close();
  await database?.drop();
});
beforeEach(() => {
  vi.restoreAllMocks();
  vi.spyOn(books[0]!.pool, 'query');
});

const statements = () =>
  vi.mocked(books[0]!.pool.query).mock.calls.map(([config]) => (config as unknown as { name: string }).name);
const load = (book: number, ids = known[book]!.map(({ id }) => id)) => loads.load(books[book]!.id, ids);
const byId = (rows: readonly Payout[]) => new Map(rows.map((row) => [row.id, row]));

test('rows of several books that are asked for in one turn share a query', async () => {
  const [first, second, third] = await Promise.all([
    load(0),
    load(1, [known[1]![0]!.id, newId()]),
    // A row of another book is not found under this one.
    load(2, [known[0]![0]!.id, known[2]![1]!.id]),
  ]);
  expect(first).toEqual(byId(known[0]!));
  expect(second).toEqual(byId([known[1]![0]!]));
  expect(third).toEqual(byId([known[2]![1]!]));
  expect(statements()).toEqual(['payouts.load_pairs']);
});

test('rows of one book are loaded by its own statement, each asker’s to itself', async () => {
  const [both, one] = await Promise.all([load(0), load(0, [known[0]![1]!.id])]);
  expect(both).toEqual(byId(known[0]!));
  expect(one).toEqual(byId([known[0]![1]!]));
  expect(statements()).toEqual(['payouts.load']);
});

test('what is asked for later has a query of its own, and waits for none', async () => {
  const first = load(0);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await Promise.all([first, load(1)]);
  expect(statements()).toEqual(['payouts.load', 'payouts.load']);
});

test('ids that the database refuses fail those who asked for them, and nobody else', async () => {
  const outcomes = await Promise.allSettled([load(0), load(1, ['no uuid']), load(2)]);
  expect(outcomes[0]).toEqual({ status: 'fulfilled', value: byId(known[0]!) });
  expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: { code: '22P02' } });
  expect(outcomes[2]).toEqual({ status: 'fulfilled', value: byId(known[2]!) });
});

test('a thousand rows are the most in one query', async () => {
  const many = () => Array.from({ length: 400 }, () => newId());
  await Promise.all([load(0, many()), load(1, many()), load(2, many())]);
  expect(statements().toSorted()).toEqual(['payouts.load', 'payouts.load_pairs']);
});
