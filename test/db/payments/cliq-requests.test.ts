/** Requests to pay over the API: the payer approves, declines, or lets it expire. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type List, succeeded, until } from '../../../scripts/harness/client.ts';
import { aliasPlace } from '../../../src/payments/payment/cliq-request.ts';
import { newId, parsePublicId } from '../../../src/values/ids.ts';
import { eraseDirectly } from '../../support/erase.ts';
import { expectInvariants } from '../../support/invariants.ts';
import { type Product, startProduct } from '../../support/product.ts';

interface Payment {
  id: string;
  status: string;
  waiting_on: string;
  created_at: string;
  amount_captured: number;
  amount_refunded: number;
  allowed_actions: string[];
  decline: { code: string } | null;
  source: { type: string; alias_masked: string; expires_at: string; card: null };
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

const request = ({ source, ...body }: { source?: object; [field: string]: unknown } = {}) =>
  client.post<Payment>('/v1/payments', {
    account,
    amount: 20_000,
    currency: 'JOD',
    source: { type: 'cliq_request', alias: 'SALMA77', ...source },
    ...body,
  });
const ask = async (body: { source?: object; [field: string]: unknown } = {}) => succeeded(await request(body));
const simulate = (id: string, what: string, options: object = {}) =>
  client.post<Payment>(`/v1/simulations/payments/${id}/${what}`, {}, options);
const read = (id: string) => client.read<Payment>(`/v1/payments/${id}`);
const clock = async () => ({
  book: Date.parse((await client.read<{ now: string }>('/v1/simulations/clock')).now),
});
const recordOf = async (id: string) => {
  const { rows } = await product.runtime.pool.query<{ status: string; captured: bigint }>(
    `SELECT i.status, i.captured FROM sandbox_acquirer.instructions i JOIN payment_operations o ON o.reference = i.reference
     WHERE o.payment_id = $1 AND o.kind = 'authorize'`,
    [parsePublicId('payment', id)],
  );
  return rows[0];
};

test('the payer approves: it is captured, and a part is refunded', async () => {
  const asked = await ask();
  expect(asked).toMatchObject({
    status: 'requires_action',
    waiting_on: 'payer',
    allowed_actions: ['cancel'],
    source: { type: 'cliq_request', alias_masked: 'S****77', card: null },
  });
  const { body: paid } = await simulate(asked.id, 'approve');
  expect(paid).toMatchObject({ id: asked.id, status: 'captured', amount_captured: 20_000 });
  expect(succeeded(await client.post(`/v1/payments/${asked.id}/refunds`, { amount: 5_000 }))).toMatchObject({
    status: 'succeeded',
  });
  expect(await read(asked.id)).toMatchObject({ amount_refunded: 5_000 });
});

test('the payer declines', async () => {
  const { id } = await ask();
  expect((await simulate(id, 'decline')).body).toMatchObject({
    status: 'failed',
    decline: { code: 'generic_decline' },
  });
  expect(await recordOf(id)).toMatchObject({ status: 'declined', captured: 0n });
});

test('nobody answers: the acquirer takes it back, and no approval comes through afterwards', async () => {
  const { id } = await ask();
  expect((await simulate(id, 'expire')).body).toMatchObject({ status: 'expired' });
  expect(await recordOf(id)).toMatchObject({ status: 'canceled', captured: 0n });
  expect(await simulate(id, 'approve')).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
});

test('it is canceled while the payer is asked: the acquirer takes it back, and no approval comes through afterwards', async () => {
  const { id } = await ask();
  const canceled = await client.post<Payment>(`/v1/payments/${id}/cancel`, {});
  expect(canceled).toMatchObject({
    status: 200,
    body: { status: 'canceled', waiting_on: 'nobody', allowed_actions: [] },
  });
  expect(await recordOf(id)).toMatchObject({ status: 'canceled', captured: 0n });
  expect(await simulate(id, 'approve')).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
});

test('it is canceled when the payer has approved already: the payment is captured', async () => {
  const { id } = await ask();
  const { rows } = await product.runtime.pool.query<{ book_id: string; reference: string }>(
    `SELECT book_id, reference FROM payment_operations WHERE payment_id = $1 AND kind = 'authorize'`,
    [parsePublicId('payment', id)],
  );
  const { sandbox } = product.runtime.acquirers;
  const noticeId = newId();
  await sandbox.resolveRequest(rows[0]!.book_id, rows[0]!.reference, { approved: true, noticeId });
  await sandbox.acknowledge([noticeId]);
  expect((await client.post<Payment>(`/v1/payments/${id}/cancel`, {})).body).toMatchObject({
    ...{ status: 'captured', amount_captured: 20_000, allowed_actions: ['refund'] },
  });
});

test("it expires by the book's clock, and the acquirer is asked to take it back", async () => {
  const { id } = await ask();
  succeeded(await client.post('/v1/simulations/clock/advance', { by: 'P2D' }));
  const expired = await until(
    () => read(id),
    ({ status }) => status === 'expired',
  );
  expect(expired.status).toBe('expired');
  expect(await recordOf(id)).toMatchObject({ status: 'canceled' });
  await until(
    () => client.read<{ status: string }>('/v1/simulations/clock'),
    ({ status }) => status === 'idle',
  );
});

test('an approval that the acquirer took before the time was over counts', async () => {
  const { id } = await ask();
  const { rows } = await product.runtime.pool.query<{ book_id: string; reference: string }>(
    `SELECT book_id, reference FROM payment_operations WHERE payment_id = $1 AND kind = 'authorize'`,
    [parsePublicId('payment', id)],
  );
  const { sandbox } = product.runtime.acquirers;
  // Nobody is told: the notice is taken away before it is read.
  const noticeId = '0190a1b2-c3d4-7000-8000-000000000001';
  await sandbox.resolveRequest(rows[0]!.book_id, rows[0]!.reference, { approved: true, noticeId });
  await sandbox.acknowledge([noticeId]);
  succeeded(await client.post('/v1/simulations/clock/advance', { by: 'P2D' }));
  expect(
    await until(
      () => read(id),
      ({ status }) => status !== 'requires_action',
    ),
  ).toMatchObject({ status: 'captured', amount_captured: 20_000 });
});

test('the same key approves once, and says so again', async () => {
  const { id } = await ask();
  const options = { idempotencyKey: randomUUID() };
  const first = await simulate(id, 'approve', options);
  const again = await simulate(id, 'approve', options);
  expect(again.text).toBe(first.text);
  expect((await simulate(id, 'decline')).body).toMatchObject({ code: 'state_conflict' });
});

test('no card is a request to pay', async () => {
  const paid = await client.post<Payment>('/v1/payments', {
    ...{ account, amount: 20_000, currency: 'JOD' },
    source: { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034 },
  });
  expect((await simulate(paid.body.id, 'approve')).body).toMatchObject({ code: 'state_conflict' });
});

test('what a payer approved has no disputes: one cannot be simulated', async () => {
  const { id } = await ask();
  await simulate(id, 'approve');
  const told = await client.post('/v1/simulations/disputes', { payment: id, reason: 'fraudulent' });
  expect(told).toMatchObject({
    status: 409,
    body: { code: 'state_conflict', detail: expect.stringContaining('A request to pay has no disputes') },
  });
});

test.each(['inquiry', 'chargeback'] as const)(
  'an %s that the acquirer tells of all the same is for a person, and books nothing',
  async (stage) => {
    const { id } = await ask();
    await simulate(id, 'approve');
    const { rows } = await product.runtime.pool.query<{ book_id: string; reference: string }>(
      `SELECT book_id, reference FROM payment_operations WHERE payment_id = $1 AND kind = 'authorize'`,
      [parsePublicId('payment', id)],
    );
    const { book_id: originator, reference } = rows[0]!;
    const of = { originator, reference, noticeId: randomUUID() };
    await product.runtime.acquirers.sandbox.openDispute({ ...of, stage, amount: 20_000n, reason: 'fraudulent' });
    const exceptions = await until(
      () => client.read<List<{ kind: string; resource_id: string }>>('/v1/exceptions?limit=100'),
      ({ data }) => data.some(({ resource_id }) => resource_id === id),
    );
    expect(exceptions.data.filter(({ resource_id }) => resource_id === id)).toMatchObject([
      { kind: 'dispute_on_request' },
    ]);
    expect(await client.read(`/v1/payments/${id}`)).toMatchObject({ amount_disputed: 0, amount_refundable: 20_000 });
    expect(await client.read<List<object>>(`/v1/payments/disputes?payment=${id}`)).toMatchObject({ data: [] });
  },
);

describe('a request', () => {
  test.each`
    what                      | body                                                  | param
    ${'manual capture'}       | ${{ capture: 'manual' }}                              | ${'/capture'}
    ${'a time that is over'}  | ${{ source: { expires_at: '2020-01-01T00:00:00Z' } }} | ${'/source/expires_at'}
    ${'a time years ahead'}   | ${{ source: { expires_at: '2099-01-01T00:00:00Z' } }} | ${'/source/expires_at'}
    ${'no visible character'} | ${{ source: { alias: ' ' } }}                         | ${'/source/alias'}
    ${'nobody to approve it'} | ${{ initiator: 'merchant' }}                          | ${'/initiator'}
    ${'a card to keep'}       | ${{ store_for: 'customer-1' }}                        | ${'/store_for'}
  `('with $what is refused', async ({ body, param }) => {
    expect(await request(body)).toMatchObject({
      status: 400,
      body: { code: 'parameter_invalid', errors: [{ param }] },
    });
  });

  test('may say until when', async () => {
    const { book } = await clock();
    const until = new Date(book + 3_600_000).toISOString();
    expect((await ask({ source: { expires_at: until } })).source.expires_at).toBe(until);
  });

  test('keeps the alias sealed for its own row, and says it to nobody', async () => {
    const asked = await request({ source: { alias: 'UNIQUEALIAS9' } });
    expect(asked.text).not.toContain('UNIQUEALIAS9');
    const { rows } = await product.runtime.pool.query<{ book_id: string; id: string; alias_sealed: Buffer }>(
      'SELECT book_id, id, alias_sealed FROM payments WHERE id = $1',
      [parsePublicId('payment', asked.body.id)],
    );
    const { book_id: bookId, id, alias_sealed: sealed } = rows[0]!;
    expect(product.runtime.secretBox.open(sealed, aliasPlace(bookId, id))).toBe('UNIQUEALIAS9');
    const { rows: kept } = await product.runtime.pool.query(
      "SELECT FROM sandbox_acquirer.instructions i WHERE i::text LIKE '%UNIQUEALIAS9%'",
    );
    expect(kept).toEqual([]);
  });

  test('keeps the alias until the request is over: then an erasure takes it', async () => {
    const { id } = await ask({ description: 'For Salma' });
    const kept = async () => {
      const { rows } = await product.runtime.pool.query(
        'SELECT description, alias_sealed IS NOT NULL AS alias FROM payments WHERE id = $1',
        [parsePublicId('payment', id)],
      );
      return rows[0];
    };
    expect(await eraseDirectly(product, id)).toEqual([]);
    expect(await kept()).toEqual({ description: null, alias: true });
    succeeded(await simulate(id, 'approve'));
    await until(
      () => read(id),
      ({ status }) => status === 'captured',
    );
    expect(await eraseDirectly(product, id)).toEqual([]);
    expect(await kept()).toEqual({ description: null, alias: false });
    expect((await read(id)).source.alias_masked).not.toBe('');
  });
});
