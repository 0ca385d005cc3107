/** Calls to a party belong to a book, and who has no key causes as good as none (docs/decisions/outside.md, docs/decisions/checkout.md). */
import { request as send } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Client, succeeded, until } from '../../scripts/harness/client.ts';
import { publicId } from '../../src/values/ids.ts';
import { type GatewayProduct, startWithGateway } from '../support/gateway.ts';
import { HeldSecond } from '../support/held-second.ts';
import { expectInvariants } from '../support/invariants.ts';
import { payerOf } from '../support/payer.ts';

const PUBLIC_URL = 'https://pay.example';
const APPROVED = '4242424242424242';

// biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
type Shown = any;
interface Merchant {
  readonly live: Client;
  readonly client: Client;
  readonly originator: string;
}

const second = new HeldSecond();
let started: GatewayProduct;
/** Calls that the gateway has heard. */
let heard: { call: string; merchant: string }[];

beforeAll(async () => {
  const environment = { PUBLIC_URL, TRUSTED_PROXIES: 'loopback' };
  started = await startWithGateway({ environment, api: { limiter: second.limiter } });
});
afterEach(() => {
  started.gateway.delayOf = () => undefined;
  started.gateway.faultOf = () => undefined;
});
afterAll(async () => {
  await expectInvariants(started.product);
  await started.close();
});

async function merchant(): Promise<Merchant> {
  const { client, live, keys } = await started.product.organisation();
  await live.openAccount({ funds: 0 });
  return { client, live, originator: publicId('book', keys.liveBookId) };
}

/** The gateway keeps calls of this name back until they are let go, of one merchant where it is named. */
function listen(held: { call: string; merchant?: string } = { call: 'none' }): { letGo: () => void } {
  heard = [];
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  started.gateway.delayOf = (call, body) => {
    const { merchant: by } = JSON.parse(body) as { merchant: string };
    heard.push({ call, merchant: by });
    return call === held.call && (held.merchant ?? by) === by ? gate : undefined;
  };
  return { letGo };
}
const callsOf = (name: string, of?: { originator: string }) =>
  heard.filter(({ call, merchant: by }) => call === name && (of?.originator ?? by) === by);

const acquirerToken = (originator: string) =>
  started.gateway.rules.records.keepCard(
    { number: APPROVED, expMonth: 12, expYear: 2034, hasCode: false },
    { originator, reusable: true },
  )!.token;
const keep = ({ live, originator }: Merchant) =>
  live.post<Shown>('/v1/payments/tokens', {
    acquirer_token: acquirerToken(originator),
    customer_reference: 'customer-1',
  });

describe('a flood of one book at a slow gateway', () => {
  test("takes half of the gateway's slots, is refused beyond its places to wait, and delays no other book", async () => {
    const [busy, quiet] = [await merchant(), await merchant()];
    const { letGo } = listen({ call: 'card', merchant: busy.originator });
    let answered = 0;
    const flood = Array.from({ length: 100 }, () => keep(busy).finally(() => answered++));
    // Of 64 slots it has 32, and as many places to wait.
    await until(
      async () => ({ answered, called: callsOf('card').length }),
      (seen) => seen.answered === 36 && seen.called === 32,
    );
    const token = succeeded(await keep(quiet));
    const source = { type: 'token', token: token.id, cvc: '123' };
    const paid = await quiet.live.post<Shown>('/v1/payments', { amount: 1_000, currency: 'JOD', source });
    expect(paid).toMatchObject({ status: 201, body: { status: 'captured' } });
    letGo();
    const answers = await Promise.all(flood);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(64);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(36);
    for (const { status, headers, body } of refused) {
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(body).toMatchObject({ code: 'service_unavailable', retryable: true });
    }
    expect(callsOf('card', busy)).toHaveLength(64);
    expect(succeeded(await keep(busy))).toMatchObject({ status: 'active' });
  });
});

