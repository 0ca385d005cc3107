/** Readers over the API: one action at a time, cards that are presented, tips, deadlines. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, type Event, type List, succeeded, until } from '../../../scripts/harness/client.ts';
import { eraseDirectly } from '../../support/erase.ts';
import { expectInvariants } from '../../support/invariants.ts';
import { type Product, startProduct } from '../../support/product.ts';

interface Reader {
  id: string;
  status: string;
  label: string | null;
  action: string | null;
  version: number;
  metadata: Record<string, string>;
}

interface Action {
  id: string;
  status: string;
  payment: string;
  failure: string | null;
  entry_mode: string | null;
}

interface Payment {
  id: string;
  status: string;
  amount: number;
  amount_tip: number;
  amount_authorized: number;
  amount_captured: number;
  attempts: { decline: { code: string } }[];
  source: { type: string; reader: string; reader_action: string; card: { last_four: string } | null };
}

let product: Product;
let client: Client;
let live: Client;
let account: string;
let reader: Reader;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  ({ client, live } = await product.organisation());
  account = (await client.openAccount({ funds: 0 })).id;
});
afterAll(async () => {
  await expectInvariants(product);
  await product.close();
});
beforeEach(async () => {
  reader = await register();
});

const register = async (body: object = {}) =>
  succeeded(
    await client.post<Reader>('/v1/payments/readers', {
      registration_code: 'SIMULATED-A',
      label: 'Counter 1',
      ...body,
    }),
  );
const request = (body: object = {}, options: object = {}) =>
  client.post<Payment>(
    '/v1/payments',
    { account, amount: 20_000, currency: 'JOD', source: { type: 'terminal', reader: reader.id }, ...body },
    options,
  );
const ask = async (body: object = {}) => succeeded(await request(body));
const present = (body: object = {}, options: object = {}) =>
  client.post<Payment>(
    `/v1/simulations/readers/${reader.id}/present_card`,
    { number: '4242424242424242', entry_mode: 'contactless', ...body },
    options,
  );
const now = () => client.read<Reader>(`/v1/payments/readers/${reader.id}`);
const read = (id: string) => client.read<Payment>(`/v1/payments/${id}`);
const actionOf = ({ source }: Payment) =>
  client.read<Action>(`/v1/payments/readers/${reader.id}/actions/${source.reader_action}`);
const told = async (action: string) =>
  (await client.read<List<Event>>('/v1/events?limit=100')).data
    .filter(({ data }) => data.object.id === action)
    .map(({ type }) => type);

describe('a reader', () => {
  test('is registered, renamed, listed and removed', async () => {
    expect(reader).toMatchObject({ status: 'ready', label: 'Counter 1', action: null });
    const renamed = await client.patch<Reader>(`/v1/payments/readers/${reader.id}`, { label: 'Counter 2' });
    expect(renamed.body).toMatchObject({ label: 'Counter 2', version: 2 });
    const listed = async () => (await client.read<List<Reader>>('/v1/payments/readers?limit=100')).data;
    expect((await listed())[0]).toMatchObject({ id: reader.id, label: 'Counter 2' });
    expect(succeeded(await client.delete(`/v1/payments/readers/${reader.id}`))).toMatchObject({ deleted: true });
    expect((await listed()).map(({ id }) => id)).not.toContain(reader.id);
    expect((await client.get(`/v1/payments/readers/${reader.id}`)).status).toBe(404);
    expect(await request()).toMatchObject({ status: 404, body: { code: 'resource_not_found' } });
  });

  test.each`
    body                                | param
    ${{ registration_code: 'A-1' }}     | ${'/registration_code'}
    ${{ label: '' }}                    | ${'/label'}
    ${{ label: '4242 4242 4242 4242' }} | ${'/label'}
  `('is not registered with $body', async ({ body, param }) => {
    const answer = await client.post('/v1/payments/readers', {
      registration_code: 'SIMULATED-A',
      label: 'Counter 1',
      ...body,
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ param }] } });
  });

  test('is of test mode', async () => {
    const answer = await live.post('/v1/payments/readers', { registration_code: 'SIMULATED-A', label: 'Counter 1' });
    expect(answer.body).toMatchObject({ code: 'test_mode_only' });
  });
});

test('an erasure takes the label of a reader with it, in stored answers too', async () => {
  const idempotencyKey = randomUUID();
  const body = { registration_code: 'SIMULATED-A', label: 'Counter of Salma' };
  const first = await client.post<Reader>('/v1/payments/readers', body, { idempotencyKey });
  expect(await eraseDirectly(product, first.body.id)).toEqual([]);
  expect((await client.get<Reader>(`/v1/payments/readers/${first.body.id}`)).body.label).toBeNull();
  expect((await client.post('/v1/payments/readers', body, { idempotencyKey })).text).not.toContain('Salma');
});

test('a card with a tip: amount and tip are authorized, and captured', async () => {
  const asked = await ask();
  expect(asked).toMatchObject({ status: 'requires_action', source: { type: 'terminal', reader: reader.id } });
  expect(await now()).toMatchObject({ status: 'busy', action: asked.source.reader_action });
  expect(await actionOf(asked)).toMatchObject({ status: 'in_progress', payment: asked.id });

  const { body: paid } = await present({ tip: 1_500 });
  expect(paid).toMatchObject({
    ...{ id: asked.id, status: 'captured', amount: 20_000, amount_tip: 1_500 },
    ...{ amount_authorized: 21_500, amount_captured: 21_500, source: { card: { last_four: '4242' } } },
  });
  expect(await actionOf(asked)).toMatchObject({ status: 'succeeded', entry_mode: 'contactless' });
  expect(await now()).toMatchObject({ status: 'ready', action: null });
  expect(await told(asked.source.reader_action)).toEqual(['reader_action.succeeded']);
});

test('with manual capture the tip is authorized, and captured with the rest', async () => {
  await ask({ capture: 'manual' });
  const { body: held } = await present({ tip: 500, entry_mode: 'chip' });
  expect(held).toMatchObject({ status: 'authorized', amount_authorized: 20_500 });
  const captured = await client.post<Payment>(`/v1/payments/${held.id}/capture`, {});
  expect(captured.body).toMatchObject({ status: 'captured', amount_captured: 20_500 });
});

test('a busy reader takes no other payment, and is not removed', async () => {
  const asked = await ask();
  const facts = { code: 'reader_busy', reader_action: asked.source.reader_action };
  expect(await request()).toMatchObject({ status: 409, body: facts });
  expect(await client.delete(`/v1/payments/readers/${reader.id}`)).toMatchObject({ status: 409, body: facts });
  const dry = await client.post('/v1/payments?dry_run=true', {
    ...{ account, amount: 20_000, currency: 'JOD' },
    source: { type: 'terminal', reader: reader.id },
  });
  expect(dry).toMatchObject({ status: 409, body: facts });
});

test('a payment that met a busy reader is made under the same key once the reader is free', async () => {
  const asked = await ask();
  const key = { idempotencyKey: randomUUID() };
  const body = { account, amount: 20_000, currency: 'JOD', source: { type: 'terminal', reader: reader.id } };
  const busy = await client.post('/v1/payments', body, key);
  expect(busy).toMatchObject({ status: 409, body: { code: 'reader_busy', retryable: true } });
  expect(await now()).toMatchObject({ status: 'busy', allowed_actions: [] });
  succeeded(await client.post(`/v1/payments/${asked.id}/cancel`, {}));
  expect(await now()).toMatchObject({ status: 'ready', allowed_actions: ['delete'] });
  expect(await client.post('/v1/payments', body, key)).toMatchObject({
    status: 201,
    body: { status: 'requires_action' },
  });
});

test('a tip that would take the amount beyond what an amount may be is refused', async () => {
  await ask();
  const greatest = Number.MAX_SAFE_INTEGER;
  const exchanged = async () => {
    const { rows } = await product.runtime.pool.query<{ cards: bigint }>(
      'SELECT count(*) AS cards FROM sandbox_acquirer.cards',
    );
    return rows[0]!.cards;
  };
  const before = await exchanged();
  expect(await present({ tip: greatest })).toMatchObject({
    status: 422,
    body: { code: 'amount_above_maximum', param: '/tip', limit: greatest - 20_000 },
  });
  expect(await exchanged()).toBe(before);
});

test('of twenty payments at once, one has the reader', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => request()));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
});

test('a declined card leaves the reader asking, and another pays without the first tip', async () => {
  const asked = await ask();
  const { body: declined } = await present({ number: '4000000000009995', tip: 1_000 });
  expect(declined).toMatchObject({ status: 'requires_action', amount_tip: 0, amount_authorized: 0 });
  expect(declined.attempts.map(({ decline }) => decline.code)).toEqual(['insufficient_funds']);
  expect(await actionOf(asked)).toMatchObject({ status: 'in_progress' });
  const { body: paid } = await present({ number: '5555555555554444' });
  expect(paid).toMatchObject({ status: 'captured', amount_captured: 20_000, amount_tip: 0 });
});

test('a card that would have to be challenged is declined: nobody is at a page', async () => {
  await ask({ return_url: 'https://shop.example/return' });
  const { body } = await present({ number: '4000002500003155', entry_mode: 'chip' });
  expect(body.attempts.map(({ decline }) => decline.code)).toEqual(['authentication_required']);
});

test('ten declined cards are enough', async () => {
  const asked = await ask();
  for (let attempt = 1; attempt <= 10; attempt++) await present({ number: '4000000000000002' });
  expect(await read(asked.id)).toMatchObject({ status: 'failed' });
  expect(await actionOf(asked)).toMatchObject({ status: 'failed', failure: 'declined' });
  expect((await now()).status).toBe('ready');
});

test('the same key presents one card', async () => {
  await ask();
  const options = { idempotencyKey: randomUUID() };
  const first = await present({}, options);
  const again = await present({}, options);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(again.body.id).toBe(first.body.id);
});

describe('canceled', () => {
  test.each`
    what             | path
    ${'its action'}  | ${(asked: Payment) => `/v1/payments/readers/${reader.id}/actions/${asked.source.reader_action}/cancel`}
    ${'its payment'} | ${(asked: Payment) => `/v1/payments/${asked.id}/cancel`}
  `('by $what, both end and the reader is ready', async ({ path }) => {
    const asked = await ask();
    expect((await client.post(path(asked))).status).toBe(200);
    expect(await read(asked.id)).toMatchObject({ status: 'canceled' });
    expect(await actionOf(asked)).toMatchObject({ status: 'canceled' });
    expect(await now()).toMatchObject({ status: 'ready' });
    expect(await told(asked.source.reader_action)).toEqual(['reader_action.canceled']);
    expect((await client.post(path(asked))).body).toMatchObject({ code: 'state_conflict' });
    expect((await present()).body).toMatchObject({ code: 'state_conflict' });
  });

  test('an action of another reader is not there', async () => {
    const asked = await ask();
    const other = await register();
    const path = `/v1/payments/readers/${other.id}/actions/${asked.source.reader_action}`;
    expect((await client.get(path)).status).toBe(404);
    expect((await client.post(`${path}/cancel`)).status).toBe(404);
  });
});

test('nobody presents a card within five minutes of the book: payment and action end', async () => {
  const asked = await ask();
  succeeded(await client.post('/v1/simulations/clock/advance', { by: 'PT4M' }));
  const clockIsIdle = () =>
    until(
      () => client.read<{ status: string }>('/v1/simulations/clock'),
      ({ status }) => status === 'idle',
    );
  await clockIsIdle();
  expect(await read(asked.id)).toMatchObject({ status: 'requires_action' });
  succeeded(await client.post('/v1/simulations/clock/advance', { by: 'PT2M' }));
  await clockIsIdle();
  expect(await read(asked.id)).toMatchObject({ status: 'expired' });
  expect(await actionOf(asked)).toMatchObject({ status: 'failed', failure: 'timed_out' });
  expect(await told(asked.source.reader_action)).toEqual(['reader_action.failed']);
  expect((await now()).status).toBe('ready');
  const { data } = await client.read<List<Action>>(`/v1/payments/readers/${reader.id}/actions`);
  expect(data.map(({ id }) => id)).toEqual([asked.source.reader_action]);
});
