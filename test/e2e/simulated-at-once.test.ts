/** Simulations at once: what a party would be told in vain is refused before it hears of it, and no exception is opened. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type List, succeeded, until } from '../../scripts/harness/client.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';

interface Dispute {
  id: string;
  amount: number;
  code?: string;
  limit?: number;
  retryable?: boolean;
}

let product: Product;
let client: Client;
let account: string;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  ({ client } = await product.organisation());
  account = (await client.openAccount({ funds: 100_000 })).id;
});
afterAll(async () => {
  await expectInvariants(product);
  await product.close();
});

const pay = async () => {
  const source = { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };
  const body = { account, amount: 1_000, currency: 'JOD', source };
  return succeeded(await client.post<{ id: string }>('/v1/payments', body)).id;
};
const open = (payment: string, body: object = {}) =>
  client.post<Dispute>('/v1/simulations/disputes', { payment, reason: 'fraudulent', stage: 'chargeback', ...body });
const decide = (id: string, how: string) => client.post<Dispute>(`/v1/simulations/disputes/${id}/${how}`, {});
const disputed = async (payment: string) =>
  (await client.read<{ amount_disputed: number }>(`/v1/payments/${payment}`)).amount_disputed;
const exceptions = async () => (await client.read<List<object>>('/v1/exceptions')).data;
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).toSorted();

describe('disputes of one payment', () => {
  test('of more than is left: one is opened, and the others say what is left', async () => {
    const payment = await pay();
    const answers = await Promise.all([1, 2, 3].map(() => open(payment, { amount: 600 })));
    expect(statuses(answers)).toEqual([201, 422, 422]);
    for (const { status, body } of answers)
      expect(body).toMatchObject(
        status === 201 ? { amount: 600 } : { code: 'amount_above_maximum', limit: 400, retryable: false },
      );
    expect(await disputed(payment)).toBe(600);
    succeeded(await open(payment, { amount: 400 }));
    expect(await exceptions()).toEqual([]);
  });

  test('of all that is left: one is opened', async () => {
    const payment = await pay();
    const answers = await Promise.all([1, 2, 3].map(() => open(payment)));
    expect(statuses(answers)).toEqual([201, 409, 409]);
    expect(await disputed(payment)).toBe(1_000);
    expect(await exceptions()).toEqual([]);
  });

  test('of what is left beside inquiries, which take nothing', async () => {
    const payment = await pay();
    const stages = ['inquiry', 'chargeback', 'inquiry', 'chargeback'];
    const answers = await Promise.all(stages.map((stage) => open(payment, { stage, amount: 600 })));
    expect(statuses(answers).filter((status) => status !== 201 && status !== 422)).toEqual([]);
    expect(await disputed(payment)).toBeLessThanOrEqual(600);
    expect(await exceptions()).toEqual([]);
  });

  test('that escalate beyond what is left: one does', async () => {
    const payment = await pay();
    const first = succeeded(await open(payment, { amount: 600 }));
    succeeded(await decide(first.id, 'win'));
    const second = succeeded(await open(payment, { amount: 600 }));
    succeeded(await decide(second.id, 'win'));
    const answers = await Promise.all([decide(first.id, 'escalate'), decide(second.id, 'escalate')]);
    expect(statuses(answers)).toEqual([200, 409]);
    expect(await disputed(payment)).toBe(600);
    expect(await exceptions()).toEqual([]);
  });

  test('that escalates twice: once', async () => {
    const { id } = succeeded(await open(await pay(), { stage: 'inquiry' }));
    const answers = await Promise.all([decide(id, 'escalate'), decide(id, 'escalate'), decide(id, 'escalate')]);
    expect(statuses(answers)).toEqual([200, 409, 409]);
    expect(await exceptions()).toEqual([]);
  });

  test('that is won, lost and disputed beside it', async () => {
    const payment = await pay();
    const { id } = succeeded(await open(payment, { amount: 600 }));
    const [won, lost, beside] = await Promise.all([
      decide(id, 'win'),
      decide(id, 'lose'),
      open(payment, { amount: 600 }),
    ]);
    expect(statuses([won, lost])).toEqual([200, 409]);
    expect([201, 422]).toContain(beside.status);
    expect(await exceptions()).toEqual([]);
  });
});

test('returns of one payout beyond what is left: those that fit are booked', async () => {
  const body = { account, amount: 1_000, currency: 'JOD', destination: { type: 'cliq', alias: 'ALIAS' } };
  const payout = succeeded(await client.post<{ id: string }>('/v1/payouts', body)).id;
  await until(
    () => client.read<{ status: string }>(`/v1/payouts/${payout}`),
    ({ status }) => status === 'paid',
  );
  const answers = await Promise.all(
    [1, 2, 3].map(() => client.post<Dispute>(`/v1/simulations/payouts/${payout}/return`, { amount: 600 })),
  );
  expect(statuses(answers)[0]).toBe(200);
  for (const { status, body: refusal } of answers.filter(({ status: one }) => one !== 200))
    expect(refusal).toMatchObject(
      status === 409
        ? { detail: 'Less than 600 of it is left at the rail.' }
        : { code: 'amount_above_maximum', limit: 400 },
    );
  expect((await client.read<{ amount_returned: number }>(`/v1/payouts/${payout}`)).amount_returned).toBe(600);
  expect(await exceptions()).toEqual([]);
});
