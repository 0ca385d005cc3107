/** Payments over the API, with the sandbox acquirer, real workers and a real database. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, type List, type Problem, succeeded, until } from '../../scripts/harness/client.ts';
import { countUnderWay, lookInto, makeRowsDue } from '../../scripts/harness/database-store.ts';
import { type Acquirer, AcquirerUnreachable } from '../../src/acquirers/acquirer.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';
import { runs } from '../support/runs.ts';

interface Payment {
  id: string;
  status: string;
  version: number;
  amount_authorized: number;
  amount_capturable: number;
  amount_captured: number;
  amount_refunded: number;
  amount_refundable: number;
  fee: number;
  decline: { code: string; network_code: string; advice: string } | null;
  outcome: string | null;
  next_action: { url: string } | null;
  authorization: { network_reference: string; expires_at: string | null } | null;
  source: { card: { last_four: string; fingerprint: string } };
}

interface Refund {
  id: string;
  status: string;
  amount: number;
  fee_refunded: number;
  journal_entries: string[];
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

const card = (number = '4242424242424242') => ({ type: 'card', number, exp_month: 12, exp_year: 2034, cvc: '123' });

const request = (body: object = {}, options: object = {}) =>
  client.post<Payment>('/v1/payments', { account, amount: 20_000, currency: 'JOD', source: card(), ...body }, options);
const pay = async (body: object = {}) => succeeded(await request(body));
const read = (id: string) => client.read<Payment>(`/v1/payments/${id}`);
const act = (id: string, action: string, body: object = {}) =>
  client.post<Payment>(`/v1/payments/${id}/${action}`, body);
const refund = (id: string, body: object = {}) => client.post<Refund>(`/v1/payments/${id}/refunds`, body);

test.each`
  number                | status               | code
  ${'4242424242424242'} | ${'captured'}        | ${undefined}
  ${'5555555555554444'} | ${'captured'}        | ${undefined}
  ${'4000000000000002'} | ${'failed'}          | ${'generic_decline'}
  ${'4000000000009995'} | ${'failed'}          | ${'insufficient_funds'}
  ${'4000000000009987'} | ${'failed'}          | ${'lost_card'}
  ${'4000000000009979'} | ${'failed'}          | ${'stolen_card'}
  ${'4000000000000069'} | ${'failed'}          | ${'expired_card'}
  ${'4000000000000127'} | ${'failed'}          | ${'incorrect_cvc'}
  ${'4000000000000119'} | ${'failed'}          | ${'processing_error'}
  ${'4000000000000705'} | ${'captured'}        | ${undefined}
  ${'4000000000000713'} | ${'failed'}          | ${'processing_error'}
  ${'4000002500003155'} | ${'requires_action'} | ${undefined}
`('the test number $number ends $status', async ({ number, status, code }) => {
  const answer = await request({ source: card(number), return_url: 'https://shop.example/return' });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ status, outcome: null });
  expect(answer.body.decline?.code).toBe(code);
});

test('an answer that is not waited for is 202, and the same key waits for the payment', async () => {
  const options = { idempotencyKey: randomUUID(), headers: { prefer: 'respond-async' } };
  const first = await request({}, options);
  expect(first).toMatchObject({ status: 202, body: { status: 'processing' } });
  const again = await request({}, { idempotencyKey: options.idempotencyKey });
  expect(again).toMatchObject({ status: 201, body: { id: first.body.id, status: 'captured' } });
  expect(again.headers['idempotent-replayed']).toBe('true');
});

test('a key stands for the request without the security code, and for the number', async () => {
  const idempotencyKey = randomUUID();
  const first = await request({}, { idempotencyKey });
  const otherCode = await request({ source: { ...card(), cvc: '999' } }, { idempotencyKey });
  expect(otherCode.body.id).toBe(first.body.id);
  const otherNumber = await client.post(
    '/v1/payments',
    { account, amount: 20_000, currency: 'JOD', source: card('5555555555554444') },
    { idempotencyKey },
  );
  expect(otherNumber).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
});

test('a hundred requests with one key charge once', async () => {
  const idempotencyKey = randomUUID();
  const answers = await Promise.all(Array.from({ length: 100 }, () => request({}, { idempotencyKey })));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  const { rows } = await product.runtime.pool.query<{ count: bigint }>(
    `SELECT count(*) FROM payment_operations WHERE kind = 'authorize' AND payment_id = (
       SELECT resource_id FROM idempotency_keys WHERE key = $1)`,
    [idempotencyKey],
  );
  expect(rows[0]!.count).toBe(1n);
});

test('captures in parts: the fee is that of the whole, and the last part ends it', async () => {
  const { id } = await pay({ capture: 'manual', amount: 10_001 });
  const first = succeeded(await act(id, 'capture', { amount: 3_333 }));
  expect(first).toMatchObject({ status: 'partially_captured', amount_capturable: 6_668, amount_captured: 3_333 });
  succeeded(await act(id, 'capture', { amount: 3_334 }));
  const last = succeeded(await act(id, 'capture'));
  const whole = await pay({ amount: 10_001 });
  expect(last).toMatchObject({ status: 'captured', amount_capturable: 0, amount_captured: 10_001, fee: whole.fee });
  const { data } = await client.read<List<{ fee: number }>>(`/v1/payments/${id}/captures`);
  expect(data.reduce((sum, { fee }) => sum + fee, 0)).toBe(whole.fee);
});

test('of three captures at once one is taken, and the others are told why they are not', async () => {
  const { id } = await pay({ capture: 'manual' });
  const answers = await Promise.all([1, 2, 3].map(() => act(id, 'capture', { amount: 15_000 })));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(2);
  // Under way, or already taken: whichever it met.
  for (const { body } of refused)
    expect(['state_conflict', 'capture_exceeds_authorized']).toContain((body as unknown as Problem).code);
  expect((await read(id)).amount_captured).toBe(15_000);
});

test('an increment makes more capturable; a void gives up what is left', async () => {
  const { id } = await pay({ capture: 'manual' });
  expect(succeeded(await act(id, 'increment', { amount: 30_000 }))).toMatchObject({ amount_authorized: 30_000 });
  succeeded(await act(id, 'capture', { amount: 25_000 }));
  expect(succeeded(await act(id, 'cancel'))).toMatchObject({ status: 'captured', amount_captured: 25_000 });
  const other = await pay({ capture: 'manual' });
  expect(succeeded(await act(other.id, 'cancel'))).toMatchObject({ status: 'canceled', amount_capturable: 0 });
});

describe('refused', () => {
  test.each`
    body                                                     | status | code                         | param
    ${{ amount: 0 }}                                         | ${422} | ${'amount_below_minimum'}    | ${'/amount'}
    ${{ amount: 1.5 }}                                       | ${400} | ${'amount_not_integer'}      | ${'/amount'}
    ${{ amount: '5' }}                                       | ${400} | ${'amount_not_integer'}      | ${'/amount'}
    ${{ currency: 'ABC' }}                                   | ${400} | ${'currency_unsupported'}    | ${'/currency'}
    ${{ currency: 'EUR' }}                                   | ${422} | ${'currency_mismatch'}       | ${'/currency'}
    ${{ source: { type: 'gold' } }}                          | ${400} | ${'parameter_invalid'}       | ${'/source/type'}
    ${{ source: card('4242424242424241') }}                  | ${400} | ${'parameter_invalid'}       | ${'/source/number'}
    ${{ source: card('4111111111111111') }}                  | ${400} | ${'card_number_not_allowed'} | ${'/source/number'}
    ${{ source: { ...card(), cvc: '12' } }}                  | ${400} | ${'parameter_invalid'}       | ${'/source/cvc'}
    ${{ source: { ...card(), exp_year: 2020 } }}             | ${400} | ${'parameter_invalid'}       | ${'/source/exp_year'}
    ${{ capture: 'later' }}                                  | ${400} | ${'parameter_invalid'}       | ${'/capture'}
    ${{ return_url: 'javascript:alert(1)' }}                 | ${400} | ${'parameter_invalid'}       | ${'/return_url'}
    ${{ return_url: 'https://a.b@shop.example' }}            | ${400} | ${'parameter_invalid'}       | ${'/return_url'}
    ${{ return_url: 'https://shop.example/\r\na' }}          | ${400} | ${'parameter_invalid'}       | ${'/return_url'}
    ${{ cancel_url: 'https://shop.example/a b' }}            | ${400} | ${'parameter_invalid'}       | ${'/cancel_url'}
    ${{ description: '4242\u00a04242\u00a04242\u00a04242' }} | ${400} | ${'card_number_not_allowed'} | ${'/description'}
  `('$body with $code', async ({ body, status, code, param }) => {
    const answer = await request(body);
    expect(answer).toMatchObject({ status, body: { code, param } });
    expect(answer.text).not.toMatch(/4242424242424241|4111111111111111/);
  });

  test('what an authorization does not cover, and what was not captured', async () => {
    const { id } = await pay({ capture: 'manual' });
    expect(await act(id, 'capture', { amount: 20_001 })).toMatchObject({
      status: 422,
      body: { code: 'capture_exceeds_authorized', capturable: 20_000 },
    });
    expect(await refund(id)).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
    succeeded(await act(id, 'capture'));
    expect(await refund(id, { amount: 20_001 })).toMatchObject({
      status: 422,
      body: { code: 'refund_exceeds_captured', refundable: 20_000 },
    });
    expect(await act(id, 'capture')).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  });
});

test('refunds take from what waits for its release, give the fee back in proportion, and never more than was captured', async () => {
  const { id, fee } = await pay({ amount: 10_003 });
  const answers = await Promise.all([4_000, 4_000, 4_000].map((amount) => refund(id, { amount })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  const rest = await refund(id);
  expect(succeeded(rest)).toMatchObject({ amount: 2_003, status: 'succeeded' });
  const refunds = (await client.read<List<Refund>>(`/v1/payments/${id}/refunds`)).data;
  expect(refunds.reduce((sum, one) => sum + one.fee_refunded, 0)).toBe(fee);
  expect(await read(id)).toMatchObject({ amount_refunded: 10_003, amount_refundable: 0, fee: 0 });
});

test('a challenge that nobody passes ends the payment at the acquirer too', async () => {
  const { id } = await pay({ source: card('4000002500003155'), return_url: 'https://shop.example/return' });
  await product.runtime.pool.query(
    `UPDATE payment_operations SET due_at = now(), payer_until = now() WHERE payment_id = (
       SELECT id FROM payments WHERE status = 'requires_action' ORDER BY id DESC LIMIT 1)`,
  );
  const ended = await until(
    () => read(id),
    ({ status }) => status !== 'requires_action',
  );
  expect(ended.status).toBe('canceled');
});

test('an acquirer that gives no answer to a question about its notice is asked again', async () => {
  const { sandbox } = product.runtime.acquirers;
  // The client itself, as it is seen in a book's turn.
  const { client } = sandbox as unknown as { client: Acquirer };
  const inquire = vi.spyOn(client, 'inquire').mockRejectedValueOnce(new AcquirerUnreachable('No answer'));
  const { id, next_action } = await pay({
    source: card('4000002500003155'),
    return_url: 'https://shop.example/return',
  });
  await sandbox.resolveChallenge(next_action!.url.split('/').at(-1)!, { passed: true });
  await until(
    () => inquire.mock.calls.length,
    (calls) => calls > 0,
  );
  const behind = lookInto(product.database);
  const paid = await until(
    async () => {
      await makeRowsDue(behind);
      return read(id);
    },
    ({ status }) => status !== 'requires_action',
  );
  expect(paid).toMatchObject({ status: 'captured', authorization: { network_reference: expect.any(String) } });
  inquire.mockRestore();
  // Nor is the notice stuck: a person has nothing to do.
  await until(
    async () => {
      await makeRowsDue(behind);
      return countUnderWay(behind);
    },
    (underWay) => underWay.notice === 0n && underWay['stuck notice'] === 0n,
  );
  await behind.end();
});

test('an authorization that nobody captures expires by the clock of the book', async () => {
  const { client: other } = await product.organisation();
  const { id: merchant } = await other.openAccount({ funds: 0 });
  const { id } = succeeded(
    await other.post<Payment>('/v1/payments', {
      account: merchant,
      amount: 1_000,
      currency: 'JOD',
      capture: 'manual',
      source: card(),
    }),
  );
  succeeded(await other.post('/v1/simulations/clock/advance', { by: 'P8D' }));
  const expired = await until(
    () => other.read<Payment>(`/v1/payments/${id}`),
    ({ status }) => status === 'expired',
  );
  expect(expired.amount_capturable).toBe(0);
});

test('no card number is kept anywhere', async () => {
  const { pool } = product.runtime;
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const hit = await pool.query(
      `SELECT 1 FROM ${name} AS t WHERE t::text ~ '(4242424242424242|5555555555554444|4000000000009995|4000002500003155)' LIMIT 1`,
    );
    if (hit.rowCount) found.push(name);
  }
  expect(rows.length).toBeGreaterThan(30);
  expect(found).toEqual([]);
});

/** Whatever is asked, in any order: the amounts hold, and what is booked is what the acquirer did (checks of verify, afterwards). */
test('random captures, refunds and cancels never give back or take more than was captured', async () => {
  const step = fc.record({
    action: fc.constantFrom('capture', 'refund', 'increment', 'cancel'),
    amount: fc.integer({ min: 1, max: 12_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      const { id } = await pay({ capture: 'manual', amount: 10_000 });
      await Promise.all(
        steps.map(({ action, amount }) =>
          action === 'refund' ? refund(id, { amount }) : act(id, action, action === 'cancel' ? {} : { amount }),
        ),
      );
      const payment = await read(id);
      expect(payment.amount_captured).toBeLessThanOrEqual(payment.amount_authorized);
      expect(payment.amount_refunded).toBeLessThanOrEqual(payment.amount_captured);
    }),
    { numRuns: runs(12) },
  );
});
