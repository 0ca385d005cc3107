/** No card number, and no link to a page, is in a row, in Redis or in a log: processes of their own, that log all they can. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from '../../scripts/harness/client.ts';
import { tablesContaining } from '../../scripts/harness/database-store.ts';
import { type ProductProcess, startProcess } from '../../scripts/harness/processes.ts';
import { payerOf } from '../support/payer.ts';
import { ALL_POOLS, lookInto, type Product, startProduct, testEnvironment } from '../support/product.ts';
import { describeWithRedis } from '../support/redis.ts';

const PUBLIC_URL = 'https://pay.example';
const NUMBERS = ['4242424242424242', '4000000000009987', '4000002500003155', '4111111111111111'];

describeWithRedis('what is kept of a checkout', () => {
  let product: Product;
  let processes: ProductProcess[] = [];
  let client: Client;

  beforeAll(async () => {
    product = await startProduct({ backend: 'redis', pools: [] });
    const { keys } = await product.organisation();
    const environment = testEnvironment(product.database, product.redis, { LOG_LEVEL: 'trace', PUBLIC_URL });
    processes = await Promise.all([
      startProcess('api', environment),
      startProcess([...ALL_POOLS, 'payments'], environment),
    ]);
    client = new Client(processes[0]!.url, keys.testKey);
    await client.openAccount();
  });

  afterAll(async () => {
    await client?.close();
    await Promise.all(processes.map((one) => one.terminate()));
    await product?.close();
  });

  test('is neither a number nor a link', async () => {
    const redis = product.redis!.client();
    const monitor = await redis.monitor();
    const commands: string[] = [];
    monitor.on('monitor', (_time: string, words: string[]) => commands.push(words.join(' ')));

    // biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
    const { body: payment } = await client.post<any>('/v1/payments', {
      amount: 25_000,
      currency: 'JOD',
      source: { type: 'checkout' },
    });
    const { url } = payment.next_action;
    const payer = payerOf(processes[0]!.url, { publicUrl: PUBLIC_URL, address: '198.51.100.1' });
    const card = (number: string) => ({ number, expiry: '12 / 34', cvc: '123' });
    let page = await payer.open(url);
    for (const number of ['4111111111111111', '4000000000009987', '4000002500003155'])
      page = await payer.submit(page, card(number));
    page = await payer.submit(page, { result: 'fail' });
    page = await payer.submit(page, card('4242424242424242'));
    expect(page.text).toContain('Payment received');
    // Paths that no route has are logged as they are.
    for (const path of [`${url}/`, url.replace('chk_', '%63hk_'), url.replace('/checkout/', '/Checkout/')])
      await payer.open(path);
    await payer.open(`${PUBLIC_URL}/checkout/${NUMBERS[0]}`);

    const token = url.split('/').at(-1);
    const challenges = `${PUBLIC_URL}/sandbox/challenges/`;
    const behind = lookInto(product.database);
    expect(await tablesContaining(behind, [...NUMBERS, token])).toEqual([]);
    await behind.end();
    monitor.disconnect();
    expect(commands.length).toBeGreaterThan(0);
    await Promise.all(processes.map((one) => one.terminate()));
    const logs = processes.map(({ everything }) => everything).join('\n');
    processes = [];
    expect(logs).toContain('"path":"/checkout/:token"');
    expect(logs).toContain('/Checkout/chk_[redacted]');
    for (const secret of [...NUMBERS, token, token.slice(4, 24), challenges]) {
      expect(logs).not.toContain(secret);
      expect(commands.filter((command) => command.includes(secret))).toEqual([]);
    }
  });
});
