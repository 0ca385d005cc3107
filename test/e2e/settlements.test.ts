/** What the sandbox acquirer pays, and when merchants get it: over the API, with real workers and a real database. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, type Event, type List, succeeded, until } from '../../scripts/harness/client.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';

interface Payment {
  id: string;
  status: string;
  amount_captured: number;
  amount_settled: number;
  fee: number;
}
interface Settlement {
  id: string;
  status: string;
  amount: number;
  reported_amount: number;
  lines: number;
  lines_taken: number;
  exceptions: number;
}
interface Line {
  type: string;
  amount: number;
  payment: string | null;
  capture: string | null;
  exception: string | null;
  journal_entries: string[];
}
interface Balance {
  balances: { currency: string; pending: number; available: { available_on: string; amount: number }[] }[];
}

let product: Product;
let client: Client;
let account: string;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', environment: { PAYMENT_RELEASE_ONCE_SETTLED: 'true' } });
});
beforeEach(async () => {
  ({ client } = await product.organisation());
  account = (await client.openAccount({ funds: 0 })).id;
});
afterAll(async () => {
  await expectInvariants(product);
  await product.close();
});

const card = (number = '4242424242424242') => ({ type: 'card', number, exp_month: 12, exp_year: 2034, cvc: '123' });
const pay = async (body: object = {}) =>
  succeeded(
    await client.post<Payment>('/v1/payments', { account, amount: 20_000, currency: 'JOD', source: card(), ...body }),
  );
const read = (id: string) => client.read<Payment>(`/v1/payments/${id}`);
const refund = async (id: string, body: object = {}) =>
  succeeded(await client.post<{ id: string; status: string }>(`/v1/payments/${id}/refunds`, body));
const settleNow = async (options: object = {}) =>
  succeeded(await client.post<List<Settlement>>('/v1/simulations/acquirer_settlements', {}, options)).data;
const linesOf = async ({ id }: Settlement) =>
  (await client.read<List<Line>>(`/v1/payments/settlements/${id}/lines`)).data;
const available = async () => (await client.read<{ available: number }>(`/v1/accounts/${account}/balance`)).available;
const waiting = async () => (await client.read<Balance>(`/v1/payments/balance?account=${account}`)).balances[0];
const releases = async () =>
  (await client.read<List<{ id: string; amount: number }>>(`/v1/payments/releases?account=${account}`)).data;
async function advance(by: string): Promise<void> {
  succeeded(await client.post('/v1/simulations/clock/advance', { by }));
  await until(
    () => client.read<{ status: string }>('/v1/simulations/clock'),
    ({ status }) => status === 'idle',
  );
}

test('the acquirer pays: its captures and refunds are settled, and the payment is', async () => {
  const first = await pay();
  const second = await pay({ amount: 5_000 });
  await refund(second.id, { amount: 1_000 });
  const [settlement] = await settleNow();
  expect(settlement).toMatchObject({
    status: 'completed',
    amount: 24_000,
    reported_amount: 24_000,
    lines: 3,
    lines_taken: 3,
    exceptions: 0,
  });
  const lines = await linesOf(settlement!);
  expect(lines.map(({ type, amount }) => [type, amount]).sort()).toEqual([
    ['capture', 20_000],
    ['capture', 5_000],
    ['refund', -1_000],
  ]);
  expect(new Set(lines.flatMap(({ journal_entries: ids }) => ids)).size).toBe(1);
  expect(await read(first.id)).toMatchObject({ status: 'settled', amount_settled: 20_000 });
  const { data } = await client.read<List<{ settled_at: string | null }>>(`/v1/payments/${first.id}/captures`);
  expect(data[0]!.settled_at).not.toBeNull();
  expect(await settleNow()).toEqual([]);
  const { data: told } = await client.read<List<Event>>('/v1/events?type=settlement.*,payment.settled');
  expect(told.map(({ type }) => type).sort()).toEqual([
    'payment.settled',
    'payment.settled',
    'settlement.completed',
    'settlement.received',
  ]);
});

test('what waits becomes available on its day', async () => {
  const { fee } = await pay();
  expect(await waiting()).toMatchObject({ pending: 20_000 - fee, available: [] });
  await settleNow();
  expect(await waiting()).toMatchObject({ pending: 0, available: [{ amount: 20_000 - fee }] });
  await advance('P3D');
  expect(await available()).toBe(20_000 - fee);
  const [release] = await releases();
  const { data } = await client.read<List<{ amount: number }>>(`/v1/payments/releases/${release!.id}/lines`);
  expect(data.map(({ amount }) => amount)).toEqual([20_000 - fee]);
  expect(await waiting()).toBeUndefined();
});

test('the acquirer takes what is disputed, and gives back what is won, once each', async () => {
  const { id } = await pay();
  const body = { payment: id, reason: 'product_not_received', amount: 5_000 };
  const dispute = succeeded(await client.post<{ id: string }>('/v1/simulations/disputes', body));
  const taken = async () => {
    const [settlement] = await settleNow();
    expect(settlement).toMatchObject({ status: 'completed', exceptions: 0 });
    return (await linesOf(settlement!)).map(({ type, amount }) => [type, amount]).sort();
  };
  expect(await taken()).toEqual([
    ['capture', 20_000],
    ['dispute', -5_000],
  ]);
  expect(await settleNow()).toEqual([]);
  succeeded(await client.post(`/v1/simulations/disputes/${dispute.id}/win`, {}));
  expect(await taken()).toEqual([['dispute_won', 5_000]]);
  expect(await settleNow()).toEqual([]);
});

test('of an inquiry that is won, and of the chargeback that follows it, the acquirer pays the second alone', async () => {
  const { id } = await pay();
  await settleNow();
  const body = { payment: id, reason: 'product_not_received', amount: 5_000, stage: 'inquiry' };
  const inquiry = succeeded(await client.post<{ id: string }>('/v1/simulations/disputes', body));
  succeeded(await client.post(`/v1/simulations/disputes/${inquiry.id}/win`, {}));
  expect(await settleNow()).toEqual([]);
  const next = succeeded(await client.post<{ id: string }>(`/v1/simulations/disputes/${inquiry.id}/escalate`, {}));
  succeeded(await client.post(`/v1/simulations/disputes/${next.id}/win`, {}));
  const [settlement] = await settleNow();
  expect(settlement).toMatchObject({ status: 'completed', exceptions: 0 });
  const lines = await linesOf(settlement!);
  expect(lines.map(({ type, amount }) => [type, amount]).sort()).toEqual([
    ['dispute', -5_000],
    ['dispute_won', 5_000],
  ]);
});

test('two days on, the acquirer has paid by itself and the money is released', async () => {
  const { id, fee } = await pay();
  await advance('P2D');
  expect(await read(id)).toMatchObject({ status: 'settled' });
  expect(await available()).toBe(20_000 - fee);
  const { data } = await client.read<List<Settlement & { created_at: string }>>('/v1/payments/settlements');
  const [released] = await client
    .read<List<{ created_at: string }>>(`/v1/payments/releases?account=${account}`)
    .then((page) => page.data);
  expect(data[0]!.created_at < released!.created_at).toBe(true);
});

test('in a book that was advanced, payments are taken, paid and released as in any other', async () => {
  await advance('P40D');
  const { id, fee } = await pay();
  expect(await read(id)).toMatchObject({ status: 'captured' });
  await advance('P2D');
  expect(await read(id)).toMatchObject({ status: 'settled' });
  expect(await available()).toBe(20_000 - fee);
});

test('what is settled after its day is released at once, in one release for the account', async () => {
  const paid = [await pay(), await pay({ amount: 7_000 })];
  // The acquirer is late: its payday is over, and it paid nothing.
  await product.runtime.pool.query(`UPDATE acquirer_paydays SET status = 'done', due_at = NULL WHERE status = 'open'`);
  await advance('P3D');
  expect(await releases()).toEqual([]);
  await settleNow();
  const net = 27_000 - paid[0]!.fee - paid[1]!.fee;
  expect((await releases()).map(({ amount }) => amount)).toEqual([net]);
  expect(await available()).toBe(net);
});

test('a frozen account receives what is released', async () => {
  const { fee } = await pay();
  succeeded(await client.post(`/v1/accounts/${account}/freeze`, {}));
  await advance('P2D');
  expect(await available()).toBe(20_000 - fee);
});

describe('refunds', () => {
  test('before the acquirer pays: what is left is released', async () => {
    const { id } = await pay();
    await refund(id, { amount: 5_000 });
    await settleNow();
    const left = await read(id);
    await advance('P2D');
    expect(await available()).toBe(15_000 - left.fee);
  });

  test('between payment and release: it takes from what is settled', async () => {
    const { id } = await pay();
    await settleNow();
    await refund(id, { amount: 5_000 });
    const left = await read(id);
    expect(await waiting()).toMatchObject({ available: [{ amount: 15_000 - left.fee }] });
    await advance('P2D');
    expect(await available()).toBe(15_000 - left.fee);
  });

  test('after the release: it takes from the account, and the acquirer from what it pays next', async () => {
    const { id } = await pay();
    await advance('P2D');
    await refund(id, { amount: 5_000 });
    const left = await read(id);
    expect(await available()).toBe(15_000 - left.fee);
    expect(await settleNow()).toMatchObject([{ amount: -5_000, lines: 1 }]);
  });

  test('of the whole, before the acquirer pays: nothing is released', async () => {
    const { id } = await pay();
    await refund(id);
    await advance('P3D');
    // The fixed part of the fee is the operator's; without one nothing is left.
    expect(await available()).toBe(0);
    expect(await read(id)).toMatchObject({ status: 'settled' });
  });

  test('that fail late, before and after the acquirer paid, come back and stick nowhere', async () => {
    const source = card('4000000000005126');
    const failed = async (id: string) => {
      const { id: refundId } = await refund(id, { amount: 5_000 });
      await until(
        () => client.read<{ status: string }>(`/v1/payments/refunds/${refundId}`),
        ({ status }) => status === 'failed',
      );
    };
    const first = await pay({ source });
    await failed(first.id);
    await settleNow();
    const second = await pay({ source });
    await settleNow();
    await failed(second.id);
    await settleNow();
    await advance('P3D');
    const [one, other] = [await read(first.id), await read(second.id)];
    expect(await available()).toBe(40_000 - one.fee - other.fee);
    expect(await waiting()).toBeUndefined();
  });
});

test('captures one by one: the payment is settled when nothing is left to capture', async () => {
  const { id } = await pay({ capture: 'manual' });
  const act = async (action: string, body: object) =>
    succeeded(await client.post(`/v1/payments/${id}/${action}`, body));
  await act('capture', { amount: 8_000 });
  await settleNow();
  expect(await read(id)).toMatchObject({ status: 'partially_captured', amount_settled: 8_000 });
  await act('capture', { amount: 2_000 });
  await settleNow();
  expect(await read(id)).toMatchObject({ status: 'partially_captured', amount_settled: 10_000 });
  await act('cancel', {});
  expect(await read(id)).toMatchObject({ status: 'settled', amount_settled: 10_000 });
});

test('the same key settles once, and a book sees only its own', async () => {
  await pay();
  const idempotencyKey = randomUUID();
  const [first] = await settleNow({ idempotencyKey });
  await pay();
  expect(await settleNow({ idempotencyKey })).toEqual([first]);
  expect(await settleNow()).toMatchObject([{ lines: 1 }]);
  const other = await product.organisation();
  expect((await other.client.read<List<Settlement>>('/v1/payments/settlements')).data).toEqual([]);
  for (const path of ['', '/lines']) {
    const answer = await other.client.get(`/v1/payments/settlements/${first!.id}${path}`);
    expect(answer.body).toMatchObject({ code: 'resource_not_found' });
  }
});
