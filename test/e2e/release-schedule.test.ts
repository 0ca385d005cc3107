/** The release schedule of a book over the API, and what it does to payments, with real workers and a real database. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Problem } from '../../scripts/harness/client.ts';
import { type Client, succeeded, until } from '../../scripts/harness/client.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';

const PATH = '/v1/payments/release_schedule';

interface Schedule {
  days: number;
  unit: string;
  calendar: string;
  cut_off: string | null;
  time_zone: string;
  when: string;
  reserve: { percent: string; days: number } | null;
  version: number;
  updated_at: string | null;
}

let product: Product;
let client: Client;

beforeAll(async () => {
  product = await startProduct({
    backend: 'postgres',
    environment: {
      PAYMENT_RELEASE_ONCE_SETTLED: 'true',
      PAYMENT_RELEASE_DAYS: '4',
      PAYMENT_RELEASE_UNIT: 'business_days',
      PAYMENT_RELEASE_CALENDAR: 'target2',
      PAYMENT_RELEASE_CUT_OFF: '18:30',
    },
  });
});
beforeEach(async () => {
  ({ client } = await product.organisation());
});
afterAll(async () => {
  await expectInvariants(product);
  await product.close();
});

const read = () => client.read<Schedule>(PATH);
const change = async (body: object, options: object = {}) =>
  succeeded(await client.patch<Schedule>(PATH, body, options));

test('a book has the schedule of the installation until it gets its own', async () => {
  const ofInstallation = {
    object: 'release_schedule',
    livemode: false,
    ...{ days: 4, unit: 'business_days', calendar: 'target2', cut_off: '18:30', time_zone: 'UTC' },
    ...{ when: 'settled', reserve: null, version: 1, updated_at: null },
  };
  expect(await read()).toEqual(ofInstallation);
  const changed = await change({ reserve: { percent: '2.50', days: 30 }, cut_off: null });
  expect(changed).toEqual({
    ...ofInstallation,
    ...{ cut_off: null, reserve: { percent: '2.5', days: 30 }, version: 2, updated_at: expect.any(String) },
  });
  expect(await read()).toEqual(changed);
  expect(await change({})).toEqual(changed);
  expect(await change({ reserve: null })).toMatchObject({ reserve: null, version: 3 });
  const { client: other } = await product.organisation();
  expect(await other.read<Schedule>(PATH)).toEqual(ofInstallation);
});

test('a change over another version is refused, and a repeat under one key is made once', async () => {
  const idempotencyKey = randomUUID();
  const headers = { 'If-Match': '1' };
  const first = await change({ days: 7 }, { headers, idempotencyKey });
  expect(await change({ days: 7 }, { headers, idempotencyKey })).toEqual(first);
  const { status, body } = await client.patch<Problem>(PATH, { days: 9 }, { headers });
  expect([status, body]).toEqual([412, expect.objectContaining({ code: 'version_mismatch', version: 2 })]);
  expect((await read()).days).toBe(7);
});

describe('who may change it', () => {
  test.each`
    mode      | scopes                                    | status
    ${'test'} | ${['*']}                                  | ${200}
    ${'test'} | ${['payments:read', 'payments:write']}    | ${403}
    ${'live'} | ${['*']}                                  | ${403}
    ${'live'} | ${['payments:read', 'payments:write']}    | ${403}
    ${'live'} | ${['*', 'payments:schedule']}             | ${200}
    ${'live'} | ${['payments:read', 'payments:schedule']} | ${200}
  `('a $mode key with $scopes: $status', async ({ mode, scopes, status }) => {
    const { keys } = await product.organisation();
    const bookId = mode === 'live' ? keys.liveBookId : keys.testBookId;
    const caller = await product.clientWith({ bookId, mode, scopes });
    const answer = await caller.patch<Problem>(PATH, { days: 1, unit: 'days', reserve: null });
    expect(answer.status).toBe(status);
    if (status === 403)
      expect(answer.body).toMatchObject({ code: 'permission_denied', required_scope: 'payments:schedule' });
    // Who may not change it may read what holds.
    expect(await caller.read<Schedule>(PATH)).toMatchObject({ version: status === 403 ? 1 : 2 });
  });
});

describe('what is no schedule is refused', () => {
  test.each`
    body                                                | param
    ${{ days: 0 }}                                      | ${'/days'}
    ${{ days: 91 }}                                     | ${'/days'}
    ${{ days: 1.5 }}                                    | ${'/days'}
    ${{ days: null }}                                   | ${'/days'}
    ${{ unit: 'weeks' }}                                | ${'/unit'}
    ${{ calendar: 'sun' }}                              | ${'/calendar'}
    ${{ cut_off: '24:00' }}                             | ${'/cut_off'}
    ${{ cut_off: '17:00:00' }}                          | ${'/cut_off'}
    ${{ when: 'later' }}                                | ${'/when'}
    ${{ reserve: { percent: 10, days: 90 } }}           | ${'/reserve/percent'}
    ${{ reserve: { percent: '100', days: 90 } }}        | ${'/reserve/percent'}
    ${{ reserve: { percent: '1.005', days: 90 } }}      | ${'/reserve/percent'}
    ${{ reserve: { percent: '10', days: 181 } }}        | ${'/reserve/days'}
    ${{ reserve: { percent: '10' } }}                   | ${'/reserve/days'}
    ${{ reserve: { percent: '10', days: 9, of: 'x' } }} | ${'/reserve/of'}
    ${{ timezone: 'UTC' }}                              | ${'/timezone'}
  `('$body', async ({ body, param }) => {
    const answer = await client.patch<Problem>(PATH, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors!.map((error) => error.param)).toEqual([param]);
    expect((await read()).version).toBe(1);
  });
});

test('a payment is released in two parts, each on its day, by the clock of the book', async () => {
  await change({ days: 2, unit: 'days', cut_off: null, when: 'captured', reserve: { percent: '10', days: 30 } });
  const { id: account } = await client.openAccount({ funds: 0 });
  const source = { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };
  const paid = succeeded(
    await client.post<{ id: string; fee: number; available_on: string }>('/v1/payments', {
      ...{ account, amount: 20_000, currency: 'JOD', source },
    }),
  );
  const earned = 20_000 - paid.fee;
  const reserved = Math.floor(earned / 10);
  const waiting = async () =>
    (await client.read<{ balances: object[] }>(`/v1/payments/balance?account=${account}`)).balances[0];
  const available = async () => (await client.read<{ available: number }>(`/v1/accounts/${account}/balance`)).available;
  const advance = async (by: string) => {
    succeeded(await client.post('/v1/simulations/clock/advance', { by }));
    await until(
      () => client.read<{ status: string }>('/v1/simulations/clock'),
      ({ status }) => status === 'idle',
    );
  };
  const day = { available_on: paid.available_on, amount: earned - reserved };
  expect(await waiting()).toMatchObject({ pending: 0, reserved, available: [day] });
  // What changes now moves nothing.
  await change({ days: 60, reserve: null });
  await advance('P3D');
  expect(await waiting()).toMatchObject({ pending: 0, reserved, available: [] });
  expect(await available()).toBe(earned - reserved);
  await advance('P30D');
  expect(await waiting()).toBeUndefined();
  expect(await available()).toBe(earned);
});
