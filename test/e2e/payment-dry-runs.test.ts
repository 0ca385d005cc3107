/** A dry run of what is asked of a payment says what the request would do, and does nothing. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, succeeded } from '../../scripts/harness/client.ts';
import { expectInvariants } from '../support/invariants.ts';
import { lookInto, type Product, startProduct } from '../support/product.ts';

interface Payment {
  readonly id: string;
  readonly version: number;
}

let product: Product;
let client: Client;
let account: string;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  ({ client } = await product.organisation());
  account = (await client.openAccount({ funds: 0 })).id;
});
afterAll(async () => {
  await expectInvariants(product);
  await product.close();
});

const source = { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };

async function pay(body: object = {}): Promise<Payment> {
  return succeeded(
    await client.post<Payment>('/v1/payments', { account, amount: 20_000, currency: 'JOD', source, ...body }),
  );
}

const ask = (id: string, path: string, body: object, options: object = {}) =>
  client.post<Record<string, unknown>>(`/v1/payments/${id}/${path}`, body, options);

/** What the acquirer's answer decides. */
const MOVED = ['status', 'amount_authorized', 'amount_capturable', 'amount_captured', 'amount_refundable', 'fee'];

test.each`
  action         | body                              | status
  ${'capture'}   | ${{}}                             | ${'captured'}
  ${'capture'}   | ${{ amount: 7_001 }}              | ${'partially_captured'}
  ${'capture'}   | ${{ amount: 7_001, final: true }} | ${'captured'}
  ${'increment'} | ${{ amount: 30_000 }}             | ${'authorized'}
  ${'cancel'}    | ${{}}                             | ${'canceled'}
`('$action $body shows the payment as $action leaves it', async ({ action, body, status }) => {
  const payment = await pay({ capture: 'manual' });
  const idempotencyKey = randomUUID();
  const preview = await ask(payment.id, `${action}?dry_run=true`, body, { idempotencyKey });
  expect(preview.status).toBe(200);
  expect(preview.body).toMatchObject({ id: payment.id, status, dry_run: true });
  expect(await client.read<Payment>(`/v1/payments/${payment.id}`)).toEqual(payment);
  expect((await client.get(`/v1/idempotency_keys/${idempotencyKey}`)).status).toBe(404);

  const done = succeeded(await ask(payment.id, action, body, { idempotencyKey }));
  expect(done).not.toHaveProperty('dry_run');
  for (const member of MOVED) expect([member, done[member]]).toEqual([member, preview.body[member]]);
});

test('a payer is not taken anything back from by a dry run of cancel', async () => {
  const payment = await pay({ source: { type: 'checkout' }, return_url: 'https://shop.example/return' });
  expect((await ask(payment.id, 'cancel?dry_run=true', {})).body).toMatchObject({ status: 'canceled', dry_run: true });
  expect(await client.read(`/v1/payments/${payment.id}`)).toMatchObject({ status: 'requires_action' });
});

test('a refund says what of the fee comes back, and what the account is left with', async () => {
  const payment = await pay();
  const preview = await ask(payment.id, 'refunds?dry_run=true', { amount: 5_000 }, { idempotencyKey: null });
  expect(preview.status).toBe(200);
  expect(preview.body).toMatchObject({
    object: 'refund',
    status: 'pending',
    amount: 5_000,
    dry_run: true,
    resulting_balances: [{ account, available: 0, currency: 'JOD', currency_exponent: 3 }],
  });
  expect((await client.get(`/v1/payments/refunds/${preview.body.id}`)).status).toBe(404);
  expect(await client.read(`/v1/payments/${payment.id}`)).toEqual(payment);
  const refunded = succeeded(await ask(payment.id, 'refunds', { amount: 5_000 }));
  expect(refunded.fee_refunded).toBe(preview.body.fee_refunded);
});

test.each`
  path                        | body                  | code
  ${'capture?dry_run=true'}   | ${{ amount: 20_001 }} | ${'capture_exceeds_authorized'}
  ${'increment?dry_run=true'} | ${{ amount: 20_000 }} | ${'amount_below_minimum'}
  ${'refunds?dry_run=true'}   | ${{ amount: 1 }}      | ${'state_conflict'}
  ${'capture?dry_run=maybe'}  | ${{}}                 | ${'parameter_invalid'}
`('$path $body is refused with $code', async ({ path, body, code }) => {
  const payment = await pay({ capture: 'manual' });
  expect((await ask(payment.id, path, body)).body.code).toBe(code);
});

test('a dry run of a payment calls nobody: the acquirer is given no card, and no code', async () => {
  const body = { account, amount: 20_000, currency: 'JOD' };
  const token = succeeded(
    await client.post<{ id: string }>('/v1/payments/tokens', {
      card: { number: source.number, exp_month: 12, exp_year: 2034 },
      customer_reference: 'customer-1',
    }),
  );
  const behind = lookInto(product.database);
  const known = async () => (await behind.query('SELECT count(*)::int AS cards FROM sandbox_acquirer.cards')).rows[0];
  const before = await known();
  for (const of of [source, { type: 'token', token: token.id, cvc: '123' }]) {
    const preview = await client.post<Record<string, unknown>>('/v1/payments?dry_run=true', { ...body, source: of });
    expect(preview).toMatchObject({
      status: 200,
      body: { dry_run: true, source: { card: { brand: 'visa', last_four: '4242', funding: 'credit', country: 'US' } } },
    });
  }
  const unknown = { ...source, number: '4111111111111111' };
  const refused = await client.post('/v1/payments?dry_run=true', { ...body, source: unknown });
  expect(refused.body).toMatchObject({ code: 'card_number_not_allowed', errors: [{ param: '/source/number' }] });
  expect(await known()).toEqual(before);
  await behind.end();
});
