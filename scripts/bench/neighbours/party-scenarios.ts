/** Neighbours whose work others would pay for: texts that cost, calls to a slow party, a payer's link, a payday, slow decisions. */
import { setTimeout as delay } from 'node:timers/promises';
import { paymentRequest, payoutRequest } from '../api-client.ts';
import { CURRENCY } from '../book.ts';
import { percentile } from '../statistics.ts';
import type { Scenario } from './scenarios.ts';
import type { HostileBook, World } from './world.ts';

const CONNECTIONS = 64;
/** Just below the limit of a key: 95 token requests a second. */
const TOKENS_PER_SECOND = 95;
/** Of a gateway that is slow and healthy. */
const GATEWAY_DELAY_MS = 1_500;
const PAGES_PER_SECOND = 50;
/** Of which each waits for an inquiry: hundreds within seconds. */
const PAYMENTS_PER_SECOND = 20;
/** Captures of a fresh book: its payday ran into a timeout of 15 s, again and again. */
const CAPTURES = 600;
const CAPTURED_AT_ONCE = 16;

/** Just below the limit of a key for writes, and as many connections as wait at once. */
const DECISIONS_PER_SECOND = 95;
const DECISION_CONNECTIONS = 200;

const CARD = { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' };

/** Digits that are not ASCII, four bytes each: a metadata value of a whole body, and one within a body of 100 kB. */
function mathematicalDigits(): Scenario {
  const body = (account: string, digits: number) =>
    JSON.stringify({ ...payoutRequest(account), metadata: { note: '\u{1d7d0}'.repeat(digits) } });
  return {
    name: 'mathematical_digits',
    async begin(world, seconds) {
      const { key, accounts } = await world.openHostileBook();
      const [account] = accounts as [string];
      await requests(world, key, {
        requests: [250_000, 24_000].map((digits) => ({
          method: 'POST',
          path: '/v1/payouts',
          body: body(account, digits),
        })),
        rates: [
          { perSecond: 6, seconds: seconds / 2 },
          { perSecond: 12, seconds: seconds / 2 },
        ],
      });
      return undefined;
    },
  };
}

/** One book requests tokens; a payment of another book at the same gateway takes as long as the gateway does. */
const tokenFlood: Scenario = {
  name: 'token_flood',
  gatewayDelayMs: GATEWAY_DELAY_MS,
  async begin(world) {
    const other = await world.openHostileBook();
    const { key } = await world.openHostileBook();
    const body = JSON.stringify({ card: CARD });
    await requests(world, key, {
      requests: [{ method: 'POST', path: '/v1/payments/tokens', body }],
      rates: [{ perSecond: TOKENS_PER_SECOND, seconds: 1 }],
    });
    return paymentsOf(other);
  },
};

/** One link of a payer who is back from the acquirer's page, opened again and again. */
const payersPage: Scenario = {
  name: 'payers_page',
  gatewayDelayMs: GATEWAY_DELAY_MS,
  async begin(world) {
    const other = await world.openHostileBook();
    const book = await world.openHostileBook();
    const { pathname } = new URL(await openChallenge(world, book));
    await requests(world, book.key, {
      requests: [{ method: 'GET', path: `${pathname}?returned=1` }],
      rates: [{ perSecond: PAGES_PER_SECOND, seconds: 1 }],
    });
    return paymentsOf(other);
  },
};

/** Payments whose outcome the gateway never reports: the tokens of the same book are answered as fast as the gateway answers them. */
const endlessInquiries: Scenario = {
  name: 'endless_inquiries',
  gatewayDelayMs: 0,
  gatewayIsSilent: true,
  async begin(world) {
    const book = await world.openHostileBook();
    await requests(world, book.key, {
      requests: [{ method: 'POST', path: '/v1/payments', body: JSON.stringify(paymentRequest(book.accounts[0]!)) }],
      rates: [{ perSecond: PAYMENTS_PER_SECOND, seconds: 1 }],
    });
    return timesOf(book, { what: 'token', path: '/v1/payments/tokens', body: { card: CARD } });
  },
};

const freshPayday: Scenario = {
  name: 'payday_of_a_fresh_book',
  async begin(world) {
    const { client, key, accounts } = await world.openHostileBook();
    const [account] = accounts as [string];
    for (let made = 0; made < CAPTURES; made += CAPTURED_AT_ONCE)
      await Promise.all(
        Array.from({ length: CAPTURED_AT_ONCE }, () => client.post('/v1/payments', paymentRequest(account))),
      );
    await requests(world, key, {
      requests: [{ method: 'POST', path: '/v1/simulations/acquirer_settlements', body: '{}' }],
      rates: [{ perSecond: 5, seconds: 1 }],
    });
    return undefined;
  },
};

/** A book whose decision endpoint takes nearly two seconds for each purchase: 64 wait for it, and the default applies to the others. */
const slowDecisions: Scenario = {
  name: 'slow_decisions',
  async begin(world) {
    const { client, key, accounts } = await world.openHostileBook();
    const port = await world.outside({ ask: 'listen', as: 'decidesLate', hosts: ['127.0.0.1'] });
    const decision = { url: `http://127.0.0.1:${port}/`, default: 'approve', timeout_ms: 2_000 };
    await client.patch('/v1/cards/program', { decision });
    const asked = { account: accounts[0], type: 'virtual', cardholder: { name: 'Ada Lovelace' } };
    const { id: card } = await client.post<{ id: string }>('/v1/cards', asked);
    const merchant = { id: 'M1', name: 'Corner Shop', city: 'Amman', country: 'JO', mcc: '5411' };
    const purchase = { card, amount: 100, currency: CURRENCY, merchant, entry_mode: 'chip' };
    await requests(world, key, {
      // References are filled in: each purchase is another.
      requests: [{ method: 'POST', path: '/v1/simulations/card_authorizations', body: JSON.stringify(purchase) }],
      rates: [{ perSecond: DECISIONS_PER_SECOND, seconds: 1 }],
      connections: DECISION_CONNECTIONS,
    });
    return async () => {
      const { data } = await client.get<{ data: { decision_source: string }[] }>('/v1/transactions?limit=100');
      const of = (decidedBy: string) => data.filter(({ decision_source }) => decision_source === decidedBy).length;
      const counted = { decided_by_endpoint: of('endpoint'), decided_by_default: of('default') };
      if (Object.values(counted).includes(0)) throw new Error(`Of its last purchases: ${JSON.stringify(counted)}`);
      return counted;
    };
  },
};

export const PARTY_SCENARIOS: readonly Scenario[] = [
  mathematicalDigits(),
  tokenFlood,
  payersPage,
  endlessInquiries,
  freshPayday,
  slowDecisions,
];

type Requests = Extract<Parameters<World['attack']>[0], { kind: 'requests' }>;

function requests(
  world: World,
  key: string,
  plan: Pick<Requests, 'requests' | 'rates'> & Partial<Pick<Requests, 'connections'>>,
): Promise<void> {
  return world.attack({ kind: 'requests', url: world.api.url, key, connections: CONNECTIONS, ...plan });
}

/** A payment whose payer has left for the gateway's page. Resolves to its link. */
async function openChallenge(world: World, { client }: HostileBook): Promise<string> {
  const asked = { amount: 12_345, currency: CURRENCY, source: { type: 'checkout' } };
  const payment = await client.post<{ id: string; next_action: { url: string } }>('/v1/payments', asked);
  const { url } = payment.next_action;
  const left = await fetch(new URL(new URL(url).pathname, world.api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'attempt=1',
    redirect: 'manual',
  });
  if (left.status !== 303) throw new Error(`The payer's form was answered with ${left.status}`);
  return url;
}

/** Makes payments of a book, one after the other. The function returned ends that; it throws if one failed. */
function paymentsOf(book: HostileBook): () => Promise<Record<string, number>> {
  return timesOf(book, { what: 'payment', path: '/v1/payments', body: paymentRequest(book.accounts[0]!) });
}

/** The same for any request. */
function timesOf(
  { client }: HostileBook,
  { what, path, body }: { what: string; path: string; body: object },
): () => Promise<Record<string, number>> {
  const times: number[] = [];
  const failures: string[] = [];
  let ended = false;
  const making = (async () => {
    while (!ended) {
      const began = performance.now();
      await client.post(path, body).catch((error: Error) => failures.push(error.message));
      times.push(performance.now() - began);
      await delay(100);
    }
  })();
  return async () => {
    ended = true;
    await making;
    if (failures.length > 0) throw new Error(`${failures.length} of ${times.length} ${what}s failed: ${failures[0]}`);
    return { [`${what}s`]: times.length, [`${what}_p99_ms`]: percentile(times, 99) };
  };
}
