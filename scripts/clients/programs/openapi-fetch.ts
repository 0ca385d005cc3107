/** What an integrator writes with openapi-fetch and types of openapi-typescript. Run by ../run.ts beside the generated `reference.ts`. */
import createClient from 'openapi-fetch';
import type { components, paths } from './reference.ts';

type Payout = components['schemas']['Payout'];

const clientOf = (baseUrl: string) =>
  createClient<paths>({
    baseUrl: process.env[baseUrl]!,
    headers: { Authorization: `Bearer ${process.env.API_KEY}` },
  });

/** The data of an answer. Throws its problem. */
function dataOf<Data>({ data, error }: { data?: Data; error?: components['schemas']['Problem'] }): Data {
  if (data !== undefined) return data;
  throw new Error(`${error?.code}: ${error?.detail}`);
}

const newKey = () => ({ header: { 'Idempotency-Key': crypto.randomUUID() } });
const read = async (baseUrl: string, id: string): Promise<Payout> =>
  dataOf(await clientOf(baseUrl).GET('/v1/payouts/{id}', { params: { path: { id } } }));

const client = clientOf('API_URL');
let payout: Payout = dataOf(
  await client.POST('/v1/payouts', {
    params: newKey(),
    body: {
      amount: 5_124,
      currency: 'JOD',
      account: process.env.ACCOUNT,
      destination: { type: 'cliq', alias: 'SHOP1' },
    },
  }),
);
while (payout.status === 'pending' || payout.status === 'processing') {
  await new Promise((resolve) => setTimeout(resolve, 50));
  payout = await read('API_URL', payout.id);
}
console.log(`pays=${payout.status}`);

const payment = dataOf(
  await client.POST('/v1/payments', {
    params: newKey(),
    body: {
      amount: 25_000,
      currency: 'JOD',
      source: { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
    },
  }),
);
console.log(`nulls=${payout.failure},${payment.recurring}`);
console.log(`newer=${(await read('NEWER_VALUE_URL', payout.id)).status}`);
console.log(`variant=${(await read('NEW_VARIANT_URL', payout.id)).destination.type}`);
