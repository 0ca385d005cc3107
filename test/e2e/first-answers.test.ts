/** A request that was once accepted gets its first answer again, even if a later rule refuses it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account, Client, Endpoint, Payout, Problem } from '../../scripts/harness/client.ts';
import { fingerprintOf } from '../../src/api/request-headers.ts';
import { Following } from '../../src/idempotency/following.ts';
import { carryOut } from '../../src/idempotency/use-case.ts';
import { requestPayout } from '../../src/payouts/payout/accept-payout.ts';
import { newId } from '../../src/values/ids.ts';
import { type OrganisationKeys, type Product, startProduct } from '../support/product.ts';

let product: Product;
let keys: OrganisationKeys;
let client: Client;
let account: Account;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', pools: [] });
  ({ keys, client } = await product.organisation());
  account = await client.openAccount();
});
afterAll(() => product?.close());

const NOTHING_FOLLOWS = new Following(() => undefined);

const BODY = { amount: 1_000, currency: 'JOD', destination: { type: 'cliq', alias: 'A' } };
/** The same value to a parser that keeps the last of two members, and refused by the current rule. */
const REPEATED = JSON.stringify(BODY).replace('{', '{"amount":7,');
const MANY = JSON.stringify(BODY).replace('{', `{${'"amount":7,'.repeat(2_000)}`);

test.each`
  rule                  | rawBody     | code
  ${'repeated members'} | ${REPEATED} | ${'malformed_json'}
  ${'many members'}     | ${MANY}     | ${'parameter_invalid'}
`('$rule: the same request under its key gets its first answer, another is refused', async ({ rawBody, code }) => {
  const idempotencyKey = randomUUID();
  const send = (raw: string, key: string | null = idempotencyKey, path = '/v1/payouts') =>
    client.send<Payout & Problem>('POST', path, { rawBody: raw, idempotencyKey: key });
  expect((await send(rawBody)).body).toMatchObject({ status: 400, code });
  const first = await client.post<Payout>('/v1/payouts', BODY, { idempotencyKey });
  expect(first.status).toBe(202);
  const again = await send(rawBody);
  expect(again.status).toBe(202);
  expect(again.text).toBe(first.text);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect((await send(rawBody.replace('"alias":"A"', '"alias":"B"'))).body).toMatchObject({ status: 400, code });
  expect((await send(rawBody, randomUUID())).body).toMatchObject({ status: 400, code });
  expect((await send(rawBody, idempotencyKey, '/v1/payouts?dry_run=true')).body).toMatchObject({ status: 400, code });
  const { client: other } = await product.organisation();
  const elsewhere = await other.send('POST', '/v1/payouts', { rawBody, idempotencyKey });
  expect(elsewhere.body).toMatchObject({ status: 400, code });
});

test('a payout accepted with an alias that is now refused gets its first answer', async () => {
  const idempotencyKey = randomUUID();
  const alias = '\u202eABC\u0007';
  const body = { ...BODY, destination: { type: 'cliq', alias } };
  const first = await carryOut(
    product.runtime,
    requestPayout,
    {
      bookId: keys.testBookId,
      mode: 'test',
      actor: 'api_key:test',
      requestId: newId(),
      idempotencyKey,
      fingerprint: fingerprintOf({ method: 'POST', path: '/v1/payouts', body }),
      dryRun: false,
      amount: 1_000n,
      currency: 'JOD',
      destination: { type: 'cliq', alias },
    },
    NOTHING_FOLLOWS,
  );
  const again = await client.post('/v1/payouts', body, { idempotencyKey });
  expect(again.text).toBe(first.body);
  const waited = await client.post('/v1/payouts', body, { idempotencyKey, headers: { prefer: 'wait=1' } });
  expect(waited.headers).toMatchObject({ 'idempotent-replayed': 'true', 'preference-applied': 'wait=1' });
  const refused = await client.post<Problem>('/v1/payouts', body);
  expect(refused.body).toMatchObject({ status: 400, code: 'parameter_invalid', param: '/destination/alias' });
});

test('every write has it: an update, and an answer with a sealed secret', async () => {
  const changeKey = randomUUID();
  const path = `/v1/accounts/${account.id}`;
  const changed = await client.patch<Account>(path, { name: 'Twice' }, { idempotencyKey: changeKey });
  const again = await client.send('PATCH', path, {
    rawBody: '{"name":"Once","name":"Twice"}',
    idempotencyKey: changeKey,
  });
  expect(again.text).toBe(changed.text);

  const idempotencyKey = randomUUID();
  const made = await client.post<Endpoint>('/v1/webhooks', { url: 'https://example.com/' }, { idempotencyKey });
  expect(made.body.secret).toMatch(/^whsec_/);
  const rawBody = '{"url":"https://example.org/","url":"https://example.com/"}';
  expect((await client.send<Endpoint>('POST', '/v1/webhooks', { rawBody, idempotencyKey })).text).toBe(made.text);
});

test('a voided key gets the refusal', async () => {
  const idempotencyKey = randomUUID();
  await client.post(`/v1/idempotency_keys/${idempotencyKey}/void`);
  const answer = await client.send<Problem>('POST', '/v1/payouts', { rawBody: REPEATED, idempotencyKey });
  expect(answer.body.code).toBe('malformed_json');
});
