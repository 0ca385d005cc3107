/** Payouts over the contract: what is sent, delivered, listed and answered again is the same, in whatever form it is kept. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client, Endpoint, List, Payout } from '../../scripts/harness/client.ts';
import { pathOf, type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { until } from '../../scripts/harness/until.ts';
import { migrate } from '../../src/db/migrate.ts';
import { RIGHTS } from '../../src/groups.ts';
import { createLogger } from '../../src/process/log.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';

let product: Product;
let receiver: Receiver;
let client: Client;
let endpoint: Endpoint;
let account: string;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', earlierForms: '0.3.0' });
  receiver = await startReceiver();
  ({ client } = await product.organisation());
  endpoint = await receiver.subscribe(client);
  account = (await client.openAccount()).id;
});
afterAll(async () => {
  await product?.close();
  await receiver?.close();
});

/** One that is paid, and is sent back in full. */
async function payAndReturn(idempotencyKey: string) {
  const body = { description: 'rent "é"', metadata: { zeta: '1', a: '2' }, external_id: 'invoice "7"' };
  const first = await client.requestPayout({ account, idempotencyKey, body });
  const { id } = await client.payoutUntil(first.body.id, 'paid');
  await client.post(`/v1/simulations/payouts/${id}/return`, { amount: first.body.amount });
  await client.payoutUntil(id, 'returned');
  await receiver.event(pathOf(endpoint), 'payout.returned', id);
  const again = await client.requestPayout({ account, idempotencyKey, body });
  const events = await client.read<List<{ id: string; type: string }>>(`/v1/events?object=${id}`);
  const texts = await Promise.all(events.data.map(async (event) => (await client.get(`/v1/events/${event.id}`)).text));
  return { id, first, again, events: events.data, texts };
}

/** Names in place of what differs from payout to payout. */
const withoutIds = (text: string) =>
  text
    .replace(/"[a-z]+_[0-9a-z]{26}"/g, '"id"')
    .replace(/"\d{4}-[^"]*Z"/g, '"time"')
    .replace(/"(hash|end_to_end_id|rail_reference)":"[^"]*"/g, '"$1":"…"')
    .replace(/"(sequence|balance_after)":-?\d+/g, '"$1":0');

test('events and answers are the same to the byte after the contract, and everything holds', async () => {
  const before = await payAndReturn('before');
  await migrate({
    rights: RIGHTS,
    ...product.database,
    log: createLogger('silent', 'test'),
    contract: { watchMs: 0 },
  });
  await until(() => product.runtime.forms.eventsDerived);
  const after = await payAndReturn('after');

  expect(after.events.map(({ type }) => type)).toEqual(before.events.map(({ type }) => type));
  const told = (texts: readonly string[]) => texts.map(withoutIds).slice(1);
  // The first of the list tells of the return, whose entry is its own from the contract on (test/e2e/returns.test.ts).
  expect(told(after.texts)).toEqual(told(before.texts));
  for (const { first, again } of [before, after]) {
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.text).toBe(first.text);
  }
  for (const { events, texts } of [before, after])
    for (const [at, { id }] of events.entries())
      expect(receiver.at(pathOf(endpoint)).find((received) => received.id === id)?.body).toBe(texts[at]);
  expect(await client.read<Payout>(`/v1/payouts/${after.id}`)).toMatchObject({ journal_entries: { length: 2 } });
  await expectInvariants({ ...product, receiver, endpoints: [endpoint] });
});
