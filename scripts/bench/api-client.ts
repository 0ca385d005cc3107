/** The setup of an integrator before the first payout or payment, over the API itself. */
import { randomUUID } from 'node:crypto';
import { CURRENCY } from './book.ts';

/** Funds for any number of payouts of these benches. */
const FUNDS = 1_000_000_000_000;
const PAYOUT_AMOUNT = 5_124;
const PAYMENT_AMOUNT = 12_345;

export interface ApiClient {
  readonly url: string;
  readonly key: string;
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  patch<Answer>(path: string, body: unknown): Promise<Answer>;
}

export function createApiClient(url: string, key: string): ApiClient {
  async function send(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ) {
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
    return JSON.parse(text);
  }
  return {
    url,
    key,
    get: (path) => send('GET', path),
    post: (path, body, headers) => send('POST', path, { body, headers }),
    patch: (path, body) => send('PATCH', path, { body }),
  };
}

/** Opens accounts with ample funds. Resolves to their public ids. */
export async function openFundedAccounts(api: ApiClient, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { id } = await api.post<{ id: string }>('/v1/accounts', {
        currency: CURRENCY,
        name: `Account ${index + 1}`,
      });
      await api.post('/v1/simulations/inbound_transfers', { account: id, amount: FUNDS, currency: CURRENCY });
      return id;
    }),
  );
}

/** A payout as an integrator's system sends it: to an alias that pays at once, with an external id. */
export function payoutRequest(account: string) {
  return {
    amount: PAYOUT_AMOUNT,
    currency: CURRENCY,
    account,
    destination: { type: 'cliq', alias: 'SHOP1' },
    external_id: 'invoice-2024-000017',
  };
}

/** A payment as a shop's system sends it: by a card that is approved, and captured at once. */
export function paymentRequest(account: string) {
  return {
    amount: PAYMENT_AMOUNT,
    currency: CURRENCY,
    account,
    source: { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
    external_id: 'order-2024-000017',
  };
}
