/** Tokens over the API: one-time and kept ones, verification, cards kept by a payment, billing addresses. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type List, succeeded } from '../../../scripts/harness/client.ts';
import { parsePublicId } from '../../../src/values/ids.ts';
import { eraseDirectly } from '../../support/erase.ts';
import { type Product, startProduct } from '../../support/product.ts';

interface Token {
  id: string;
  status: string;
  reusable: boolean;
  version: number;
  card: { fingerprint: string };
  verification: { status: string; decline: { code: string } | null; cvc: string | null } | null;
  network_reference: string | null;
  payment: string | null;
}

interface Payment {
  id: string;
  status: string;
  store_for: string | null;
  stored_token: string | null;
  decline: { code: string } | null;
  authorization: { cvc: string | null; avs: string | null; network_reference: string } | null;
  source: { type: string; token: string | null; card: { fingerprint: string } };
  recurring: { previous_network_reference: string } | null;
}

let product: Product;
let client: Client;
let live: Client;
let account: string;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  ({ client, live } = await product.organisation());
  account = (await client.openAccount({ funds: 0 })).id;
});
afterAll(() => product?.close());

const card = (number = '4242424242424242') => ({ number, exp_month: 12, exp_year: 2034, cvc: '123' });
const tokenize = (body: object = {}, options: object = {}) =>
  client.post<Token>('/v1/payments/tokens', { card: card(), ...body }, options);
const made = async (body: object = {}) => succeeded(await tokenize(body));
const payWith = (token: string, { source, ...body }: { source?: object; [field: string]: unknown } = {}) =>
  client.post<Payment>('/v1/payments', {
    account,
    amount: 20_000,
    currency: 'JOD',
    source: { type: 'token', token, ...source },
    ...body,
  });
const pay = (body: object) =>
  client.post<Payment>('/v1/payments', {
    account,
    amount: 20_000,
    currency: 'JOD',
    source: { type: 'card', ...card() },
    ...body,
  });

describe('a one-time token', () => {
  test('pays once, and a second payment is refused', async () => {
    const token = await made();
    expect(token).toMatchObject({ status: 'active', reusable: false, verification: null });
    const { body: paid } = await payWith(token.id);
    expect(paid).toMatchObject({ status: 'captured', source: { type: 'token', token: token.id, card: token.card } });
    const used = await client.read<Token>(`/v1/payments/tokens/${token.id}`);
    expect(used).toMatchObject({ status: 'used', payment: paid.id });
    expect(await payWith(token.id)).toMatchObject({
      status: 422,
      body: { code: 'token_invalid', errors: [{ param: '/source/token' }] },
    });
    expect((await client.delete(`/v1/payments/tokens/${token.id}`)).body).toMatchObject({ code: 'state_conflict' });
  });

  test('of twenty payments at once, one is made', async () => {
    const { id } = await made();
    const answers = await Promise.all(Array.from({ length: 20 }, () => payWith(id)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => (body as { code?: string }).code === 'token_invalid')).toHaveLength(19);
  });

  test('is used up by a payment that is declined, and by none that is tried dry', async () => {
    const { id } = await made({ card: card('4000000000009995') });
    const dry = await client.post<Payment>('/v1/payments?dry_run=true', {
      account,
      amount: 20_000,
      currency: 'JOD',
      source: { type: 'token', token: id },
    });
    expect(dry.status).toBe(200);
    expect((await payWith(id)).body).toMatchObject({ status: 'failed', decline: { code: 'insufficient_funds' } });
    expect((await payWith(id)).body).toMatchObject({ code: 'token_invalid' });
  });

  test('a refused payment leaves it as it is', async () => {
    const { id } = await made();
    expect((await payWith(id, { currency: 'EUR' })).status).toBe(422);
    expect((await payWith(id)).body.status).toBe('captured');
  });
});

describe('a kept token', () => {
  test('pays any number of times, and its code is checked once', async () => {
    const { id } = await made({ customer_reference: 'customer-1' });
    const [first, second] = [(await payWith(id)).body, (await payWith(id)).body];
    expect(first).toMatchObject({ status: 'captured', authorization: { cvc: 'match' } });
    expect(second).toMatchObject({ status: 'captured', authorization: { cvc: null } });
    const asked = (await payWith(id, { source: { cvc: '321' } })).body;
    expect(asked).toMatchObject({ status: 'captured', authorization: { cvc: 'match' } });
  });

  test('is listed for its customer, and deleted it is gone', async () => {
    const customer = randomUUID();
    const [one, other] = [
      await made({ customer_reference: customer }),
      await made({ customer_reference: customer, card: card('5555555555554444') }),
    ];
    const listed = () =>
      client.read<List<Token>>(`/v1/payments/tokens?customer_reference=${customer}`).then(({ data }) => data);
    expect((await listed()).map(({ id }) => id)).toEqual([other.id, one.id]);
    const stale = await client.delete(`/v1/payments/tokens/${one.id}`, { headers: { 'if-match': '"7"' } });
    expect(stale.status).toBe(412);
    expect(succeeded(await client.delete(`/v1/payments/tokens/${one.id}`))).toMatchObject({ deleted: true });
    expect((await listed()).map(({ id }) => id)).toEqual([other.id]);
    expect((await client.get(`/v1/payments/tokens/${one.id}`)).status).toBe(404);
    expect(await payWith(one.id)).toMatchObject({ status: 404, body: { code: 'resource_not_found' } });
    expect((await client.read<List<Token>>('/v1/payments/tokens')).data.map(({ id }) => id)).not.toContain(one.id);
  });

  test('asks for no challenge when the merchant pays with it, and names the earlier payment', async () => {
    const first = succeeded(await pay({ store_for: 'customer-2', return_url: 'https://shop.example/return' }));
    const stored = await client.read<Token>(`/v1/payments/tokens/${first.stored_token}`);
    expect(stored.network_reference).toBe(first.authorization!.network_reference);
    const recurring = { reason: 'scheduled', previous_network_reference: stored.network_reference };
    const challenged = await made({ customer_reference: 'customer-2', card: card('4000002500003155') });
    const again = await payWith(challenged.id, { initiator: 'merchant', recurring });
    expect(again.body).toMatchObject({ status: 'captured', recurring });
    const present = await payWith(challenged.id, { return_url: 'https://shop.example/return' });
    expect(present.body.status).toBe('requires_action');
  });
});

describe('a verification', () => {
  test.each`
    number                | status      | verified       | code
    ${'4242424242424242'} | ${'active'} | ${'succeeded'} | ${undefined}
    ${'4000002500003155'} | ${'active'} | ${'succeeded'} | ${undefined}
    ${'4000000000009987'} | ${'failed'} | ${'failed'}    | ${'lost_card'}
    ${'4000000000000127'} | ${'failed'} | ${'failed'}    | ${'incorrect_cvc'}
  `('of $number: the token is $status', async ({ number, status, verified, code }) => {
    const answer = await tokenize({ card: card(number), customer_reference: 'customer-3', verify: true });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ status, verification: { status: verified } });
    expect(answer.body.verification!.decline?.code).toBe(code);
    if (status === 'failed') expect((await payWith(answer.body.id)).body).toMatchObject({ code: 'token_invalid' });
  });

  test('checks the code of a kept card, which no payment checks again', async () => {
    const token = await made({ customer_reference: 'customer-3', verify: true });
    expect(token.verification).toMatchObject({ cvc: 'match' });
    expect((await payWith(token.id)).body).toMatchObject({ status: 'captured', authorization: { cvc: null } });
  });

  test('without an answer makes nothing, and the same key asks again', async () => {
    const options = { idempotencyKey: randomUUID() };
    const silent = { card: card('4000000000000705'), verify: true };
    expect(await tokenize(silent, options)).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect((await tokenize(silent, options)).headers['idempotent-replayed']).toBeUndefined();
  });
});

describe('a request for a token', () => {
  test('is answered once under its key, whatever the code', async () => {
    const options = { idempotencyKey: randomUUID() };
    const first = await tokenize({}, options);
    const again = await tokenize({ card: { ...card(), cvc: '999' } }, options);
    expect(again.text).toBe(first.text);
    expect((await tokenize({ card: card('5555555555554444') }, options)).body).toMatchObject({
      code: 'idempotency_key_reused',
    });
  });

  test.each`
    what                           | body                                       | code                         | param
    ${'a number that is no test'}  | ${{ card: card('4111111111111111') }}      | ${'card_number_not_allowed'} | ${'/card/number'}
    ${'a wrong check digit'}       | ${{ card: card('4242424242424241') }}      | ${'parameter_invalid'}       | ${'/card/number'}
    ${'a card that has expired'}   | ${{ card: { ...card(), exp_year: 2020 } }} | ${'parameter_invalid'}       | ${'/card/exp_year'}
    ${'no card'}                   | ${{ card: undefined }}                     | ${'parameter_missing'}       | ${'/card'}
    ${"the acquirer's own token"}  | ${{ acquirer_token: 'stok_1' }}            | ${'parameter_invalid'}       | ${'/acquirer_token'}
    ${'a number in the reference'} | ${{ customer_reference: card().number }}   | ${'card_number_not_allowed'} | ${'/customer_reference'}
  `('with $what is refused', async ({ body, code, param }) => {
    expect((await tokenize(body)).body).toMatchObject({ code, errors: [{ param }] });
  });

  test('in live mode finds no acquirer', async () => {
    const answer = await live.post('/v1/payments/tokens', { acquirer_token: 'tok', customer_reference: 'customer-1' });
    expect(answer).toMatchObject({ status: 422, body: { code: 'acquirer_unavailable' } });
  });
});

describe('a card that a payment keeps', () => {
  test('becomes a token of its customer in the same commit, and pays again', async () => {
    const paid = succeeded(await pay({ store_for: 'customer-4' }));
    expect(paid).toMatchObject({ status: 'captured', store_for: 'customer-4', stored_token: expect.any(String) });
    const token = await client.read<Token>(`/v1/payments/tokens/${paid.stored_token}`);
    expect(token).toMatchObject({ status: 'active', reusable: true, payment: paid.id, card: paid.source.card });
    expect((await payWith(token.id)).body.status).toBe('captured');
  });

  test('is kept by no payment that is declined', async () => {
    const source = { type: 'card', ...card('4000000000000002') };
    expect(succeeded(await pay({ source, store_for: 'customer-5' }))).toMatchObject({
      status: 'failed',
      stored_token: null,
    });
  });

  test('a token is kept already: asking for it again is refused', async () => {
    const { id } = await made({ customer_reference: 'customer-6' });
    expect((await payWith(id, { store_for: 'customer-6' })).body).toMatchObject({
      code: 'parameter_invalid',
      errors: [{ param: '/store_for' }],
    });
  });
});

test.each`
  postal     | avs
  ${'11118'} | ${'match'}
  ${'00000'} | ${'no_match'}
`('a billing address with the postal code $postal is $avs, and shown nowhere', async ({ postal, avs }) => {
  const line1 = `${randomUUID()} Street`;
  const billing = { name: 'Salma', email: 'salma@example.com', address: { line1, postal_code: postal, country: 'JO' } };
  const answer = await pay({ billing });
  expect(answer.body).toMatchObject({ status: 'captured', authorization: { avs } });
  expect(answer.text).not.toContain(line1);
  expect((await pay({})).body.authorization!.avs).toBeNull();
});

test('an erasure of the payment takes its billing address with it', async () => {
  const paid = succeeded(await pay({ billing: { name: 'Salma', address: { line1: '77 Qasr Lane' } } }));
  const sealed = async () => {
    const { rows } = await product.runtime.pool.query<{ sealed: Buffer | null }>(
      'SELECT billing_sealed AS sealed FROM payments WHERE id = $1',
      [parsePublicId('payment', paid.id)],
    );
    return rows[0]!.sealed;
  };
  expect(await sealed()).not.toBeNull();
  expect(await eraseDirectly(product, paid.id)).toEqual([]);
  expect(await sealed()).toBeNull();
  expect(succeeded(await client.post(`/v1/payments/${paid.id}/refunds`, {}))).toMatchObject({ status: 'succeeded' });
});
