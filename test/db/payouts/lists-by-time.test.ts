/**
 * Lists with a filter on `created_at`, of a book whose own time is far from that of its ids: nothing is lost, nothing comes
 * twice, pages are in the order of that time and bounded, whichever filter is walked.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertManyPayouts, manyPayoutsId } from '../../../scripts/bench/many-payouts-store.ts';
import { lookInto } from '../../../scripts/harness/database-store.ts';
import type { PageRequest } from '../../../src/db/page.ts';
import { listPayouts, type PayoutFilter } from '../../../src/payouts/payout/payout-store.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const COUNT = 6_000;
const FIRST = Date.UTC(2040, 0, 1);
const MINUTE_MS = 60_000;
/** Prime to COUNT: times are in no order of ids, three payouts in each. */
const SPREAD = 7_919;

let database: TestDatabase;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
  await insertManyPayouts(book.pool, book.id, {
    count: COUNT,
    metadata: [
      { key: 'common', value: 'yes', every: 2 },
      { key: 'rare', value: 'yes', every: 600 },
    ],
    status: `CASE WHEN number % 1000 = 0 THEN 'failed' ELSE 'paid' END`,
    externalId: `CASE WHEN number % 4 = 0 THEN 'quarter' END`,
  });
  const owner = lookInto(database);
  await owner.query(
    `UPDATE payouts SET created_at = to_timestamp(${FIRST / 1_000}) + (ltrim(end_to_end_id, 'E')::int * ${SPREAD} % ${COUNT} / 3) * interval '1 minute'
     WHERE book_id = $1`,
    [book.id],
  );
  await owner.end();
});

afterAll(async () => {
  await book?.close();
  await database?.drop();
});

const createdAt = (number: number) => FIRST + Math.floor(((number * SPREAD) % COUNT) / 3) * MINUTE_MS;
const numbers = Array.from({ length: COUNT }, (_, at) => at + 1).sort((a, b) => createdAt(b) - createdAt(a) || b - a);
const expected = (
  { createdGte = 0, createdLt = Number.POSITIVE_INFINITY }: PayoutFilter,
  keep: (of: number) => boolean,
) =>
  numbers
    .filter((number) => createdAt(number) >= createdGte && createdAt(number) < createdLt && keep(number))
    .map(manyPayoutsId);

async function readAll(filter: PayoutFilter, first: PageRequest): Promise<string[]> {
  const backwards = first.endingBefore !== undefined;
  const all: string[] = [];
  for (let request = first; ; ) {
    const { rows, hasMore, reached } = await listPayouts(book.pool, book.id, filter, request);
    const ids = rows.map(({ id }) => id);
    if (backwards) all.unshift(...ids);
    else all.push(...ids);
    if (!hasMore) return all;
    const cursor = reached ?? (backwards ? ids[0] : ids.at(-1));
    request = { limit: first.limit, ...(backwards ? { endingBefore: cursor } : { startingAfter: cursor }) };
  }
}

const early = FIRST + 100 * MINUTE_MS;
const late = FIRST + 1_900 * MINUTE_MS;

test.each<[string, PayoutFilter, (number: number) => boolean]>([
  ['a time', { createdGte: early, createdLt: late }, () => true],
  ['from a time on', { createdGte: late }, () => true],
  ['before a time', { createdLt: early }, () => true],
  ['a time and a common pair', { createdGte: early, createdLt: late, metadata: { common: 'yes' } }, (n) => n % 2 === 0],
  ['a time and a rare pair', { createdGte: early, createdLt: late, metadata: { rare: 'yes' } }, (n) => n % 600 === 0],
  ['a time and a rare status', { createdGte: early, statuses: ['failed'] }, (n) => n % 1_000 === 0],
  ['a time and a common status', { createdLt: late, statuses: ['paid'] }, (n) => n % 1_000 !== 0],
  [
    'a time, an external id and a pair',
    { createdLt: late, externalId: 'quarter', metadata: { rare: 'yes' } },
    (n) => n % 600 === 0,
  ],
])('pages of %s have every match once, in the order of time, in both directions', async (_, filter, keep) => {
  const all = expected(filter, keep);
  expect(all.length).toBeGreaterThan(4);
  expect(await readAll(filter, { limit: 100 })).toEqual(all);
  expect(await readAll(filter, { limit: 100, endingBefore: all.at(-1)! })).toEqual(all.slice(0, -1));
});

test('a page ends at a candidate in the middle of one time, and the next goes on from it', async () => {
  const filter = { createdGte: early, createdLt: late };
  const all = expected(filter, () => true);
  for (const limit of [1, 2, 7]) {
    const page = await listPayouts(book.pool, book.id, filter, { limit, startingAfter: all[limit]! });
    expect(page.rows.map(({ id }) => id)).toEqual(all.slice(limit + 1, 2 * limit + 1));
  }
});

test.each<PayoutFilter>([{}, { createdLt: late }, { statuses: ['paid'] }])(
  'a cursor that is no payout of the book is refused in a list of %j',
  async (filter) => {
    const asked = listPayouts(book.pool, book.id, filter, { limit: 1, startingAfter: manyPayoutsId(0) });
    await expect(asked).rejects.toMatchObject({ code: 'cursor_invalid' });
  },
);
