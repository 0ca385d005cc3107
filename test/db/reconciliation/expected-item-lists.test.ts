/** Lists of expected items: newest first, whatever their ids, and every page of a filter. */
import { beforeEach, expect, test } from 'vitest';
import { BEGIN_LIST_READ } from '../../../src/db/list-reads.ts';
import type { Page, PageRequest } from '../../../src/db/page.ts';
import type { ExpectedItem, ExpectedItemStatus } from '../../../src/reconciliation/items/expected-item.ts';
import { type ExpectedItemFilter, listExpectedItems } from '../../../src/reconciliation/items/expected-item-store.ts';
import type { OperatorsBank } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { expectItems } from '../../support/matched-bank.ts';

let bank: OperatorsBank;
eachBank((opened) => {
  ({ bank } = opened);
});

const BEGUN = Date.parse('2026-11-01T00:00:00Z');
/** Derived ids state no time: the older item has the greater one, and each two are of one millisecond. */
const idOf = (place: number) => `${String(99 - place).padStart(8, '0')}-0000-8000-8000-000000000000`;
const COUNT = 12;
const places = Array.from({ length: COUNT }, (_, place) => place);
const statusOf = (place: number): ExpectedItemStatus => (place % 3 === 0 ? 'matched' : 'open');

beforeEach(async () => {
  await expectItems(
    bank.taker,
    places.map((place) => ({
      ...{ id: idOf(place), amount: BigInt(place + 1), createdAt: BEGUN + Math.floor(place / 2) },
      ...{ party: place < 4 ? 'acme' : 'rail', status: statusOf(place) },
      ...(statusOf(place) === 'matched' && { amountOpen: 0n }),
    })),
  );
});

async function list(filter: ExpectedItemFilter, page: PageRequest): Promise<Page<ExpectedItem>> {
  const client = await bank.pool.connect();
  try {
    await client.query(BEGIN_LIST_READ);
    return await listExpectedItems(client, bank.book.id, filter, page);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** Page by page, there and back. */
async function allOf(filter: ExpectedItemFilter): Promise<string[]> {
  const found: string[] = [];
  for (let page: PageRequest = { limit: 3 }; ; ) {
    const { rows, hasMore, reached } = await list(filter, page);
    found.push(...rows.map(({ id }) => id));
    if (!hasMore) break;
    page = { limit: 3, startingAfter: reached ?? rows.at(-1)!.id };
  }
  const { rows } = await list(filter, { limit: 100, endingBefore: found.at(-1)! });
  expect(rows.map(({ id }) => id)).toEqual(found.slice(0, -1));
  return found;
}

/** Of one time the greater id is first. */
const newestFirst = places.toSorted(
  (one, other) => Math.floor(other / 2) - Math.floor(one / 2) || (idOf(one) < idOf(other) ? 1 : -1),
);

test.each<[string, ExpectedItemFilter, (place: number) => boolean]>([
  ['all', {}, () => true],
  ['of a party', { parties: ['acme'] }, (place) => place < 4],
  ['open', { statuses: ['open', 'partly_matched'] }, (place) => statusOf(place) === 'open'],
  ['matched', { statuses: ['matched'] }, (place) => statusOf(place) === 'matched'],
  ['of an amount', { amount: { gte: 5n } }, (place) => place >= 4],
])('%s: newest first, whatever their ids', async (_, filter, keep) => {
  expect(await allOf(filter)).toEqual(newestFirst.filter(keep).map(idOf));
});

test('the open ones are read by their own index, however many are matched', async () => {
  const plans: string[] = [];
  const client = await bank.pool.connect();
  const query = async (sql: string, values: unknown[]) => {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    return client.query(sql, values);
  };
  try {
    await client.query(BEGIN_LIST_READ);
    await listExpectedItems({ query } as never, bank.book.id, { statuses: ['open'] }, { limit: 3 });
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  expect(plans[0]).toContain('expected_items_unmatched_by_created');
});
