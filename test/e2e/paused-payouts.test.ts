/** What an operator pauses is accepted and held as ever, and is neither reserved nor sent: row D of the golden scenarios. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Client, type Event, type List, type Payout, succeeded } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/until.ts';
import { pause, pausedOf, requireRail, resume } from '../../src/payouts/pauses/change-pause.ts';
import type { PauseScope } from '../../src/payouts/pauses/pause.ts';
import { RecentPauses } from '../../src/payouts/pauses/recent-pauses.ts';
import { newId, publicId } from '../../src/values/ids.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type OrganisationKeys, type Product, startProduct } from '../support/product.ts';

let product: Product;
let client: Client;
let keys: OrganisationKeys;
let account: string;
let inForce: [PauseScope, string | undefined][] = [];

beforeAll(async () => {
  product = await startProduct({
    backend: 'postgres',
    environment: { RATE_LIMIT_WRITES_PER_SECOND: '10000', RATE_LIMIT_READS_PER_SECOND: '10000' },
  });
});
afterAll(() => product?.close());
beforeEach(async () => {
  ({ client, keys } = await product.organisation());
  account = (await client.openAccount({ funds: 100_000_000 })).id;
});
afterEach(async () => {
  for (const [scope, name] of inForce) await resumed(scope, name);
});

const by = () => ({ pausedBy: 'operator:test', now: Date.now() });

/**
 * Pauses, and the process obeys: at once, as it is made to read the pauses, or as it does by itself. Answers with how many payouts wait that were
 * made to see whether it does.
 */
async function paused(scope: PauseScope, name?: string, obeys: 'at once' | 'by itself' = 'at once'): Promise<number> {
  const { pool } = product.runtime;
  expect(await pause(pool, await pausedOf(pool, scope, name), by())).toBe(true);
  inForce.push([scope, name]);
  if (obeys === 'by itself') return untilObeyed();
  // What it read before may be a second old.
  await product.runtime.pauses.readAgain();
  return 0;
}

/** What was made before it obeyed is paid, or was reserved by then and waits. Answers with how many wait. */
async function untilObeyed(): Promise<number> {
  let waiting = 0;
  await until(
    async () => {
      const { id } = await client.pay({ account, amount: 100 });
      const { status } = await client.payoutUntil(
        id,
        ({ status: now, waiting_on: waitsOn }) => now === 'paid' || waitsOn === 'paused',
      );
      if (status === 'pending') succeeded(await client.post(`/v1/payouts/${id}/cancel`));
      if (status === 'processing') waiting += 1;
      return status;
    },
    (status) => status === 'pending',
  );
  return waiting;
}

async function resumed(scope: PauseScope, name?: string): Promise<number | undefined> {
  const { pool } = product.runtime;
  inForce = inForce.filter((one) => one[0] !== scope || one[1] !== name);
  return resume(pool, await pausedOf(pool, scope, name), Date.now());
}

const held = async () => (await client.read<{ held: number }>(`/v1/accounts/${account}/balance`)).held;

test('D1: a payout on a paused rail is held and waits, and is canceled without a word to the rail', async () => {
  await paused('rail', 'sandbox');
  const payout = await client.pay({ account, amount: 5_124 });
  expect(payout.status).toBe('pending');
  const { data: rails } = await client.read<List<object>>('/v1/rails');
  expect(rails).toContainEqual(
    expect.objectContaining({ name: 'sandbox', available: false, unavailable_reason: 'paused' }),
  );
  await client.payoutUntil(payout.id, ({ waiting_on: waitsOn }) => waitsOn === 'paused');
  expect(await held()).toBe(5_150);
  const canceled = succeeded(await client.post<Payout>(`/v1/payouts/${payout.id}/cancel`));
  expect(canceled).toMatchObject({ status: 'canceled', waiting_on: 'nobody' });
  expect(await held()).toBe(0);
  const { data } = await client.read<List<Event>>(`/v1/events?object=${payout.id}`);
  expect(data.map(({ type }) => type)).toEqual(['payout.canceled', 'payout.created']);
  const inquiry = await product.runtime.rails.sandbox.inquire(keys.testBookId, payout.end_to_end_id);
  expect(inquiry.status).toBe('not_found');
});

