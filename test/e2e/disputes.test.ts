/** Disputes and refunds that fail late over the API, with the sandbox acquirer, real workers and a real database. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type List, succeeded, until } from '../../scripts/harness/client.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';

interface Payment {
  id: string;
  status: string;
  amount_captured: number;
  amount_refunded: number;
  amount_disputed: number;
}

interface Refund {
  id: string;
  status: string;
  amount: number;
  failure: { code: string } | null;
}

interface Dispute {
  id: string;
  status: string;
  stage: string;
  waiting_on: string;
  amount: number;
  fee: number;
  evidence: Record<string, string> | null;
  failure_code: string | null;
  previous_dispute: string | null;
  allowed_actions: string[];
}

let product: Product;
let client: Client;
let account: string;

beforeAll(async () => {
  product = await startProduct({
    backend: 'postgres',
    environment: { PAYMENT_DISPUTE_FEE: 'JOD:1500', PAYMENT_DISPUTE_FEE_REFUNDED: 'true' },
  });
  ({ client } = await product.organisation());
  account = (await client.openAccount({ funds: 0 })).id;
});
afterAll(async () => {
  await expectInvariants(product);
  await product.close();
});

const card = (number: string) => ({ type: 'card', number, exp_month: 12, exp_year: 2034, cvc: '123' });
const pay = async (number = '4242424242424242', body: object = {}) =>
  succeeded(
    await client.post<Payment>('/v1/payments', {
      ...{ account, amount: 20_000, currency: 'JOD', source: card(number) },
      ...body,
    }),
  );
const payment = (id: string) => client.read<Payment>(`/v1/payments/${id}`);
const disputesOf = async (id: string) => (await client.read<List<Dispute>>(`/v1/payments/disputes?payment=${id}`)).data;
const dispute = (id: string) => client.read<Dispute>(`/v1/payments/disputes/${id}`);
const open = (id: string, body: object = {}, options: object = {}) =>
  client.post<Dispute>('/v1/simulations/disputes', { payment: id, reason: 'product_not_received', ...body }, options);
const decide = (id: string, how: string) => client.post<Dispute>(`/v1/simulations/disputes/${id}/${how}`, {});
const submit = (id: string, body: object = { product_description: 'Headphones' }, options: object = {}) =>
  client.post<Dispute>(`/v1/payments/disputes/${id}/evidence`, body, options);
const accept = (id: string) => client.post<Dispute>(`/v1/payments/disputes/${id}/accept`, {});
const eventsOf = async (id: string) =>
  (await client.read<List<{ type: string }>>(`/v1/events?object=${id}`)).data.map(({ type }) => type).reverse();

test.each(['automatic', 'manual'])('the card that is disputed after its %s capture', async (capture) => {
  const { id } = await pay('4000000000000259', { capture });
  if (capture === 'manual') succeeded(await client.post(`/v1/payments/${id}/capture`, {}));
  const [opened] = await until(
    () => disputesOf(id),
    ({ length }) => length > 0,
  );
  expect(opened).toMatchObject({ stage: 'chargeback', status: 'opened', amount: 20_000, fee: 1_500 });
  expect(await payment(id)).toMatchObject({ amount_disputed: 20_000 });
  const won = succeeded(await decide(opened!.id, 'win'));
  expect(won).toMatchObject({ status: 'won', fee_refunded: 1_500, allowed_actions: [] });
  expect(await payment(id)).toMatchObject({ amount_disputed: 0 });
});

test('answered with evidence, and won', async () => {
  const { id } = await pay();
  const opened = succeeded(await open(id));
  expect(opened).toMatchObject({ waiting_on: 'integrator', allowed_actions: ['submit_evidence', 'accept'] });
  const idempotencyKey = randomUUID();
  const said = { product_description: 'Headphones', shipping_tracking_number: '1Z999AA10123456784' };
  const submitted = await submit(opened.id, said, { idempotencyKey });
  expect(submitted).toMatchObject({
    ...{ status: 200, body: { status: 'evidence_submitted', waiting_on: 'acquirer', evidence: said } },
  });
  expect((await submit(opened.id, said, { idempotencyKey })).body).toMatchObject({ status: 'evidence_submitted' });
  expect(await submit(opened.id)).toMatchObject({ status: 409, body: { current_status: 'evidence_submitted' } });
  succeeded(await decide(opened.id, 'win'));
  expect(await eventsOf(opened.id)).toEqual(['dispute.opened', 'dispute.evidence_submitted', 'dispute.won']);
  const { rows } = await product.runtime.pool.query<{ evidence: string[]; status: string }>(
    'SELECT evidence, status FROM sandbox_acquirer.disputes ORDER BY created_at DESC LIMIT 1',
  );
  expect(rows[0]).toEqual({ status: 'won', evidence: ['product_description', 'shipping_tracking_number'] });
});

test('accepted: final at once', async () => {
  const opened = succeeded(await open((await pay()).id));
  expect(succeeded(await accept(opened.id))).toMatchObject({ status: 'accepted', waiting_on: 'nobody' });
  expect(await decide(opened.id, 'win')).toMatchObject({ status: 409 });
  expect(await eventsOf(opened.id)).toEqual(['dispute.opened', 'dispute.accepted']);
});

test('an inquiry escalates to a chargeback of its own, which is lost', async () => {
  const { id } = await pay();
  const inquiry = succeeded(await open(id, { stage: 'inquiry' }));
  expect(inquiry).toMatchObject({ stage: 'inquiry', fee: 0, journal_entries: [] });
  expect(await payment(id)).toMatchObject({ amount_disputed: 0 });
  const chargeback = succeeded(await decide(inquiry.id, 'escalate'));
  expect(chargeback).toMatchObject({ stage: 'chargeback', previous_dispute: inquiry.id });
  expect(await dispute(inquiry.id)).toMatchObject({ status: 'lost', next_dispute: chargeback.id });
  succeeded(await decide(chargeback.id, 'lose'));
  expect(await dispute(chargeback.id)).toMatchObject({ status: 'lost' });
  expect(await decide(chargeback.id, 'win')).toMatchObject({ status: 409 });
});

describe('at once', () => {
  test('evidence and acceptance: one is taken', async () => {
    const opened = succeeded(await open((await pay()).id));
    const answers = await Promise.all([submit(opened.id), accept(opened.id), submit(opened.id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(['evidence_submitted', 'accepted']).toContain((await dispute(opened.id)).status);
  });

  test('twenty simulations under one key: one dispute', async () => {
    const { id } = await pay();
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(id, {}, { idempotencyKey })));
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id)).size).toBe(1);
    expect(await disputesOf(id)).toHaveLength(1);
    expect(await payment(id)).toMatchObject({ amount_disputed: 20_000 });
  });

  test('refunds and a chargeback: all of them are booked, and the amounts hold', async () => {
    const { id } = await pay();
    const [first, second, opened] = await Promise.all([
      client.post<Refund>(`/v1/payments/${id}/refunds`, { amount: 6_000 }),
      client.post<Refund>(`/v1/payments/${id}/refunds`, { amount: 6_000 }),
      open(id, { amount: 8_000 }),
    ]);
    expect(opened.status).toBe(201);
    const refunded = [first, second].filter(({ status }) => status === 201).length * 6_000;
    expect(await payment(id)).toMatchObject({ amount_disputed: 8_000, amount_refunded: refunded });
  });
});

describe('refused', () => {
  test('an escalation beyond what is left to dispute, before the acquirer is told of it', async () => {
    const { id } = await pay();
    const inquiry = succeeded(await open(id, { stage: 'inquiry', amount: 15_000 }));
    const other = succeeded(await open(id, { amount: 20_000 }));
    const told = async () =>
      (await product.runtime.pool.query('SELECT id, kind FROM sandbox_acquirer.notices ORDER BY id')).rows;
    const before = await told();
    const refusal = { status: 409, body: { code: 'state_conflict', current_status: 'opened', retryable: false } };
    expect(await decide(inquiry.id, 'escalate')).toMatchObject(refusal);
    expect(await told()).toEqual(before);
    expect(await disputesOf(id)).toHaveLength(2);
    // Part of it would have been booked otherwise.
    succeeded(await decide(other.id, 'win'));
    const smaller = succeeded(await open(id, { amount: 6_000 }));
    expect(await decide(inquiry.id, 'escalate')).toMatchObject(refusal);
    succeeded(await decide(smaller.id, 'win'));
    expect(succeeded(await decide(inquiry.id, 'escalate'))).toMatchObject({ stage: 'chargeback', amount: 15_000 });
  });

  test.each([
    [{}, 'parameter_invalid'],
    [{ product_description: '' }, 'parameter_invalid'],
    [{ product_description: 'x'.repeat(5_001) }, 'parameter_invalid'],
    [{ uncategorized_text: 'x'.repeat(20_001) }, 'parameter_invalid'],
    [{ uncategorized_text: 'Paid with 4242 4242 4242 4242' }, 'card_number_not_allowed'],
    [{ bank_statement: 'x' }, 'parameter_unknown'],
  ])('evidence %#', async (body, code) => {
    const opened = succeeded(await open((await pay()).id));
    expect(await submit(opened.id, body)).toMatchObject({ status: 400, body: { code } });
    expect(await dispute(opened.id)).toMatchObject({ status: 'opened', evidence: null });
  });

  test('disputes of what is not captured, and beyond what is', async () => {
    const { id } = await pay('4242424242424242', { capture: 'manual' });
    expect(await open(id)).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
    const other = await pay();
    expect(await open(other.id, { amount: 20_001 })).toMatchObject({
      ...{ status: 422, body: { code: 'amount_above_maximum', limit: 20_000 } },
    });
    succeeded(await open(other.id));
    expect(await open(other.id)).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  });
});

test('a refund that succeeds and fails later: the money is back, and can be refunded again', async () => {
  const { id } = await pay('4000000000005126');
  const refund = succeeded(await client.post<Refund>(`/v1/payments/${id}/refunds`, { amount: 5_000 }));
  const failed = await until(
    () => client.read<Refund>(`/v1/payments/refunds/${refund.id}`),
    ({ status }) => status === 'failed',
  );
  expect(failed.failure).toMatchObject({ code: 'processing_error' });
  expect(await eventsOf(refund.id)).toEqual(['refund.created', 'refund.succeeded', 'refund.failed']);
  expect(await payment(id)).toMatchObject({ amount_refunded: 0, amount_refundable: 20_000 });
  const { rows } = await product.runtime.pool.query('SELECT kind FROM exceptions WHERE kind LIKE $1', ['%after%']);
  expect(rows).toEqual([]);
});

test('the clock of the book reminds two days before, and then waits for the acquirer', async () => {
  const { client: other } = await product.organisation();
  const { id: merchant } = await other.openAccount({ funds: 0 });
  const paid = succeeded(
    await other.post<Payment>('/v1/payments', {
      ...{ account: merchant, amount: 20_000, currency: 'JOD', source: card('4242424242424242') },
    }),
  );
  const simulated = await other.post<Dispute>('/v1/simulations/disputes', { payment: paid.id, reason: 'duplicate' });
  const { id } = succeeded(simulated);
  const read = () => other.read<Dispute>(`/v1/payments/disputes/${id}`);
  const types = async () =>
    (await other.read<List<{ type: string }>>(`/v1/events?object=${id}`)).data.map(({ type }) => type).reverse();
  succeeded(await other.post('/v1/simulations/clock/advance', { by: 'P8D' }));
  const overdue = await until(read, ({ waiting_on }) => waiting_on === 'acquirer');
  expect(overdue).toMatchObject({ status: 'opened', allowed_actions: ['accept'] });
  expect(await types()).toEqual(['dispute.opened', 'dispute.evidence_due_soon']);
  await until(
    () => other.read<{ status: string }>('/v1/simulations/clock'),
    ({ status }) => status === 'idle',
  );
  expect(succeeded(await other.post<Dispute>(`/v1/simulations/disputes/${id}/lose`, {}))).toMatchObject({
    status: 'lost',
  });
});
