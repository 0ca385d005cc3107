/** Lists whose filters hardly ever match together: every page is bounded, and all pages together show every match. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertManyPayouts, manyPayoutsId } from '../../../scripts/bench/many-payouts-store.ts';
import { BEGIN_LIST_READ } from '../../../src/db/list-reads.ts';
import type { PageRequest } from '../../../src/db/page.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { listPayouts, type PayoutFilter } from '../../../src/payouts/payout/payout-store.ts';
import { newId } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { stopAutovacuum } from '../../support/statistics.ts';

const COUNT = 6_000;

/** Accounts of every third payout, and of four. */
const BUSY = newId();
const QUIET = newId();

let database: TestDatabase;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  await stopAutovacuum(database);
  book = await openBook({ database: database.applicationUrl });
  await insertManyPayouts(book.pool, book.id, {
    count: COUNT,
    metadata: [
      { key: 'odd', value: 'yes', every: 2, from: 1 },
      { key: 'even', value: 'yes', every: 2 },
      { key: 'third', value: 'yes', every: 3 },
      { key: 'fourth', value: 'yes', every: 4 },
      { key: 'fifth', value: 'yes', every: 5 },
      { key: 'rare', value: 'yes', every: 600 },
    ],
    status: `CASE WHEN number % 1000 = 0 THEN 'failed' ELSE 'paid' END`,
    externalId: `CASE WHEN number % 4 = 0 THEN 'quarter' END`,
    account: `CASE WHEN number % 3 = 0 THEN '${BUSY}' WHEN number % 1500 = 5 THEN '${QUIET}' ELSE gen_random_uuid() END::uuid`,
  });
});

afterAll(async () => {
  await book?.close();
  await database?.drop();
});

const numbers = Array.from({ length: COUNT }, (_, at) => COUNT - at);
const idsOf = (keep: (number: number) => boolean) => numbers.filter(keep).map(manyPayoutsId);

