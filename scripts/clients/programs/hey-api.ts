/** What an integrator writes with a client of @hey-api/openapi-ts. Run by ../run.ts beside the generated folder `reference`. */
import { client } from './reference/client.gen.ts';
import { createPayment, createPayout, getPayout } from './reference/sdk.gen.ts';
import type { Payout } from './reference/types.gen.ts';

const use = (baseUrl: string) =>
  client.setConfig({ baseUrl: process.env[baseUrl]!, auth: process.env.API_KEY!, throwOnError: true });
const newKey = () => ({ 'Idempotency-Key': crypto.randomUUID() });

async function read(baseUrl: string, id: string): Promise<Payout> {
  use(baseUrl);
  return (await getPayout({ path: { id }, throwOnError: true })).data;
}

use('API_URL');
const asked = await createPayout({
  headers: newKey(),
  body: {
    amount: 5_124,
    currency: 'JOD',
    account: process.env.ACCOUNT,
    destination: { type: 'cliq', alias: 'SHOP1' },
  },
  throwOnError: true,
});
let payout: Payout = asked.data;
while (payout.status === 'pending' || payout.status === 'processing') {
  await new Promise((resolve) => setTimeout(resolve, 50));
  payout = await read('API_URL', payout.id);
}
console.log(`pays=${payout.status}`);

const { data: payment } = await createPayment({
  headers: newKey(),
  body: {
    amount: 25_000,
    currency: 'JOD',
    source: { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
  },
  throwOnError: true,
});
console.log(`nulls=${payout.failure},${payment.recurring}`);
console.log(`newer=${(await read('NEWER_VALUE_URL', payout.id)).status}`);
console.log(`variant=${(await read('NEW_VARIANT_URL', payout.id)).destination.type}`);
