/** The limits of lists, and their answer when they cannot be read in time. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertManyPayouts, manyPayoutsId } from '../../scripts/bench/many-payouts-store.ts';
import type { Client } from '../../scripts/harness/client.ts';
import { publicId } from '../../src/values/ids.ts';
import { type Product, startProduct } from '../support/product.ts';

interface List {
  data: { id: string }[];
  has_more: boolean;
  next_cursor: string | null;
}

let product: Product;
let client: Client;
let bookId: string;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', pools: [] });
  const { keys, client: made } = await product.organisation();
  client = made;
  bookId = keys.testBookId;
  await insertManyPayouts(product.runtime.pool, bookId, {
    count: 5_000,
    metadata: [
      { key: 'odd', value: 'yes', every: 2, from: 1 },
      { key: 'even', value: 'yes', every: 2 },
    ],
  });
});
afterAll(() => product?.close());

test.each(['/v1/payouts', '/v1/accounts'])('%s accepts five metadata filters, and refuses a sixth', async (path) => {
  const filters = Array.from({ length: 400 }, (_, at) => `metadata[k${at}]=v`);
  expect((await client.get(`${path}?${filters.slice(0, 5).join('&')}`)).status).toBe(200);
  for (const count of [6, 100]) {
    const { body } = await client.get(`${path}?${filters.slice(0, count).join('&')}`);
    expect(body).toMatchObject({ status: 400, code: 'parameter_invalid', param: 'metadata[k5]' });
  }
  const { body } = await client.get(`${path}?${filters.join('&')}`);
  expect(body).toMatchObject({ status: 400, detail: 'The query has more than 100 parameters.' });
});

test('a page without a match says where it ended, and its cursor reads on in both directions', async () => {
  const filter = 'metadata[odd]=yes&metadata[even]=yes';
  const first = await client.read<List>(`/v1/payouts?${filter}`);
  expect(first).toMatchObject({ data: [], has_more: true, next_cursor: expect.stringMatching(/^po_/) });
  const second = await client.read<List>(`/v1/payouts?${filter}&starting_after=${first.next_cursor}`);
  expect(second).toMatchObject({ data: [], has_more: false, next_cursor: null });
  const back = await client.read<List>(`/v1/payouts?${filter}&ending_before=${oldest}`);
  expect(back).toMatchObject({ data: [], has_more: true, next_cursor: expect.stringMatching(/^po_/) });
  expect(await client.read<List>(`/v1/payouts?${filter}&ending_before=${back.next_cursor}`)).toMatchObject({
    has_more: false,
  });
});

const oldest = publicId('payout', manyPayoutsId(1));

test('a slow list is 503 with what to narrow; other lists are still read', async () => {
  const locker = new pg.Client({ connectionString: product.database.superuserUrl });
  await locker.connect();
  try {
    await locker.query('BEGIN; LOCK TABLE payouts IN ACCESS EXCLUSIVE MODE');
    const { status, headers, body } = await client.get('/v1/payouts?status=paid&metadata[odd]=yes');
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(body).toMatchObject({
      code: 'service_unavailable',
      retryable: true,
      detail: expect.stringContaining('Narrow status, metadata to fewer or rarer values'),
    });
    // The accounts are not locked, and list reads have their own connections.
    expect((await client.get('/v1/accounts')).status).toBe(200);
  } finally {
    await locker.end();
  }
  const { data } = await client.read<List>('/v1/payouts?status=paid&limit=1');
  expect((await client.get(`/v1/payouts/${data[0]!.id}`)).status).toBe(200);
});

test('the limits are published', async () => {
  const { body } = await client.get('/v1/limits');
  expect(body).toMatchObject({
    page: { default: 20, maximum: 100, bytes: 1_000_000, rows_read: 2_000, timeout_ms: 2_000 },
    metadata: { filters: 5 },
  });
});