test('D2: what is at the rail ends as it says; what is not waits, and goes on after the pause', async () => {
  const atRail = await Promise.all(
    Array.from({ length: 20 }, () =>
      client.pay({ account, amount: 100, destination: { type: 'cliq', alias: 'PENDING' } }),
    ),
  );
  for (const { id } of atRail) await client.payoutUntil(id, ({ sent_at: sentAt }) => sentAt !== null);
  await until(async () =>
    (
      await Promise.all(
        atRail.map(({ end_to_end_id: id }) => product.runtime.rails.sandbox.inquire(keys.testBookId, id)),
      )
    ).every(({ status }) => status === 'pending'),
  );
  const probes = await paused('book', publicId('book', keys.testBookId), 'by itself');
  const waiting = await Promise.all(Array.from({ length: 30 }, () => client.pay({ account, amount: 200 })));
  for (const { id } of waiting) await client.payoutUntil(id, ({ waiting_on: waitsOn }) => waitsOn === 'paused');
  for (const { id } of atRail) succeeded(await client.post(`/v1/simulations/payouts/${id}/complete`));
  for (const { id } of atRail) await client.payoutUntil(id, 'paid');
  for (const { end_to_end_id: id } of waiting)
    expect((await product.runtime.rails.sandbox.inquire(keys.testBookId, id)).status).toBe('not_found');
  expect(await resumed('book', publicId('book', keys.testBookId))).toBe(waiting.length + probes);
  for (const { id } of waiting) await client.payoutUntil(id, 'paid');
  await expectInvariants(product);
});

test('D2: pauses are read again once the reading is a second old: with the way to the rail, obeyed within two', async () => {
  const { pool } = product.runtime;
  let now = 0;
  const recent = new RecentPauses(pool, () => now);
  expect(await recent.read()).toEqual([]);
  await paused('rail', 'sandbox');
  now = 999;
  expect(await recent.read()).toEqual([]);
  now = 1_000;
  expect(await recent.read()).toMatchObject([{ scope: 'rail', name: 'sandbox' }]);
});

test('a pause of an organisation, and of all, keeps transfers within the book back too', async () => {
  const target = (await client.openAccount({ funds: 0 })).id;
  const transfer = () => client.pay({ account, amount: 100, destination: { type: 'account', account: target } });
  await paused('organisation', keys.name);
  await paused('all');
  const first = await transfer();
  await client.payoutUntil(first.id, ({ waiting_on: waitsOn }) => waitsOn === 'paused');
  const other = (await product.organisation()).client;
  const elsewhere = await other.pay({ account: (await other.openAccount()).id, amount: 100 });
  await other.payoutUntil(elsewhere.id, ({ waiting_on: waitsOn }) => waitsOn === 'paused');
  await resumed('all');
  await other.payoutUntil(elsewhere.id, 'paid');
  expect((await client.payout(first.id)).status).toBe('pending');
  await resumed('organisation', keys.name);
  await client.payoutUntil(first.id, 'paid');
});

test('what does not exist is not paused, and what is not paused is not resumed', async () => {
  const { pool } = product.runtime;
  await expect(pausedOf(pool, 'book', publicId('book', newId()))).rejects.toThrow('There is no book');
  await expect(pausedOf(pool, 'organisation', 'Nobody at all')).rejects.toThrow('There is no organisation');
  await expect(pausedOf(pool, 'rail', 'No Rail')).rejects.toThrow('no name of a rail');
  await expect(pausedOf(pool, 'all', 'sandbox')).rejects.toThrow('takes no name');
  const rails = ['book', 'sandbox'];
  expect(() => requireRail({ scope: 'rail', name: 'sandbocks' }, rails)).toThrow('no rail sandbocks. Known here: book');
  expect(() => requireRail({ scope: 'rail', name: 'sandbox' }, rails)).not.toThrow();
  expect(await resume(pool, { scope: 'rail', name: 'sandbox' }, Date.now())).toBeUndefined();
});
