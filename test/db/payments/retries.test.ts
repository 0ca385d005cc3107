/** What a payment that is busy answers, what can be canceled while its payer acts, and refunds that fail later, over the API. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, succeeded, until } from '../../../scripts/harness/client.ts';
import { parsePublicId } from '../../../src/values/ids.ts';
import { expectInvariants } from '../../support/invariants.ts';
import { type Product, startProduct } from '../../support/product.ts';

interface Payment {
  id: string;
  status: string;
  amount_captured: number;
  amount_refunded: number;
  fee: number;
  allowed_actions: string[];
  next_action: { url: string } | null;
}

interface Refund {
  id: string;
  status: string;
  fee_refunded: number;
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

const pay = async (number: string, body: object = {}) =>
  succeeded(
    await client.post<Payment>('/v1/payments', {
      ...{ account, amount: 20_000, currency: 'JOD' },
      source: { type: 'card', number, exp_month: 12, exp_year: 2034, cvc: '123' },
      ...body,
    }),
  );
const read = (id: string) => client.read<Payment>(`/v1/payments/${id}`);

test('a capture that met another under way is made under the same key once that has ended', async () => {
  const { id } = await pay('4242424242424242', { capture: 'manual' });
  const keys = Array.from({ length: 8 }, () => randomUUID());
  const capture = (idempotencyKey: string) =>
    client.post<Payment>(`/v1/payments/${id}/capture`, { amount: 1_000 }, { idempotencyKey });
  const answers = await Promise.all(keys.map(capture));
  const met = keys.filter((_, index) => answers[index]!.status === 409);
  for (const answer of answers.filter(({ status }) => status === 409))
    expect(answer.body).toMatchObject({ code: 'state_conflict', retryable: true });
  for (const key of met)
    await until(
      () => capture(key),
      ({ status }) => status === 200,
    );
  // The same keys once more capture nothing.
  await Promise.all(keys.map(capture));
  expect(await read(id)).toMatchObject({ status: 'partially_captured', amount_captured: 8_000 });
});

test('a payment is canceled while its payer is at the bank', async () => {
  const asked = await pay('4000002500003155', { return_url: 'https://shop.example/return' });
  expect(asked).toMatchObject({ status: 'requires_action', allowed_actions: ['cancel'] });
  const canceled = await client.post<Payment>(`/v1/payments/${asked.id}/cancel`, {});
  expect(canceled).toMatchObject({ status: 200, body: { status: 'canceled', next_action: null } });
  const { rows } = await product.runtime.pool.query<{ status: string }>(
    `SELECT i.status FROM sandbox_acquirer.instructions i JOIN payment_operations o ON o.reference = i.reference
     WHERE o.payment_id = $1`,
    [parsePublicId('payment', asked.id)],
  );
  expect(rows).toEqual([{ status: 'canceled' }]);
});

test('a refund that failed later kept no fee, and another one may be made and fail later', async () => {
  const { id, fee } = await pay('4000000000005126');
  for (const _ of [1, 2]) {
    const refund = succeeded(await client.post<Refund>(`/v1/payments/${id}/refunds`, {}));
    const failed = await until(
      () => client.read<Refund & { version: number }>(`/v1/payments/refunds/${refund.id}`),
      ({ status }) => status === 'failed',
    );
    expect(failed).toMatchObject({ fee_refunded: 0, version: 3 });
    expect(await read(id)).toMatchObject({ amount_refunded: 0, fee });
  }
  expect(await read(id)).toMatchObject({ status: 'captured', fee, amount_captured: 20_000 });
});

test('a refund of what is refunded already says why there is none', async () => {
  const { id } = await pay('4242424242424242');
  succeeded(await client.post(`/v1/payments/${id}/refunds`, {}));
  expect((await client.post(`/v1/payments/${id}/refunds`, {})).body).toMatchObject({
    code: 'state_conflict',
    detail: 'Nothing of this payment is left to refund: all of it is refunded, being refunded or disputed.',
  });
});
