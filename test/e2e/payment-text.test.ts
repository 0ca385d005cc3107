/**
 * Personal text of payments over the whole product: a marker in every member that takes text, of the payment and of what belongs to
 * it. After the contract nothing that is kept for good holds one, and after the erasure nothing at all does.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, type Event, type List, succeeded, until } from '../../scripts/harness/client.ts';
import { tablesContaining } from '../../scripts/harness/database-store.ts';
import { type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { migrate } from '../../src/db/migrate.ts';
import { assignException, explainException } from '../../src/exceptions/handle-exception.ts';
import { openOnce } from '../../src/exceptions/open-exception.ts';
import type { Finding } from '../../src/group/finding.ts';
import { GROUPS, RIGHTS } from '../../src/groups.ts';
import { createLogger } from '../../src/process/log.ts';
import { newId, parsePublicId, publicId } from '../../src/values/ids.ts';
import { verifyDatabase } from '../../src/verify/verify-database.ts';
import { eraseDirectly } from '../support/erase.ts';
import { lookInto, type OrganisationKeys, type Product, startProduct } from '../support/product.ts';

const FOR_LONG = /^public\.(events|idempotency_keys|webhook_attempts|rail_answers)$/;

let product: Product;
let keys: OrganisationKeys;
let client: Client;
let receiver: Receiver;
let account: string;
let behind: ReturnType<typeof lookInto>;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', earlierForms: '0.2.0' });
  ({ keys, client } = await product.organisation());
  account = (await client.openAccount()).id;
  receiver = await startReceiver();
  await receiver.subscribe(client, { events: ['*'] });
  behind = lookInto(product.database);
});
afterAll(async () => {
  await behind?.end();
  await receiver?.close();
  await product?.close();
});

// biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
type Shown = any;

interface Planted {
  payment: Shown;
  refund: Shown;
  dispute: Shown;
  stored: Shown;
  token: Shown;
  exception: string;
  replays: { first: string; again: () => Promise<{ text: string }> }[];
}

const card = { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };

async function plant(name: string): Promise<Planted> {
  const mark = (what: string) => `marker-${name}-${what}`;
  const url = (what: string) => `https://shop.example/back?customer=${mark(what)}`;
  const replays: Planted['replays'] = [];
  const post = async (path: string, body: object): Promise<Shown> => {
    const idempotencyKey = newId();
    const again = () => client.post<Shown>(path, body, { idempotencyKey });
    const first = await again();
    succeeded(first);
    replays.push({ first: first.text, again });
    return first.body;
  };
  const payment = await post('/v1/payments', {
    account,
    amount: 50_000,
    currency: 'JOD',
    source: card,
    store_for: mark('store-for'),
    statement_descriptor: mark('shop').slice(0, 22),
    return_url: url('return'),
    cancel_url: url('cancel'),
    description: mark('description'),
    metadata: { note: mark('metadata') },
    billing: { name: mark('billing'), email: `${mark('mail')}@shop.example` },
  });
  // Its events show it again and again, and what it was before.
  await client.patch(`/v1/payments/${payment.id}`, { description: mark('changed') });
  const refund = await post(`/v1/payments/${payment.id}/refunds`, { amount: 1_000, reason: mark('reason') });
  const dispute = await post('/v1/simulations/disputes', { payment: payment.id, reason: 'fraudulent', amount: 2_000 });
  await post(`/v1/payments/disputes/${dispute.id}/evidence`, { customer_communication: mark('evidence') });
  const token = await post('/v1/payments/tokens', {
    card: { ...card, type: undefined },
    customer_reference: mark('customer'),
  });
  const { stored_token: stored } = await client.read<Shown>(`/v1/payments/${payment.id}`);
  const exception = newId();
  const actor = { exceptionId: exception, requestId: newId(), actor: 'operator:ann' };
  const submit = (command: Parameters<typeof product.runtime.committer.submit>[1]) =>
    product.runtime.committer.submit(keys.testBookId, command);
  const resourceId = parsePublicId('refund', refund.id)!;
  await submit(
    openOnce({ id: exception, kind: 'notice_unreadable', resource: 'refund', resourceId, detail: 'An example.' }),
  );
  await submit(assignException({ ...actor, personId: newId() }));
  await submit(explainException({ ...actor, reason: mark('explanation') }));
  const told = () => client.read<List<Event>>('/v1/events?limit=100');
  await until(told, ({ data }) =>
    data.some(({ type, data: { object } }) => type === 'refund.succeeded' && object.id === refund.id),
  );
  return { payment, refund, dispute, stored, token, exception: publicId('exception', exception), replays };
}

const tablesWith = (marker: string) => tablesContaining(behind, [marker]);

async function findings(): Promise<Finding[]> {
  const found: Finding[] = [];
  await verifyDatabase(product.runtime.pool, { groups: GROUPS, onFinding: (finding) => void found.push(finding) });
  return found;
}

/** Events and answers after the erasure, and the objects themselves, show null where there was text. */
async function expectErased({ payment, refund, stored, token, dispute, exception, replays }: Planted): Promise<void> {
  expect(await client.read(`/v1/payments/${payment.id}`)).toMatchObject({
    status: 'captured',
    store_for: null,
    stored_token: stored,
    statement_descriptor: null,
    return_url: null,
    cancel_url: null,
    description: null,
    metadata: null,
  });
  expect(await client.read(`/v1/payments/refunds/${refund.id}`)).toMatchObject({ reason: null, amount: 1_000 });
  expect(await client.read(`/v1/payments/disputes/${dispute.id}`)).toMatchObject({ evidence: null });
  expect(await client.read(`/v1/exceptions/${exception}`)).toMatchObject({ reason: null });
  for (const id of [stored, token.id])
    expect(await client.read(`/v1/payments/tokens/${id}`)).toMatchObject({ customer_reference: null, reusable: true });
  for (const { again } of replays) expect((await again()).text).not.toContain('marker-');
  for (const path of [payment.id, `refunds/${refund.id}`, `disputes/${dispute.id}`])
    expect((await client.get(`/v1/payments/${path}/timeline`)).text).not.toContain('marker-');
}

