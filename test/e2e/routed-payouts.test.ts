/** Payouts by the settings of RAILS_FILE, end to end: the route, the fee, the limits, the arrival, and what is shown of them. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account, Client, Problem } from '../../scripts/harness/client.ts';
import { succeeded, until } from '../../scripts/harness/client.ts';
import { canonicalJson } from '../../src/values/json.ts';
import { expectInvariants } from '../support/invariants.ts';
import { addPersonOf } from '../support/people.ts';
import { lookInto, type Product, startProduct } from '../support/product.ts';

const FILE = {
  rails: [
    {
      name: 'sandbox',
      mode: 'test',
      adapter: { type: 'sandbox' },
      currencies: [{ currency: 'JOD', minimum: 100, maximum: 20_000_000 }],
      time_zone: 'Asia/Amman',
      cut_off: '16:00',
      calendar: { name: 'fri_sat' },
      days_to_arrive: 1,
    },
  ],
  routes: [
    { destination: 'cliq', currencies: ['JOD'], maximum: 9_999, rail: 'sandbox', fee: 'small' },
    { destination: 'cliq', currencies: ['JOD'], minimum: 15_000, rail: 'sandbox' },
    { destination: 'account', currencies: ['JOD'], rail: 'book', fee: 'book' },
  ],
  fees: [
    { name: 'small', currency: 'JOD', fixed: 10, basis_points: 100, maximum: 60 },
    { name: 'book', currency: 'JOD', fixed: 3 },
  ],
  limits: [{ mode: 'test', currency: 'JOD', payout: 9_990_000, day: 10_000_000, month: 50_000_000 }],
};
const DIGEST = createHash('sha256').update(canonicalJson(FILE)).digest('hex');

interface Shown {
  id: string;
  status: string;
  fee: number;
  rail: string;
  configuration: string | null;
  expected_arrival: string;
  created_at: string;
}
interface Limits {
  payouts: { window: string; limit: number; used: number; resets_at: string | null }[];
}

let folder: string;
let product: Product;
let client: Client;
let account: Account;
let bookId: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'routed-payouts-'));
  const path = join(folder, 'rails.json');
  writeFileSync(path, JSON.stringify(FILE));
  product = await startProduct({ backend: 'postgres', environment: { RAILS_FILE: path } });
  ({
    client,
    keys: { testBookId: bookId },
  } = await product.organisation());
  account = await client.openAccount({ funds: 40_000_000 });
});
afterAll(async () => {
  await product?.close();
  rmSync(folder, { recursive: true });
});

const pay = (amount: number, options: { currency?: string; destination?: Record<string, unknown> } = {}) =>
  client.requestPayout<Shown>({ account: account.id, amount, ...options });
const used = async () => {
  const { payouts } = await client.read<Limits>('/v1/limits');
  return Object.fromEntries(payouts.map((limit) => [limit.window, limit.used]));
};

test('payouts have the fee and the arrival of their route, and name the settings', async () => {
  const { status, body } = await pay(5_124);
  expect(status).toBe(202);
  expect(body).toMatchObject({ fee: 60, rail: 'sandbox', configuration: DIGEST });
  expect(Date.parse(body.expected_arrival)).toBeGreaterThan(Date.parse(body.created_at));
  expect(body.expected_arrival).toMatch(/T21:00:00\.000Z$/);
  await client.payoutUntil(body.id, 'paid');
  const large = await pay(15_000);
  expect(large.body).toMatchObject({ fee: 75 });
  const target = await client.openAccount({ funds: 0 });
  const within = await pay(20, { destination: { type: 'account', account: target.id } });
  expect(within.body).toMatchObject({ fee: 3, rail: 'book', expected_arrival: within.body.created_at });
  const pool = lookInto(product.database);
  const { rows } = await pool.query("SELECT encode(digest, 'hex') AS digest, content FROM rail_settings");
  await pool.end();
  expect(rows).toMatchObject([{ digest: DIGEST }]);
  expect(rows[0].content).toContain('"cut_off":"16:00"');
});

test.each`
  amount        | param        | lacks
  ${99}         | ${'/amount'} | ${'amount'}
  ${12_000}     | ${'/amount'} | ${'amount'}
  ${20_000_001} | ${'/amount'} | ${'amount'}
`('no route carries $amount: $lacks', async ({ amount, param, lacks }) => {
  const { status, body } = await pay(amount);
  expect(status).toBe(422);
  expect(body).toMatchObject({ code: 'rail_unavailable', lacks, errors: [{ param }] });
});

test('rails are shown with what a route leads to', async () => {
  interface Rails {
    data: { name: string; settles: string; destinations: { type: string }[] }[];
  }
  const { data } = await client.read<Rails>('/v1/rails');
  const shown = data.map(({ name, settles, destinations }) => [name, settles, destinations.map(({ type }) => type)]);
  expect(shown).toEqual([
    ['sandbox', 'instant', ['cliq']],
    ['book', 'instant', ['account']],
  ]);
});

test('no route carries another currency', async () => {
  const euros = await client.openAccount({ currency: 'EUR', funds: 1_000 });
  const { body } = await client.requestPayout({ account: euros.id, amount: 100, currency: 'EUR' });
  expect(body).toMatchObject({ code: 'rail_unavailable', lacks: 'currency', errors: [{ param: '/currency' }] });
});

test('limits are counted, shown, and given back to by what is canceled', async () => {
  const before = await used();
  expect(before).toEqual({ payout: 0, day: 5_124 + 15_000 + 20, month: 5_124 + 15_000 + 20 });
  expect((await pay(9_990_001)).body).toMatchObject({
    code: 'limit_exceeded',
    window: 'payout',
    currency: 'JOD',
    limit: 9_990_000,
    used: 0,
    remaining: 9_990_000,
    resets_at: null,
  });
  await product.stopPools();
  const { body: waiting } = await pay(9_900_000);
  expect(await used()).toMatchObject({ day: before.day! + 9_900_000 });
  const { status, body: refused } = await pay(9_900_000);
  expect(status).toBe(422);
  expect(refused).toMatchObject({ code: 'limit_exceeded', window: 'day', used: before.day! + 9_900_000 });
  await client.post(`/v1/payouts/${waiting.id}/cancel`, {});
  expect(await used()).toEqual(before);
  await product.startPools();
});

test('an item of a batch above the limit of one payout is refused at its upload', async () => {
  const item = (amount: number) => ({ amount, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } });
  const { body } = await client.post<Problem>('/v1/payouts/batches', { items: [item(100), item(9_990_001)] });
  expect(body).toMatchObject({
    ...{ status: 422, code: 'limit_exceeded', param: '/items/1/amount', errors_total: 1 },
    ...{ window: 'payout', limit: 9_990_000 },
  });
});

test('of two payouts of all that remains, at once, one is accepted', async () => {
  const before = await used();
  const remains = 9_990_000 - before.day!;
  expect((await pay(10_000 + remains - 20_000)).status).toBe(202);
  const both = await Promise.all([pay(20_000), pay(20_000)]);
  expect(both.map(({ status }) => status).sort()).toEqual([202, 422]);
  expect(both.find(({ status }) => status === 422)!.body).toMatchObject({ code: 'limit_exceeded', remaining: 0 });
  expect(await used()).toMatchObject({ day: 10_000_000 });
});

test('a new day and month begin, and what fails gives back to them', async () => {
  await client.send('POST', '/v1/simulations/clock/advance', { body: { by: 'P32D' } });
  await until(
    () => client.read<{ status: string }>('/v1/simulations/clock'),
    ({ status }) => status === 'idle',
  );
  expect(await used()).toEqual({ payout: 0, day: 0, month: 0 });
  const { body } = await pay(1_000, { destination: { type: 'cliq', alias: 'CLOSED' } });
  expect(await used()).toEqual({ payout: 0, day: 1_000, month: 1_000 });
  await client.payoutUntil(body.id, 'failed');
  expect(await used()).toEqual({ payout: 0, day: 0, month: 0 });
});

test('what waits counts when it is released, and beyond a limit an approval is refused and a scheduled payout fails', async () => {
  const person = product.client((await addPersonOf(product.runtime.pool, bookId, { name: 'Ada' })).key);
  const approve = ({ id }: Pick<Shown, 'id'>) => person.post<Shown>(`/v1/payouts/${id}/approve`, { version: 2 });
  const ask = async (body: object) =>
    succeeded(await client.requestPayout<Shown>({ account: account.id, amount: 6_000_000, body }));
  const before = await used();
  const [first, second] = [await ask({ approval: 'required' }), await ask({ approval: 'required' })];
  const { now } = await client.read<{ now: string }>('/v1/simulations/clock');
  const tomorrow = new Date(Date.parse(now) + 86_400_000).toISOString();
  const scheduled = [await ask({ scheduled_for: tomorrow }), await ask({ scheduled_for: tomorrow })];
  expect(await used()).toEqual(before);
  expect(succeeded(await approve(first)).status).toBe('pending');
  expect(await used()).toMatchObject({ day: before.day! + 6_000_000 });
  const refused = await approve(second);
  expect(refused.body).toMatchObject({ status: 422, code: 'limit_exceeded', window: 'day', limit: 10_000_000 });
  expect(await client.payout(second.id)).toMatchObject({
    ...{ status: 'requires_approval', version: 2, approvals: [], hold: null },
  });
  await client.payoutUntil(first.id, 'paid');
  await client.send('POST', '/v1/simulations/clock/advance', { body: { by: 'P1D' } });
  const ended = await Promise.all(
    scheduled.map(({ id }) => client.payoutUntil(id, ({ status }) => status === 'paid' || status === 'failed')),
  );
  expect(ended.map(({ status }) => status).sort()).toEqual(['failed', 'paid']);
  expect(ended.find(({ status }) => status === 'failed')).toMatchObject({
    hold: null,
    failure: { code: 'limit_exceeded' },
  });
  expect(await used()).toMatchObject({ day: 6_000_000 });
});

test('the metrics show which file this process has read', async () => {
  expect(await product.runtime.metrics.render()).toContain(
    `countinghouse_rails_file_info{digest="${DIGEST.slice(0, 16)}"} 1`,
  );
});

test('verification finds nothing', async () => {
  await expectInvariants(product);
});