/** Rows that a list's statements read from tables and indexes, shown or not. The tables are never analyzed. */
async function rowsRead(work: (db: Queryable) => Promise<unknown>): Promise<number> {
  const client = await book.pool.connect();
  let read = 0;
  const count = (node: Record<string, unknown>, loops = 1): void => {
    if (node['Relation Name'] !== undefined || node['Index Name'] !== undefined) {
      const removed = Number(node['Rows Removed by Filter'] ?? 0) + Number(node['Rows Removed by Index Recheck'] ?? 0);
      read += (Number(node['Actual Rows']) + removed) * Number(node['Actual Loops']);
    }
    for (const child of (node.Plans as Record<string, unknown>[] | undefined) ?? []) count(child, loops);
  };
  const query = async (sql: string, values: unknown[]) => {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, TIMING off, FORMAT json) ${sql}`, values);
    count(rows[0]['QUERY PLAN'][0].Plan);
    return client.query(sql, values);
  };
  try {
    await client.query(BEGIN_LIST_READ);
    await work({ query } as unknown as Queryable);
    return read;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

async function readAll(filter: PayoutFilter, first: PageRequest) {
  const backwards = first.endingBefore !== undefined;
  const pages: string[][] = [];
  let request = first;
  for (;;) {
    const { rows, hasMore, reached } = await listPayouts(book.pool, book.id, filter, request);
    const ids = rows.map(({ id }) => id);
    pages.push(ids);
    if (!hasMore) return pages;
    const cursor = reached ?? (backwards ? ids[0] : ids.at(-1));
    request = { limit: first.limit, ...(backwards ? { endingBefore: cursor } : { startingAfter: cursor }) };
  }
}

const both = { odd: 'yes', even: 'yes' };

test('filters that never match together: pages are empty, continue from the last candidate, and end', async () => {
  expect(await readAll({ metadata: both }, { limit: 20 })).toEqual([[], [], []]);
  expect(await readAll({ metadata: both }, { limit: 20, endingBefore: manyPayoutsId(1) })).toEqual([[], []]);
});

test('the cursor of a short page is the last candidate, which did not match', async () => {
  const page = await listPayouts(book.pool, book.id, { metadata: both }, { limit: 20 });
  expect(page).toEqual({ rows: [], hasMore: true, reached: manyPayoutsId(COUNT - 2 * 1_500 + 1) });
});

test.each<[string, PayoutFilter, (number: number) => boolean]>([
  ['two common pairs', { metadata: { third: 'yes', fifth: 'yes' } }, (number) => number % 15 === 0],
  ['a rare pair among common ones', { metadata: { even: 'yes', rare: 'yes', third: 'yes' } }, (n) => n % 600 === 0],
  ['a status and a pair', { statuses: ['failed'], metadata: { third: 'yes' } }, (number) => number % 3_000 === 0],
  ['a status and a reference', { statuses: ['failed', 'paid'], externalId: 'quarter' }, (number) => number % 4 === 0],
  [
    'four common pairs and a status',
    { metadata: { even: 'yes', third: 'yes', fourth: 'yes', fifth: 'yes' }, statuses: ['paid'] },
    (n) => n % 60 === 0 && n % 1_000 !== 0,
  ],
  ['a reference and pairs', { externalId: 'quarter', metadata: { fifth: 'yes' } }, (number) => number % 20 === 0],
  ['a status that none has', { statuses: ['canceled'], metadata: { even: 'yes' } }, () => false],
  ['an account', { accountId: BUSY }, (number) => number % 3 === 0],
  ['an account and a status', { accountId: BUSY, statuses: ['failed'] }, (number) => number % 3_000 === 0],
  ['a quiet account and a pair', { accountId: QUIET, metadata: { odd: 'yes' } }, (number) => number % 1_500 === 5],
  ['an account that none leaves', { accountId: newId(), statuses: ['paid'] }, () => false],
])('all pages of %s show every match once and in order, in both directions', async (_, filter, keep) => {
  const forwards = await readAll(filter, { limit: 30 });
  expect(forwards.flat()).toEqual(idsOf(keep));
  const backwards = await readAll(filter, { limit: 30, endingBefore: manyPayoutsId(1) });
  expect(backwards.reverse().flat()).toEqual(idsOf(keep));
});

describe('a page reads a bounded number of rows', () => {
  /**
   * Five walks are counted to 1,000. Each of 600 candidates costs an index entry, a row and four probes. Finding the
   * last candidate reads the 600 again.
   */
  const MOST = 5 * 1_000 + 600 * 6 + 600;

  test.each<[string, PayoutFilter, number]>([
    ['nothing', {}, 50],
    ['one pair', { metadata: { even: 'yes' } }, 50],
    ['a status', { statuses: ['paid'] }, 50],
    ['a status that none has', { statuses: ['canceled'] }, 5],
    ['a reference that none has', { externalId: 'none' }, 5],
    ['pairs that never meet', { metadata: both }, 2 * 1_000 + 2_000 * 2 + 2_000],
    ['five pairs', { metadata: { odd: 'yes', even: 'yes', third: 'yes', fifth: 'yes', rare: 'yes' } }, MOST],
    ['five common pairs', { metadata: { even: 'yes', third: 'yes', fourth: 'yes', fifth: 'yes', odd: 'yes' } }, MOST],
    ['a rare pair and a common one', { metadata: { even: 'yes', rare: 'yes' } }, 1_000 + 10 * 5 + 5],
    ['a reference and a status', { externalId: 'quarter', statuses: ['canceled'] }, 1_000 + 5],
    ['an account', { accountId: BUSY }, 50],
    ['an account that none leaves', { accountId: newId() }, 5],
    ['a quiet account and a common status', { accountId: QUIET, statuses: ['paid'] }, 1_000 + 4 * 4 + 5],
    ['a status and a time', { statuses: ['paid'], createdLt: 1_767_225_603_000 }, 2_000 * 2],
  ])('of %s', async (_, filter, most) => {
    const read = await rowsRead((db) => listPayouts(db, book.id, filter, { limit: 20 }));
    expect(read).toBeLessThanOrEqual(most);
  });
});

test('a page ends with the payout that takes it past 1 MB', async () => {
  const other = await openBook({ database: book.pool });
  const padding = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key-${at}`, 'ä'.repeat(500)]));
  await insertManyPayouts(book.pool, other.id, { count: 40, metadata: [], padding });
  const bytes = Buffer.byteLength(JSON.stringify(padding));
  const page = await listPayouts(book.pool, other.id, {}, { limit: 40 });
  expect(page.rows.length).toBe(Math.ceil(1_000_000 / bytes));
  expect(page.hasMore).toBe(true);
  const next = await listPayouts(book.pool, other.id, {}, { limit: 40, startingAfter: page.rows.at(-1)!.id });
  expect([...page.rows, ...next.rows].length).toBe(40);
  expect(next.hasMore).toBe(false);
});
