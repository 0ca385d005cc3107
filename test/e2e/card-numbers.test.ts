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

const payment = (change: object) => ({
  amount: 5,
  currency: 'JOD',
  source: { type: 'checkout' },
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
  ['post', () => '/v1/webhooks', () => ({ url: `${URL}/5105105105105100`, events: ['*'] }), '/url'],
  ['post', () => '/v1/webhooks', () => ({ url: `${URL}?n=5105%201051%200510%205100`, events: ['*'] }), '/url'],
  ['post', () => '/v1/payments', () => payment({ return_url: `${URL}?n=5105%2D1051%2D0510%2D5100` }), '/return_url'],
  ['post', () => '/v1/payments', () => payment({ cancel_url: `${URL}/5105-1051-0510-5100/back` }), '/cancel_url'],
  [
    'post',
    () => '/v1/payments',
    () => payment({ statement_descriptor: 'A 5105105105105100' }),
    '/statement_descriptor',
  ],
  ['post', () => '/v1/payments', () => payment({ store_for: CARD }), '/store_for'],
  [
    'post',
    () => '/v1/payments',
    () => payment({ source: { type: 'cliq_request', alias: '4242424242424242' } }),
    '/source/alias',
  ],
  [
    'post',
    () => '/v1/payouts',
    () => payout({ destination: { type: 'cliq', alias: '4242424242424242' } }),
    '/destination/alias',
  ],
  [
    'post',
    () => '/v1/payments',
    () => payment({ billing: { email: '5105105105105100@shop.example' } }),
    '/billing/email',
  ],
  ['post', () => '/v1/payments', () => payment({ billing: { address: { line1: CARD } } }), '/billing/address/line1'],
  [
    'post',
    () => '/v1/payments/readers',
    () => ({ registration_code: 'SIMULATED-5105105105105100', label: 'A' }),
    '/registration_code',
  ],
  ['post', () => '/v1/payouts', () => payout({ description: '5105 1051 0510 5100 12/34 123' }), '/description'],
  [
    'post',
    () => '/v1/payouts',
    () => payout({ description: 'on 2026-03-03\n5105.1051/0510\u200b5100' }),
    '/description',
  ],
  ['post', () => '/v1/webhooks', () => ({ url: URL, events: ['*'], metadata: { a: CARD } }), '/metadata/a'],
])('%s %s with a card number at its place is refused', async (method, path, body, param) => {
  const answer = await client[method]<Problem>(path(), body(), { idempotencyKey: randomUUID() });
  expect([answer.status, answer.body.code, answer.body.param]).toEqual([400, 'card_number_not_allowed', param]);
  if (!param.includes(CARD)) expect(JSON.stringify(answer.body)).not.toContain(CARD);
  // A reference of somebody's own is the way out, and no digit of the number is said again.
  expect(answer.body.detail).toMatch(/a letter or an underscore directly before it/);
  expect(answer.text).not.toMatch(/5105|1051|4242/);
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

test.each(['inv_4242424242424242', '4222222222222', 'A4242424242424242', '4242424242424242_1'])(
  'the reference %s is taken everywhere',
  async (reference) => {
    const metadata = { [reference.slice(0, 40)]: reference };
    const answer = await client.post<Problem>(
      '/v1/payouts',
      payout({ external_id: reference, description: reference, metadata }),
      {
        idempotencyKey: `${randomUUID()}-${reference}`,
      },
    );
    expect(answer.status).toBe(202);
  },
);

test('a reference of the scheme is taken back, and a URL with encoded quotes', async () => {
  const recurring = { reason: 'unscheduled', previous_network_reference: '4242424242424242' };
  const urls = { return_url: `${URL}?order=%2290000000007919%22` };
  const answer = await client.post<Problem>('/v1/payments', payment({ recurring, ...urls }), {
    idempotencyKey: `${randomUUID()}_refund`,
  });
  expect([answer.status, answer.body.code]).toEqual([201, undefined]);
});

test('no refusal names digits of a name that is cut', async () => {
  for (const between of ['\u200b'.repeat(100), '\u200b'.repeat(2_000)]) {
    const name = [...'5105105105105100'].join(between);
    const answer = await client.post<Problem>('/v1/payouts', payout({ metadata: { [name]: 'x' } }), {
      idempotencyKey: randomUUID(),
    });
    expect([answer.status, /\d/.test(String(answer.body.param))]).toEqual([400, false]);
  }
});

test('an amount that looks like a card number is not repeated', async () => {
  for (const amount of ['5105105105105100.5', '"5105 1051 0510 5100"', '{"5105105105105100":1}']) {
    const rawBody = JSON.stringify(payout({})).replace('"amount":5', `"amount":${amount}`);
    const answer = await client.post<Problem>('/v1/payouts', undefined, { rawBody, idempotencyKey: randomUUID() });
    expect([answer.status, /5105/.test(answer.text)]).toEqual([400, false]);
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

test.each(['00962790000000', '+962 79 000 0000', '4242424242424242A'])('the alias %s is taken', async (alias) => {
  const answer = await client.post('/v1/payouts', payout({ destination: { type: 'cliq', alias } }), {
    idempotencyKey: randomUUID(),
  });
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
