/** The hosted page as a payer's browser sees it, without a script: forms, redirects, pages (docs/decisions/checkout.md). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../scripts/harness/client.ts';
import { type Payer, payerOf, type ShownPage } from '../support/payer.ts';
import { ALL_POOLS, type Product, startProduct } from '../support/product.ts';

let product: Product;
let client: Client;
let payer: Payer;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', pools: [...ALL_POOLS, 'payments'] });
  ({ client } = await product.organisation());
  await client.openAccount();
  payer = payerOf(product.baseUrl);
});

afterAll(() => product?.close());

// biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
type Shown = any;

async function checkout(more: object = {}): Promise<Shown> {
  const answer = await client.post<Shown>('/v1/payments', {
    amount: 25_000,
    currency: 'JOD',
    source: { type: 'checkout' },
    ...more,
  });
  expect(answer.status).toBe(201);
  return answer.body;
}

const read = async ({ id }: { id: string }): Promise<Shown> => (await client.get<Shown>(`/v1/payments/${id}`)).body;
const card = (number: string) => ({ number, expiry: '12 / 34', cvc: '123' });

describe('the payment of a hosted page', () => {
  test('waits for its payer, and says where and until when', async () => {
    const payment = await checkout();
    expect(payment).toMatchObject({
      status: 'requires_action',
      waiting_on: 'payer',
      source: { type: 'checkout', card: null },
      allowed_actions: ['cancel'],
      next_action: { type: 'redirect' },
    });
    expect(payment.next_action.url).toMatch(/\/checkout\/chk_[\w-]{43}$/);
    expect(Date.parse(payment.next_action.expires_at) - Date.parse(payment.created_at)).toBe(24 * 3_600_000);
  });

  test('is paid: declined with one card, approved with another', async () => {
    const payment = await checkout({
      return_url: 'https://shop.example/return?order=7',
      cancel_url: 'https://shop.example/cart',
    });
    const form = await payer.open(payment.next_action.url);
    expect(form.status).toBe(200);
    expect(form.text).toContain('25.000 JOD');
    expect(form.text).toContain(`https://shop.example/cart?payment=${payment.id}`);

    const declined = await payer.submit(form, card('4000 0000 0000 9987'));
    expect(declined.status).toBe(200);
    expect(declined.text).toContain('Your bank declined this card');
    expect(declined.text).not.toMatch(/lost|stolen|fraud/i);
    expect(await read(payment)).toMatchObject({
      status: 'requires_action',
      next_action: payment.next_action,
      attempts: [{ decline: { code: 'lost_card' }, card: { last_four: '9987' } }],
    });

    const paid = await payer.submit(declined, card('4242424242424242'));
    expect(paid.left).toBe(`https://shop.example/return?order=7&payment=${payment.id}`);
    expect(await read(payment)).toMatchObject({
      status: 'captured',
      amount_captured: 25_000,
      next_action: null,
      source: { card: { last_four: '4242' } },
      authorization: { network: 'visa', cvc: 'match' },
    });
    expect((await payer.open(payment.next_action.url)).left).toBe(paid.left);
  });
});