describe('inquiries that never end', () => {
  test('hold up neither tokens of their own book, nor its payers, nor its new payments', async () => {
    const busy = await merchant();
    const token = succeeded(await keep(busy));
    const payment = { amount: 1_000, currency: 'JOD', source: { type: 'token', token: token.id, cvc: '123' } };
    const checkout = succeeded(
      await busy.live.post<Shown>('/v1/payments', { ...payment, source: { type: 'checkout' } }),
    );
    const { letGo } = listen({ call: 'inquire' });
    started.gateway.faultOf = (call) => (call === 'submit' ? 'unanswered' : undefined);
    const headers = { prefer: 'respond-async' };
    const waiting = Array.from({ length: 100 }, () => busy.live.post<Shown>('/v1/payments', payment, { headers }));
    for (const answer of await Promise.all(waiting)) succeeded(answer);
    // Half of the slots that jobs may take: 56 of 64.
    await until(
      async () => callsOf('inquire', busy).length,
      (calls) => calls >= 28,
    );
    started.gateway.faultOf = () => undefined;
    expect(await keep(busy)).toMatchObject({ status: 201 });
    const payer = payerOf(started.product.baseUrl, { publicUrl: PUBLIC_URL, address: '198.51.100.8' });
    await payer.open(checkout.next_action.url);
    const paid = await busy.live.post<Shown>('/v1/payments', payment);
    expect(paid).toMatchObject({ status: 201, body: { status: 'captured' } });
    letGo();
  });
});

describe('a link', () => {
  /** A payer has left for the acquirer's page. */
  async function left() {
    const { live, originator } = await merchant();
    const source = { type: 'checkout' };
    const payment = succeeded(await live.post<Shown>('/v1/payments', { amount: 1_000, currency: 'JOD', source }));
    const { url } = payment.next_action;
    const payer = payerOf(started.product.baseUrl, { publicUrl: PUBLIC_URL, address: '198.51.100.7' });
    await payer.submit(await payer.open(url), {});
    return { originator, path: `${new URL(url).pathname}?returned=1` };
  }
  const open = async (path: string, address: string): Promise<number> => {
    const headers = { 'x-forwarded-for': address };
    const answer = await send(`${started.product.baseUrl}${path}`, { headers });
    await answer.body.dump();
    return answer.statusCode;
  };

  test('of a payer who is back causes one inquiry at a time', async () => {
    const { originator, path } = await left();
    const { letGo } = listen({ call: 'inquire', merchant: originator });
    const opened = Array.from({ length: 16 }, (_, at) => open(path, `203.0.113.${at + 1}`));
    await until(
      async () => callsOf('inquire', { originator }).length,
      (calls) => calls > 0,
    );
    // The first one is not answered yet.
    expect(callsOf('inquire', { originator })).toHaveLength(1);
    letGo();
    expect(await Promise.all(opened)).toEqual(opened.map(() => 200));
  });

  test('is opened so often a second, from however many networks, and however it is spelt', async () => {
    const { path } = await left();
    const spelt = path.replace('chk_', 'chk%5F').replace('?returned=1', '');
    const ninety = () =>
      Promise.all(
        Array.from({ length: 90 }, (_, at) => open(at % 2 ? spelt : path.split('?')[0]!, `203.0.113.${at + 1}`)),
      );
    const opened = await second.during(ninety);
    expect(new Set(opened)).toEqual(new Set([200, 429]));
  });

  test.each([
    ['an IPv6 network', (at: number) => `2001:db8:7:7:${at.toString(16)}::1`, true],
    ['IPv6 networks', (at: number) => `2001:db8:8:${at.toString(16)}::1`, false],
    // They may be all payers of a gateway.
    ['clients whom a proxy leaves unnamed', () => 'unknown', false],
  ])('among many is limited by %s', async (_, addressOf, isLimited) => {
    const links = Array.from({ length: 130 }, (_value, at) => `/checkout/chk_${String(at).padStart(43, 'x')}`);
    const opening = () => Promise.all(links.map((path, at) => open(path, addressOf(at))));
    const opened = await second.during(opening);
    expect(opened.includes(429)).toBe(isLimited);
    expect(opened.includes(404)).toBe(true);
  });
});