test('what is erased of a payment is erased of all that belongs to it', async () => {
  const before = await plant('before');
  await migrate({ rights: RIGHTS, ...product.database, log: createLogger('silent', 'test'), contract: { watchMs: 0 } });
  await until(() => product.runtime.forms.textApart);
  const after = await plant('after');
  expect((await tablesWith('marker-after')).filter((table) => FOR_LONG.test(table))).toEqual([]);
  for (const { replays } of [before, after])
    for (const { again } of replays) expect((await again()).text).toContain('"id"');
  const { text: told } = await client.get<List<Event>>('/v1/events?limit=100');
  expect(told).toContain('marker-after-reason');
  expect(await findings()).toEqual([]);

  for (const planted of [before, after]) {
    expect(await eraseDirectly(product, planted.payment.id)).toEqual([]);
    expect(await eraseDirectly(product, planted.token.id)).toEqual([]);
    await expectErased(planted);
  }
  expect(await tablesWith('marker-')).toEqual([]);
  expect(await findings()).toEqual([]);
  const shown = await client.get<List<Event>>('/v1/events?limit=100');
  expect(shown.text).not.toContain('marker-');
  const erased = shown.body.data
    .filter(({ type }) => type === 'personal_data.erased')
    .map(({ data }) => data.object.id);
  const of = ({ payment, refund, dispute, stored, token, exception }: Planted) =>
    [payment.id, refund.id, dispute.id, stored, token.id, exception] as string[];
  expect(erased.sort()).toEqual([before, after].flatMap(of).sort());
  // A kept token still pays, and is still kept.
  const source = { type: 'token', token: after.stored };
  succeeded(
    await client.post('/v1/payments', { account, amount: 5_000, currency: 'JOD', source, initiator: 'merchant' }),
  );
  expect(await client.read(`/v1/payments/tokens/${after.stored}`)).toMatchObject({ status: 'active', reusable: true });
});

test('a refund and a transfer are erased by themselves', async () => {
  const payment = succeeded(
    await client.post<Shown>('/v1/payments', {
      account,
      amount: 9_000,
      currency: 'JOD',
      source: card,
      description: 'Stays',
    }),
  );
  const refund = succeeded(
    await client.post<Shown>(`/v1/payments/${payment.id}/refunds`, { amount: 1_000, reason: 'marker-alone' }),
  );
  const transfer = succeeded(
    await client.post<Shown>('/v1/simulations/inbound_transfers', {
      account,
      amount: 1_000,
      currency: 'JOD',
      description: 'marker-alone',
    }),
  );
  for (const { id } of [refund, transfer]) expect(await eraseDirectly(product, id)).toEqual([]);
  expect(await tablesWith('marker-alone')).toEqual([]);
  expect(await findings()).toEqual([]);
  expect(await client.read(`/v1/payments/${payment.id}`)).toMatchObject({ description: 'Stays' });
});
