/** Simulations speak for the sandbox: a payment that a gateway holds, in test mode too, is none of theirs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, succeeded } from '../../scripts/harness/client.ts';
import { GATEWAY_NAME, type GatewayProduct, startWithGateway } from '../support/gateway.ts';

// biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
type Shown = any;

let started: GatewayProduct;
let client: Client;

beforeAll(async () => {
  started = await startWithGateway({
    environment: { ACQUIRER_HTTP_MODE: 'test', ACQUIRER_HTTP_CARD_DATA: 'true' },
  });
  ({ client } = await started.product.organisation());
  await client.openAccount({ funds: 0 });
});
afterAll(() => started?.close());

const pay = async (source: object) =>
  succeeded(await client.post<Shown>('/v1/payments', { amount: 20_000, currency: 'JOD', source }));
const refused = {
  status: 409,
  body: { code: 'state_conflict', detail: expect.stringContaining(`at ${GATEWAY_NAME}`) },
};

test.each(['approve', 'decline', 'expire'])('a request to pay: %s', async (what) => {
  const { id } = await pay({ type: 'cliq_request', alias: 'SALMA77' });
  expect(await client.post(`/v1/simulations/payments/${id}/${what}`, {})).toMatchObject(refused);
});

test('a dispute', async () => {
  const card = { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };
  const paid = await pay(card);
  expect(paid.status).toBe('captured');
  const dispute = { payment: paid.id, reason: 'fraudulent', amount: 2_000 };
  expect(await client.post('/v1/simulations/disputes', dispute)).toMatchObject(refused);
  expect(await client.read(`/v1/payments/${paid.id}`)).toMatchObject({ version: paid.version });
});

test('a card at a reader', async () => {
  const reader = succeeded(
    await client.post<Shown>('/v1/payments/readers', { registration_code: 'SIMULATED-A', label: 'Counter 1' }),
  );
  const asked = await pay({ type: 'terminal', reader: reader.id });
  const presented = { number: '4242424242424242', entry_mode: 'contactless' };
  expect(await client.post(`/v1/simulations/readers/${reader.id}/present_card`, presented)).toMatchObject(refused);
  expect(await client.read(`/v1/payments/${asked.id}`)).toMatchObject({
    status: 'requires_action',
    version: asked.version,
  });
});
