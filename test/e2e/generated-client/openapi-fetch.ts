/**
 * What an integrator writes with a client that openapi-typescript and openapi-fetch make of the document. Compiled and run
 * by ../generated-client.test.ts, which generates `reference.ts` beside it. Each `@ts-expect-error` is a fault that the
 * types must find.
 */
import createClient from 'openapi-fetch';
import type { components, paths } from './reference.js';

type Schemas = components['schemas'];
type Payout = Schemas['Payout'];

const api = createClient<paths>({
  baseUrl: process.env.API_URL!,
  headers: { Authorization: `Bearer ${process.env.API_KEY!}` },
});

/** The data of an answer. Throws its problem. */
function dataOf<Data>({ data, error }: { data?: Data; error?: Schemas['Problem'] }): Data {
  if (data !== undefined) return data;
  throw new Error(`${error?.code}: ${error?.detail}`);
}

const newKey = () => ({ 'Idempotency-Key': crypto.randomUUID() });

const account = dataOf(
  await api.POST('/v1/accounts', {
    params: { header: newKey() },
    body: { currency: 'JOD', name: 'Operating account' },
  }),
);
await api
  .POST('/v1/simulations/inbound_transfers', {
    params: { header: newKey() },
    body: { account: account.id, amount: 100_000, currency: 'JOD' },
  })
  .then(dataOf);

const wish: Schemas['CreatePayout'] = {
  amount: 5_124,
  currency: 'JOD',
  account: account.id,
  destination: { type: 'cliq', alias: 'SHOP1' },
};
// @ts-expect-error: an amount is a number of minor units.
const inWords: Schemas['CreatePayout'] = { ...wish, amount: '51.24' };
// @ts-expect-error: an alias is no member of a book transfer.
const mixed: Schemas['CreatePayout'] = { ...wish, destination: { type: 'account', alias: 'SHOP1' } };
// @ts-expect-error: no capture is of this kind.
const wrong: Schemas['CreatePayment'] = { amount: 1, currency: 'JOD', source: { type: 'checkout' }, capture: 'later' };
// What the compiler is shown alone.
void [inWords, mixed, wrong];

const preview: Payout = dataOf(
  await api.POST('/v1/payouts', { params: { query: { dry_run: true }, header: newKey() }, body: wish }),
);
const left: number | undefined = preview.resulting_balances?.[0]?.available;

let payout: Payout = dataOf(
  await api.POST('/v1/payouts', { params: { header: { ...newKey(), Prefer: 'wait=10' } }, body: wish }),
);
while (payout.status === 'pending' || payout.status === 'processing') {
  await new Promise((resolve) => setTimeout(resolve, 20));
  payout = dataOf(await api.GET('/v1/payouts/{id}', { params: { path: { id: payout.id } } }));
}

const { destination } = payout;
const payee =
  destination.type === 'cliq'
    ? destination.alias_masked
    : destination.type === 'account'
      ? destination.account
      : destination.type;

/** Neither `initiator` nor `capture`: what stands for them is said in words. */
const sale: Schemas['CreatePayment'] = {
  amount: 25_000,
  currency: 'JOD',
  source: { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
};
const payment = dataOf(await api.POST('/v1/payments', { params: { header: newKey() }, body: sale }));

/** What a receiver makes of a webhook: `type` tells its object. */
function subjectOf(event: Schemas['WebhookEvent']): string {
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

const events = dataOf(await api.GET('/v1/events', { params: { query: { type: ['payout.paid'] } } }));
const [paid] = events.data as Schemas['WebhookEvent'][];

const range = { 'created_at[gte]': payout.created_at, 'created_at[lt]': '9999-12-31T00:00:00Z' };
const list = dataOf(
  await api.GET('/v1/payouts', { params: { query: { status: ['paid', 'failed'], limit: 10, ...range } } }),
);
const before = dataOf(await api.GET('/v1/payouts', { params: { query: { 'created_at[lt]': payout.created_at } } }));
const listed = list.data.map(({ id, status }): [string, Payout['status']] => [id, status]);

const refused = await api.POST('/v1/payouts', { params: { header: newKey() }, body: { ...wish, amount: 10_000_000 } });

console.log(
  JSON.stringify({
    preview: { dryRun: preview.dry_run, status: preview.status, left },
    payout: { id: payout.id, status: payout.status, failure: payout.failure?.code ?? null, payee },
    payment: { capture: payment.capture, initiator: payment.initiator },
    told: paid && subjectOf(paid),
    list: { listed, before: before.data.length, hasMore: list.has_more },
    refused: { code: refused.error?.code, status: refused.response.status },
  }),
);
