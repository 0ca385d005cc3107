/**
 * The wire, recorded: every route with its answers, and every webhook, as they stand in transcript/. A change of the inside
 * changes no byte of it; a change of the interface is looked at line by line there, and stands in the changelog.
 * The examples of the OpenAPI document come from the same calls (src/http/reference/examples/). Each group has its scenes in
 * transcript/groups/.
 * `npx vitest run test/e2e/transcript.test.ts -u` records both anew.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../../scripts/gateway/server.ts';
import { type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { until } from '../../scripts/harness/until.ts';
import { TAGS } from '../../src/api/route.ts';
import { migrate } from '../../src/db/migrate.ts';
import { RIGHTS } from '../../src/groups.ts';
import { exampleFileOf } from '../../src/http/reference/openapi-examples.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { createLogger } from '../../src/process/log.ts';
import { newSecret } from '../../src/values/standard-webhooks.ts';
import { PROCESSOR_NAME } from '../support/gateway.ts';
import { type Product, startProduct } from '../support/product.ts';
import { ExampleCollection } from './transcript/exchanges.ts';
import type { Stage } from './transcript/groups/group.ts';
import { GROUPS_ON_WIRE } from './transcript/groups/groups.ts';
import { Transcript } from './transcript/transcript.ts';

const heard = new Map<string, Set<number>>();
const examples = new ExampleCollection();
let gateway: Gateway;
let product: Product;
let receiver: Receiver;

const DAY_MS = 86_400_000;
const MIDNIGHT_MS = 5 * 60_000;

beforeAll(async () => {
  // The examples count whole days: no scene begins on one day and ends on the next.
  await until(() => DAY_MS - (Date.now() % DAY_MS) > MIDNIGHT_MS, Boolean, { timeoutMs: 2 * MIDNIGHT_MS });
}, 3 * MIDNIGHT_MS);

beforeAll(async () => {
  // Live cards have a processor, whose pages show what is shown of them; nothing else is configured for live mode.
  const secret = newSecret();
  gateway = await startGateway({ secrets: [secret] });
  const environment = {
    PROCESSOR_HTTP_NAME: PROCESSOR_NAME,
    PROCESSOR_HTTP_URL: gateway.url,
    PROCESSOR_HTTP_SECRETS: secret,
  };
  product = await startContracted(environment);
  receiver = await startReceiver();
});
afterAll(async () => {
  await product?.close();
  await gateway?.close();
  await receiver?.close();
});

/** As `npm start` leaves a new installation: in the forms of this release. */
async function startContracted(environment: Record<string, string> = {}): Promise<Product> {
  const started = await startProduct({ backend: 'postgres', environment });
  await migrate({ rights: RIGHTS, ...started.database, log: createLogger('silent', 'test'), contract: { watchMs: 0 } });
  await started.runtime.readInstallation();
  return started;
}

/** A book of its own for a file of the transcript. */
async function stageIn(product: Product): Promise<Stage> {
  const { keys } = await product.organisation();
  const wire = new Transcript(product.baseUrl, keys.testKey, heard);
  const openAccount = (body: object = {}) =>
    wire.call('An account', 'POST', '/v1/accounts', { body: { currency: 'JOD', name: 'Operating account', ...body } });
  const fund = (account: string, amount = 1_000_000) =>
    wire.call('Money arrives', 'POST', '/v1/simulations/inbound_transfers', {
      body: { account, amount, currency: 'JOD', description: 'Opening' },
    });
  return { product, receiver, keys, wire, openAccount, fund };
}

const recordedExample = (file: string, value: unknown) =>
  expect(`${JSON.stringify(value, null, 1)}\n`).toMatchFileSnapshot(`../../src/http/reference/examples/${file}`);

test.each(GROUPS_ON_WIRE.flatMap(({ scenes }) => scenes))('$file', async ({ file, play, examplesOnly, alone }) => {
  const own = alone ? await startContracted() : undefined;
  try {
    const began = Date.now();
    const played = await stageIn(own ?? product);
    await play(played);
    const { exchanges, events } = await played.wire.forExamples(file, began);
    for (const exchange of exchanges) examples.add(exchange);
    for (const event of events) examples.addEvent(event);
    if (!examplesOnly) await expect(played.wire.text()).toMatchFileSnapshot(`transcript/${file}.txt`);
  } finally {
    await own?.close();
  }
});

test('every operation has been heard with a success', () => {
  const silent = ROUTES.filter(({ operation }) => ![...(heard.get(operation) ?? [])].some((status) => status < 300));
  expect(silent.map(({ operation }) => operation)).toEqual([]);
});

test.each(Object.keys(TAGS))('the examples of %s are those of the document', async (group) => {
  await recordedExample(exampleFileOf(group), examples.of(ROUTES.filter(({ tag }) => tag === group)));
});

test('the examples of events are those of the document', async () => {
  await recordedExample('events.json', examples.events());
});
