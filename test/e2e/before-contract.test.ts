/** This release on an installation that is contracted to the one before: what that one does not know is refused until the contract. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../scripts/harness/client.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { contractOf } from '../support/contracted.ts';
import { expectInvariants } from '../support/invariants.ts';
import { lookInto, type Product, startProduct } from '../support/product.ts';

let product: Product;
let client: Client;
let account: string;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', earlierForms: '0.3.0' });
  ({ client } = await product.organisation());
  account = (await client.openAccount()).id;
});
afterAll(async () => {
  await product?.close();
});

const LATER = ROUTES.filter(({ since }) => since === '0.4.0');

/** The member that is refused until the contract. */
async function refusedMember(path: string, body: object, key: string) {
  const { status, headers, body: problem } = await client.post(path, body, { idempotencyKey: key });
  expect([status, problem.code, headers['retry-after']]).toEqual([503, 'service_unavailable', '60']);
  expect(problem.detail).toContain('npm run migrate -- --contract');
  return problem.param;
}

async function formsOfEvents(id: string): Promise<(number | null)[]> {
  const pool = lookInto(product.database);
  try {
    const { rows } = await pool.query<{ form: number | null }>('SELECT form FROM events ORDER BY book_id, sequence');
    expect(rows.length, id).toBeGreaterThan(0);
    return rows.map(({ form }) => form);
  } finally {
    await pool.end();
  }
}

test('every operation that the release before does not have is 503', async () => {
  const answers = [];
  for (const { method, path, operation } of LATER) {
    const { status, body } = await client.send(method.toUpperCase(), path.replaceAll(/:\w+/g, 'any'));
    answers.push([operation, status, body.code, body.detail.includes(operation)]);
  }
  expect(LATER.length).toBeGreaterThan(150);
  expect(answers).toEqual(LATER.map(({ operation }) => [operation, 503, 'service_unavailable', true]));
});

test('a member that it does not have is 503, and takes no key', async () => {
  const payout = { amount: 1_000, currency: 'JOD', account, destination: { type: 'cliq', alias: 'SHOP1' } };
  const later = { ...payout, approval: 'required' };
  expect(await refusedMember('/v1/payouts', later, 'later')).toBe('/approval');
  expect(
    await refusedMember('/v1/accounts', { currency: 'JOD', name: 'Daily', statement_schedule: 'daily' }, 'daily'),
  ).toBe('/statement_schedule');
  expect((await client.post('/v1/payouts', payout, { idempotencyKey: 'later' })).status).toBe(202);
});

test('what both releases have is written as the one before reads it, and goes on over the contract', async () => {
  const paid = await client.requestPayout({ account, idempotencyKey: 'paid' });
  await client.payoutUntil(paid.body.id, 'paid');
  const open = await client.requestPayout({ account, idempotencyKey: 'open' });
  expect(new Set(await formsOfEvents(open.body.id))).toEqual(new Set([null]));

  await contractOf(product);
  await client.payoutUntil(open.body.id, 'paid');
  const again = await client.requestPayout({ account, idempotencyKey: 'paid' });
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([paid.text, 'true']);
  const waiting = await client.requestPayout({ account, body: { approval: 'required' } });
  expect([waiting.status, waiting.body.status]).toEqual([202, 'requires_approval']);
  expect(await formsOfEvents(open.body.id)).toContain(2);
  await expectInvariants(product);
});
