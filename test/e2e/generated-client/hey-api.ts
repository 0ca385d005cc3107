/**
 * What an integrator writes with a client that @hey-api/openapi-ts makes of the document. Compiled and run by
 * ../generated-client.test.ts, which generates `reference/` beside it. Each `@ts-expect-error` is a fault that the types must
 * find.
 */
import { client } from './reference/client.gen.js';
import {
  createAccount,
  createPayment,
  createPayout,
  getPayout,
  listEvents,
  listPayouts,
  simulateInboundTransfer,
} from './reference/sdk.gen.js';
import type { CreatePayment, CreatePayout, Payout, WebhookEvent } from './reference/types.gen.js';

client.setConfig({ baseUrl: process.env.API_URL!, auth: process.env.API_KEY! });

const headers = () => ({ 'Idempotency-Key': crypto.randomUUID() });
const throwOnError = true;

const { data: account } = await createAccount({
  headers: headers(),
  body: { currency: 'JOD', name: 'Operating account' },
  throwOnError,
});
await simulateInboundTransfer({
  headers: headers(),
  body: { account: account.id, amount: 100_000, currency: 'JOD' },
  throwOnError,
});

const wish: CreatePayout = {
  amount: 5_124,
  currency: 'JOD',
  account: account.id,
  destination: { type: 'cliq', alias: 'SHOP1' },
};
// @ts-expect-error: an amount is a number of minor units.
const inWords: CreatePayout = { ...wish, amount: '51.24' };
// @ts-expect-error: an alias is no member of a book transfer.
const mixed: CreatePayout = { ...wish, destination: { type: 'account', alias: 'SHOP1' } };
// @ts-expect-error: no capture is of this kind.
const wrong: CreatePayment = { amount: 1, currency: 'JOD', source: { type: 'checkout' }, capture: 'later' };
void [inWords, mixed, wrong];

const { data: preview } = await createPayout({
  headers: headers(),
  query: { dry_run: true },
  body: wish,
  throwOnError,
});
const left = preview.resulting_balances?.[0]?.available;

const asked = await createPayout({ headers: { ...headers(), Prefer: 'wait=10' }, body: wish, throwOnError });
let payout: Payout = asked.data;
while (payout.status === 'pending' || payout.status === 'processing') {
  await new Promise((resolve) => setTimeout(resolve, 20));
  payout = (await getPayout({ path: { id: payout.id }, throwOnError })).data;
}
const { destination } = payout;
const payee =
  destination.type === 'cliq'
    ? destination.alias_masked
    : destination.type === 'account'
      ? destination.account
      : destination.type;

/** Neither `initiator` nor `capture`: what stands for them is said in words. */
const sale: CreatePayment = {
  amount: 25_000,
  currency: 'JOD',
  source: { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
};
const { data: payment } = await createPayment({ headers: headers(), body: sale, throwOnError });

/** What a receiver makes of a webhook: `type` tells its object. */
function subjectOf(event: WebhookEvent): string {
  switch (event.type) {
    case 'payout.paid':
    case 'payout.failed':
      return `${event.data.object.amount} ${event.data.object.failure?.code ?? 'paid'}`;
    case 'account.created':
      // @ts-expect-error: an account has no amount.
      return `${event.data.object.balance.available} ${event.data.object.amount}`;
    default:
      return event.id;
  }
}

const { data: events } = await listEvents({ query: { type: ['payout.paid'] }, throwOnError });
const [paid] = events.data as WebhookEvent[];

const range = { 'created_at[gte]': payout.created_at, 'created_at[lt]': '9999-12-31T00:00:00Z' };
const { data: list } = await listPayouts({ query: { status: ['paid', 'failed'], limit: 10, ...range }, throwOnError });
const listed = list.data.map(({ id, status }) => [id, status] as const);
const { data: before } = await listPayouts({ query: { 'created_at[lt]': payout.created_at }, throwOnError });

const refused = await createPayout({ headers: headers(), body: { ...wish, amount: 10_000_000 } });

console.log(
  JSON.stringify({
    preview: { dryRun: preview.dry_run, status: preview.status, left },
    payout: { id: payout.id, status: payout.status, failure: payout.failure?.code ?? null, payee },
    payment: { capture: payment.capture, initiator: payment.initiator },
    told: paid && subjectOf(paid),
    list: { listed, before: before.data.length, hasMore: list.has_more },
    refused: { code: refused.error?.code, status: refused.response?.status },
  }),
);
