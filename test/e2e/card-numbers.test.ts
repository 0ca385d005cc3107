/** A card number in a text for people is refused on every route, and nothing of it is kept (API.md §4). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account, Client, Problem } from '../../scripts/harness/client.ts';
import { lookInto, type Product, startProduct } from '../support/product.ts';

const CARD = '4242 4242 4242 4242';
const URL = 'https://hooks.example.com/countinghouse';

let product: Product;
let client: Client;
let account: Account;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', pools: [] });
  ({ client } = await product.organisation());
  account = await client.openAccount();
});

afterAll(() => product?.close());

const payout = (change: object) => ({
  amount: 5,
  currency: 'JOD',
  destination: { type: 'cliq', alias: 'A1' },
  ...change,
});

test.each<[method: 'post' | 'patch', path: () => string, body: () => object, param: string]>([
  ['post', () => '/v1/accounts', () => ({ currency: 'JOD', name: `for ${CARD}` }), '/name'],
  ['post', () => '/v1/accounts', () => ({ currency: 'JOD', name: 'A', external_id: CARD }), '/external_id'],
  ['post', () => '/v1/accounts', () => ({ currency: 'JOD', name: 'A', metadata: { card: CARD } }), '/metadata/card'],
  [
    'post',
    () => '/v1/accounts',
    () => ({ currency: 'JOD', name: 'A', metadata: { [CARD]: '' } }),
    '/metadata/[card number]',
  ],
  ['patch', () => `/v1/accounts/${account.id}`, () => ({ name: CARD }), '/name'],
  ['patch', () => `/v1/accounts/${account.id}`, () => ({ metadata: { a: CARD } }), '/metadata/a'],
  ['post', () => '/v1/payouts', () => payout({ description: CARD }), '/description'],
  ['post', () => '/v1/payouts', () => payout({ external_id: CARD }), '/external_id'],
  ['post', () => '/v1/payouts', () => payout({ metadata: { a: CARD } }), '/metadata/a'],
  [
    'post',
    () => '/v1/payouts',
    () => payout({ destination: { type: 'cliq', alias: 'A1', provider: CARD } }),
    '/destination/provider',
  ],
  [
    'post',
    () => '/v1/simulations/inbound_transfers',
    () => ({ account: account.id, amount: 5, currency: 'JOD', description: CARD }),
    '/description',
  ],
  ['post', () => '/v1/webhooks', () => ({ url: URL, events: ['*'], description: CARD }), '/description'],
  ['post', () => '/v1/webhooks', () => ({ url: URL, events: ['*'], metadata: { a: CARD } }), '/metadata/a'],
])('%s %s with a card number at its place is refused', async (method, path, body, param) => {
  const answer = await client[method]<Problem>(path(), body(), { idempotencyKey: randomUUID() });
  expect([answer.status, answer.body.code, answer.body.param]).toEqual([400, 'card_number_not_allowed', param]);
  if (!param.includes(CARD)) expect(JSON.stringify(answer.body)).not.toContain(CARD);
});

test.each(['/v1/payouts', '/v1/accounts'])('a filter of %s by a card number is refused', async (path) => {
  for (const [name, param] of [
    ['external_id', 'external_id'],
    ['metadata[a]', 'metadata[a]'],
  ]) {
    const answer = await client.get<Problem>(`${path}?${name}=${encodeURIComponent(CARD)}`);
    expect([answer.status, answer.body.code, answer.body.param]).toEqual([400, 'card_number_not_allowed', param]);
  }
  // An answer may be logged: a name that is a card number is not said again.
  for (const name of [CARD, `metadata[${CARD}]`]) {
    const { status, text } = await client.get(`${path}?${encodeURIComponent(name)}=x`);
    expect([status, text.includes(CARD)]).toEqual([400, false]);
    expect(text).toContain('[card number]');
  }
});

describe('an Idempotency-Key', () => {
  test('that is a card number is refused', async () => {
    const answer = await client.post<Problem>('/v1/payouts', payout({}), { idempotencyKey: 'order-4242424242424242' });
    expect([answer.status, answer.body.code, answer.body.param]).toEqual([
      400,
      'card_number_not_allowed',
      'Idempotency-Key',
    ]);
  });

  test('that is a card number is not voided either', async () => {
    const answer = await client.post<Problem>('/v1/idempotency_keys/4242424242424242/void', {});
    expect([answer.status, answer.body.code]).toEqual([400, 'card_number_not_allowed']);
  });
});

test('an alias is no text for people: a mobile number may look like a card number', async () => {
  const answer = await client.post(
    '/v1/payouts',
    payout({ destination: { type: 'cliq', alias: '4242424242424242' } }),
    { idempotencyKey: randomUUID() },
  );
  expect(answer.status).toBe(202);
});

test('nothing of it is kept', async () => {
  const database = lookInto(product.database);
  const { rows } = await database.query<{ found: bigint }>(
    `SELECT (SELECT count(*) FROM idempotency_keys k WHERE k::text LIKE '%4242 4242%')
       + (SELECT count(*) FROM account_profiles p WHERE p::text LIKE '%4242 4242%')
       + (SELECT count(*) FROM events e WHERE e::text LIKE '%4242 4242%') AS found`,
  );
  await database.end();
  expect(rows[0]!.found).toBe(0n);
});
