/** How often a link of a payment is opened, and how often its opening asks the gateway (calls-of-books.test.ts), by the clock. */
import { request as send } from 'undici';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { succeeded, until } from '../../scripts/harness/client.ts';
import { type GatewayProduct, startWithGateway } from '../support/gateway.ts';
import { payerOf } from '../support/payer.ts';

const PUBLIC_URL = 'https://pay.example';

// biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
type Shown = any;

let started: GatewayProduct;

beforeAll(async () => {
  started = await startWithGateway({ environment: { PUBLIC_URL, TRUSTED_PROXIES: 'loopback' } });
});
afterEach(() => {
  started.gateway.delayOf = () => undefined;
});
afterAll(() => started?.close());

/** A payer has left for the acquirer's page. */
async function left() {
  const { live } = await started.product.organisation();
  await live.openAccount({ funds: 0 });
  const source = { type: 'checkout' };
  const payment = succeeded(await live.post<Shown>('/v1/payments', { amount: 1_000, currency: 'JOD', source }));
  const { url } = payment.next_action;
  const payer = payerOf(started.product.baseUrl, { publicUrl: PUBLIC_URL, address: '198.51.100.7' });
  await payer.submit(await payer.open(url), {});
  return { live, payment, path: `${new URL(url).pathname}?returned=1` };
}
const open = async (path: string, address: string): Promise<number> => {
  const headers = { 'x-forwarded-for': address };
  const answer = await send(`${started.product.baseUrl}${path}`, { headers });
  await answer.body.dump();
  return answer.statusCode;
};

test('a link of a payer who is back causes one inquiry at a time, and none within seconds of the last', async () => {
  const { path } = await left();
  const heard: number[] = [];
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  started.gateway.delayOf = (call) => {
    if (call !== 'inquire') return undefined;
    heard.push(performance.now());
    return gate;
  };
  const opened = Array.from({ length: 16 }, (_, at) => open(path, `203.0.113.${at + 1}`));
  await until(
    async () => heard.length,
    (calls) => calls > 0,
  );
  letGo();
  expect(await Promise.all(opened)).toEqual(opened.map(() => 200));
  // Who comes too soon is answered by the next one, which they share.
  await Promise.all([open(path, '203.0.113.200'), open(path, '203.0.113.201')]);
  expect(heard.length).toBeGreaterThan(1);
  expect(heard.length).toBeLessThanOrEqual(3);
  for (const [before, at] of heard.entries()) expect((heard[before + 1] ?? Infinity) - at).toBeGreaterThan(2_900);
});

test('a link is opened so often a second, from however many networks, and however it is spelt', async () => {
  const { path } = await left();
  const spelt = path.replace('chk_', 'chk%5F').replace('?returned=1', '');
  // Coming here has taken some of its second.
  const came = performance.now();
  await until(() => performance.now() - came > 1_000);
  const opened = await Promise.all(
    Array.from({ length: 90 }, (_, at) => open(at % 2 ? spelt : path.split('?')[0]!, `203.0.113.${at + 1}`)),
  );
  const allowed = opened.filter((status) => status === 200).length;
  // The second may have turned meanwhile.
  expect(allowed).toBeGreaterThanOrEqual(30);
  expect(allowed).toBeLessThanOrEqual(60);
  expect(opened.filter((status) => status === 429)).toHaveLength(90 - allowed);
});
