/** What a request for a payment may say: URLs to lead back to, who asks for it, and how long it can be captured. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, succeeded } from '../../scripts/harness/client.ts';
import { newId, publicId } from '../../src/values/ids.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';

interface Payment {
  id: string;
  status: string;
  created_at: string;
  authorization: { expires_at: string | null };
}

const DAY_MS = 24 * 60 * 60_000;
const CARD = { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };
const CHECKOUT = { type: 'checkout' };
const READER = { type: 'terminal', reader: publicId('reader', newId()) };

let product: Product;
let client: Client;
let live: Client;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', environment: { PAYMENT_AUTHORIZATION_DAYS: '3' } });
  ({ client, live } = await product.organisation());
  await client.openAccount({ funds: 0 });
});
afterAll(async () => {
  await expectInvariants(product);
  await product.close();
});

const request = (body: object, by = client) =>
  by.post<Payment>('/v1/payments', { amount: 20_000, currency: 'JOD', source: CARD, ...body });

test.each`
  body                                               | param
  ${{ return_url: 'javascript:alert(1)' }}           | ${'/return_url'}
  ${{ return_url: 'http://shop.example/' }}          | ${'/return_url'}
  ${{ return_url: 'https://shop' }}                  | ${'/return_url'}
  ${{ cancel_url: 'https://10.0.0.7/cart' }}         | ${'/cancel_url'}
  ${{ cancel_url: 'http://127.0.0.2/cart' }}         | ${'/cancel_url'}
  ${{ cancel_url: 'http://localhost.shop.example' }} | ${'/cancel_url'}
  ${{ initiator: 'merchant', source: CHECKOUT }}     | ${'/initiator'}
  ${{ initiator: 'merchant', source: READER }}       | ${'/initiator'}
  ${{ store_for: 'customer-1', source: READER }}     | ${'/store_for'}
`('$body is refused at $param', async ({ body, param }) => {
  expect(await request(body)).toMatchObject({ status: 400, body: { code: 'parameter_invalid', param } });
});

describe.each(['return_url', 'cancel_url'])('%s', (member) => {
  test.each(['http://localhost:3000/back', 'http://127.0.0.1/', 'http://[::1]:8080/', 'https://localhost/'])(
    'may be %s in test mode alone',
    async (url) => {
      const body = { source: CHECKOUT, [member]: url };
      expect(succeeded(await request(body))).toMatchObject({ [member]: url });
      expect(await request(body, live)).toMatchObject({
        status: 400,
        body: { code: 'parameter_invalid', param: `/${member}` },
      });
    },
  );

  test('is a public page over https in either mode', async () => {
    const body = { source: CHECKOUT, [member]: 'https://shop.example/back?order=77' };
    expect((await request(body)).status).toBe(201);
    // Refused for another reason: the live book has no account.
    expect(await request(body, live)).toMatchObject({ status: 404, body: { param: '/account' } });
  });
});

test('an authorization can be captured for as long as the installation says', async () => {
  const { created_at: createdAt, authorization } = succeeded(await request({ capture: 'manual' }));
  const livedMs = Date.parse(authorization.expires_at!) - Date.parse(createdAt);
  expect(livedMs).toBeGreaterThanOrEqual(3 * DAY_MS);
  expect(livedMs).toBeLessThan(4 * DAY_MS);
});
