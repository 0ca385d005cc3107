/**
 * The wire, recorded: every route with its answers, and every webhook, as they stand in transcript/. A change of the inside
 * changes no byte of it; a change of the interface is looked at line by line there, and stands in the changelog.
 * The examples of the OpenAPI document come from the same calls (src/http/examples/).
 * `npx vitest run test/e2e/transcript.test.ts -u` records both anew.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { until } from '../../scripts/harness/until.ts';
import { TAGS } from '../../src/api/route.ts';
import { migrate } from '../../src/db/migrate.ts';
import { RIGHTS } from '../../src/groups.ts';
import { exampleFileOf } from '../../src/http/openapi-examples.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { publicId } from '../../src/ids.ts';
import { createLogger } from '../../src/log.ts';
import { checkpointIn, newSigningKey } from '../support/checkpoints.ts';
import { eraseDirectly } from '../support/erase.ts';
import { addPersonOf } from '../support/people.ts';
import { type OrganisationKeys, type Product, startProduct } from '../support/product.ts';
import { ExampleCollection } from './transcript/exchanges.ts';
import { Transcript } from './transcript/transcript.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

interface Payout {
  id: string;
  status: string;
  next_inquiry_at: string | null;
}
interface Page {
  data: { id: string; status?: string }[];
  next_cursor: string;
}

const heard = new Map<string, Set<number>>();
const examples = new ExampleCollection();
let began: number;
let product: Product;
let receiver: Receiver;
let keys: OrganisationKeys;
let wire: Transcript;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres' });
  // As `npm start` leaves a new installation: in the forms of this release.
  await migrate({ rights: RIGHTS, ...product.database, log: createLogger('silent', 'test'), contract: { watchMs: 0 } });
  const { forms } = product.runtime;
  await until(() => forms.eventsDerived && forms.multiBookJobs);
  receiver = await startReceiver();
});
afterAll(async () => {
  await product?.close();
  await receiver?.close();
});

/** A book of its own for a file of the transcript. */
async function begin(): Promise<void> {
  began = Date.now();
  ({ keys } = await product.organisation());
  wire = new Transcript(product.baseUrl, keys.testKey, heard);
}

async function takeExamples(scene: string): Promise<void> {
  const { exchanges, events } = await wire.forExamples(scene, began);
  for (const exchange of exchanges) examples.add(exchange);
  for (const event of events) examples.addEvent(event);
}

async function recorded(name: string): Promise<void> {
  await takeExamples(name);
  await expect(wire.text()).toMatchFileSnapshot(`transcript/${name}.txt`);
}

const recordedExample = (file: string, value: unknown) =>
  expect(`${JSON.stringify(value, null, 1)}\n`).toMatchFileSnapshot(`../../src/http/examples/${file}`);

const openAccount = (body: object = {}) =>
  wire.call('An account', 'POST', '/v1/accounts', { body: { currency: 'JOD', name: 'Operating account', ...body } });

const fund = (account: string, amount = 1_000_000) =>
  wire.call('Money arrives', 'POST', '/v1/simulations/inbound_transfers', {
    body: { account, amount, currency: 'JOD', description: 'Opening' },
  });

const payoutWhen = (title: string, id: string, status: string) =>
  wire.callWhen<Payout>(title, `/v1/payouts/${id}`, (payout) => payout.status === status);
/** Under way, and the rail has said that it thinks about it: only then can it be told what became of it. */
const payoutSent = (title: string, id: string) =>
  wire.callWhen<Payout>(title, `/v1/payouts/${id}`, ({ next_inquiry_at: asked }) => asked !== null);

test('accounts', async () => {
  await begin();
  const { id } = await openAccount({ external_id: 'main', metadata: { team: 'ops' }, overdraft_limit: 5_000 });
  const other = await openAccount({ name: 'Second', currency: 'EUR' });
  await fund(id);
  await wire.call('No such currency, no name, an unknown member', 'POST', '/v1/accounts', {
    body: { currency: 'XXY', surplus: 1, metadata: { a: 1 } },
  });
  await wire.call('A float', 'POST', '/v1/accounts', {
    body: { currency: 'JOD', name: 'Float', overdraft_limit: 1.5 },
  });
  await wire.call('Beyond the ceiling', 'POST', '/v1/accounts', {
    body: { currency: 'JOD', name: 'Too far', overdraft_limit: 9_000_000_000_000_000 },
  });
  await wire.call('As it is', 'GET', `/v1/accounts/${id}`);
  await wire.call('Not there', 'GET', `/v1/accounts/${id.slice(0, -4)}0000`);
  await wire.call('Not an id', 'GET', '/v1/accounts/acct_1');
  await wire.call('A new name', 'PATCH', `/v1/accounts/${id}`, { body: { name: 'Operating', metadata: {} } });
  await wire.call('A version that is over', 'PATCH', `/v1/accounts/${id}`, {
    body: { name: 'Late' },
    headers: { 'if-match': '"1"' },
  });
  await wire.call('Nothing to change', 'PATCH', `/v1/accounts/${id}`, { body: {} });
  await wire.call('Balance', 'GET', `/v1/accounts/${id}/balance`);
  await wire.call('Balance of before', 'GET', `/v1/accounts/${id}/balance?at=2026-01-01T00:00:00Z`);
  await wire.call('Balance at no time', 'GET', `/v1/accounts/${id}/balance?at=yesterday`);
  await fund(id, 5);
  const lines = await wire.call<Page>('One line', 'GET', `/v1/accounts/${id}/entries?limit=1`);
  await wire.call('The next', 'GET', `/v1/accounts/${id}/entries?limit=1&starting_after=${lines.next_cursor}`);
  await wire.call('And back', 'GET', `/v1/accounts/${id}/entries?limit=1&ending_before=1`);
  await wire.call('Timeline', 'GET', `/v1/accounts/${id}/timeline`);
  await wire.call('Frozen', 'POST', `/v1/accounts/${id}/freeze`);
  await wire.call('Frozen again', 'POST', `/v1/accounts/${id}/freeze`);
  await wire.call('Unfrozen', 'POST', `/v1/accounts/${id}/unfreeze`);
  await wire.call('Closed, with money in it', 'POST', `/v1/accounts/${id}/close`);
  await wire.call('Closed', 'POST', `/v1/accounts/${other.id}/close`);
  await wire.call('All', 'GET', '/v1/accounts');
  await wire.call('One', 'GET', '/v1/accounts?limit=1');
  await wire.call('Behind it', 'GET', `/v1/accounts?limit=1&starting_after=${other.id}`);
  await wire.call('By status and currency', 'GET', '/v1/accounts?status=closed&currency=EUR');
  await wire.call('By external id', 'GET', '/v1/accounts?external_id=main');
  await wire.call('By metadata', 'GET', '/v1/accounts?metadata[team]=none');
  await wire.call(
    'By time',
    'GET',
    '/v1/accounts?created_at[gte]=2026-01-01T00:00:00Z&created_at[lt]=2026-01-02T00:00:00Z',
  );
  await wire.call('By what is unknown', 'GET', '/v1/accounts?state=open&limit=0&created_at[gte]=never');
  await recorded('accounts');
});

test('payouts', async () => {
  await begin();
  const { id: account } = await openAccount();
  const { id: second } = await openAccount({ name: 'Second' });
  await fund(account);
  const request = (title: string, body: object, call: object = {}, query = '') =>
    wire.call<Payout>(title, 'POST', `/v1/payouts${query}`, {
      body: { account, amount: 10_000, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' }, ...body },
      ...call,
    });

  await request('A dry run', {}, { idempotencyKey: null }, '?dry_run=true');
  const full = { description: 'Invoice 1041', external_id: 'inv-1041', metadata: { order: '77' } };
  const paid = await request('A payout', full, { idempotencyKey: 'first' });
  await payoutWhen('Paid', paid.id, 'paid');
  await request('The same key again', full, { idempotencyKey: 'first' });
  await request('The same key for something else', { amount: 2 }, { idempotencyKey: 'first' });
  await request('No key', {}, { idempotencyKey: null });
  const transfer = { destination: { type: 'account', account: second } };
  await request('A book transfer, waited for', transfer, { headers: { prefer: 'wait=10' } });
  const refused = await request('To an alias that nobody has', { destination: { type: 'cliq', alias: 'NOALIAS' } });
  await payoutWhen('Failed', refused.id, 'failed');
  const back = await request('One that comes back', { destination: { type: 'cliq', alias: 'RETURN' } });
  await payoutWhen('Returned', back.id, 'returned');
  await wire.call('What came back', 'GET', `/v1/payouts/${back.id}/returns`);
  const told = await wire.call<Page>('Timeline of it', 'GET', `/v1/payouts/${back.id}/timeline?limit=2`);
  await wire.call('The rest', 'GET', `/v1/payouts/${back.id}/timeline?starting_after=${told.next_cursor}`);
  const pending = await request('One that the rail thinks about', { destination: { type: 'cliq', alias: 'PENDING' } });
  await payoutSent('Under way', pending.id);
  await wire.call('Too late to cancel', 'POST', `/v1/payouts/${pending.id}/cancel`);
  await wire.call('Too early to return', 'POST', `/v1/simulations/payouts/${pending.id}/return`, { body: {} });
  await wire.call('Completed', 'POST', `/v1/simulations/payouts/${pending.id}/complete`);
  await wire.call('A part of it returned', 'POST', `/v1/simulations/payouts/${pending.id}/return`, {
    body: { amount: 1_000 },
  });
  await wire.call('More than there is', 'POST', `/v1/simulations/payouts/${pending.id}/return`, {
    body: { amount: 10_000 },
  });
  const failing = await request('Another', { destination: { type: 'cliq', alias: 'PENDING' } });
  await payoutSent('Under way too', failing.id);
  await wire.call('Failed', 'POST', `/v1/simulations/payouts/${failing.id}/fail`, {
    body: { code: 'payee_account_closed' },
  });

  await request('More than there is', { amount: 100_000_000 });
  await request('Nothing', { amount: 0 });
  await request('A float', { amount: 1.5 });
  await request('In another currency', { currency: 'EUR' });
  await request('From nowhere', { account: `${account.slice(0, -4)}0000` });
  await request('To itself', { destination: { type: 'account', account } });
  await request('Two faults', { amount: '5', destination: { type: 'post' } });
  await wire.call('Not JSON', 'POST', '/v1/payouts', { rawBody: '{"amount": 1,}' });
  await wire.call('Not there', 'GET', `/v1/payouts/${paid.id.slice(0, -4)}0000`);

  const page = await wire.call<Page>('A page', 'GET', '/v1/payouts?limit=2');
  await wire.call('The next', 'GET', `/v1/payouts?limit=2&starting_after=${page.next_cursor}`);
  await wire.call('By what they are', 'GET', '/v1/payouts?status=failed,returned');
  await wire.call('Of an account, by a list in brackets', 'GET', `/v1/payouts?account=${account}&status[]=returned`);
  await wire.call('By metadata and external id', 'GET', '/v1/payouts?metadata[order]=77&external_id=inv-1041');

  await wire.call('Another part of it returned', 'POST', `/v1/simulations/payouts/${pending.id}/return`, {
    body: { amount: 2_000 },
  });
  const returns = `/v1/payouts/${pending.id}/returns`;
  const parts = await wire.call<Page>('Its returns', 'GET', `${returns}?limit=1`);
  const [first] = (await wire.call<Page>('The next', 'GET', `${returns}?limit=1&starting_after=${parts.next_cursor}`))
    .data;
  await wire.call('One of them', 'GET', `${returns}/${first!.id}`);
  await wire.call('Not of this payout', 'GET', `/v1/payouts/${paid.id}/returns/${first!.id}`);
  await wire.call('No cursor of this list', 'GET', `/v1/payouts/${paid.id}/returns?starting_after=${first!.id}`);
  await recorded('payouts');
});

test('a payout that nobody takes up', async () => {
  await begin();
  const { id: account } = await openAccount();
  await fund(account);
  await product.stopPools();
  const { id } = await wire.call('A payout', 'POST', '/v1/payouts', {
    body: { account, amount: 10, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } },
  });
  await wire.call('A version that is not', 'POST', `/v1/payouts/${id}/cancel`, { headers: { 'if-match': '"7"' } });
  await wire.call('Canceled', 'POST', `/v1/payouts/${id}/cancel`);
  await wire.call('Canceled again', 'POST', `/v1/payouts/${id}/cancel`);
  await wire.call('Balance', 'GET', `/v1/accounts/${account}/balance`);
  await product.startPools();
  await recorded('cancel');
});

test('webhooks', async () => {
  await begin();
  const { id: account } = await openAccount();
  await fund(account);
  const url = receiver.url('/hooks');
  const { id, secret } = await wire.call<{ id: string; secret: string }>('An endpoint', 'POST', '/v1/webhooks', {
    body: { url, events: ['payout.*', 'webhook.test'], description: 'Ours', metadata: { env: 'test' } },
  });
  receiver.trust('/hooks', secret);
  await wire.call('Where nobody may go', 'POST', '/v1/webhooks', { body: { url: 'http://10.0.0.1/hooks' } });
  await wire.call('To no URL, for no event', 'POST', '/v1/webhooks', { body: { url: 'hooks', events: ['nothing'] } });
  const payout = await wire.call('A payout', 'POST', '/v1/payouts', {
    body: { account, amount: 10, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } },
  });
  await receiver.event('/hooks', 'payout.paid', payout.id);
  await wire.call('A test', 'POST', `/v1/webhooks/${id}/test`);
  await receiver.event('/hooks', 'webhook.test');
  const arrived = receiver.at('/hooks').sort((one, other) => (one.body < other.body ? -1 : 1));
  for (const received of arrived) wire.webhook(received);
  const deliveries = `/v1/webhooks/${id}/deliveries`;
  await wire.callWhen<Page>('What was delivered', deliveries, ({ data }) =>
    data.every(({ status }) => status === 'delivered'),
  );
  await wire.call('What was not', 'GET', `${deliveries}?status=failed`);
  await wire.call('As it is', 'GET', `/v1/webhooks/${id}`);
  await wire.call('Changed', 'PATCH', `/v1/webhooks/${id}`, { body: { events: ['*'], metadata: {} } });
  await wire.call('A new secret', 'POST', `/v1/webhooks/${id}/rotate_secret`, { body: { overlap_seconds: 60 } });
  await wire.call('Off', 'POST', `/v1/webhooks/${id}/disable`);
  await wire.call('A test of what is off', 'POST', `/v1/webhooks/${id}/test`);
  await wire.call('On', 'POST', `/v1/webhooks/${id}/enable`);
  await wire.call('On again', 'POST', `/v1/webhooks/${id}/enable`);
  await wire.call('All', 'GET', '/v1/webhooks');
  await wire.call('Gone', 'DELETE', `/v1/webhooks/${id}`);
  await wire.call('Not there', 'GET', `/v1/webhooks/${id}`);
  const events = await wire.call<Page>('Events of the payout', 'GET', `/v1/events?object=${payout.id}`);
  await wire.call('One of them', 'GET', `/v1/events/${events.data[0]!.id}`);
  await wire.call('By type', 'GET', '/v1/events?type=payout.paid,account.*&limit=1');
  await wire.call('By no type', 'GET', '/v1/events?type=nothing');
  await recorded('webhooks');
});

test('the journal and its proofs', async () => {
  await begin();
  const { id: account } = await openAccount();
  const signing = newSigningKey();
  const checkpoint = async () =>
    publicId('checkpoint', (await checkpointIn(product.database, keys.testBookId, signing)).id);
  await fund(account);
  const { data } = await wire.call<Page>('Entries', 'GET', '/v1/journal/entries');
  const entry = data[0]!.id;
  await wire.call('One', 'GET', `/v1/journal/entries/${entry}`);
  await wire.call('No proof yet', 'GET', `/v1/journal/entries/${entry}/proof`);
  const older = await checkpoint();
  await fund(account, 7);
  const newer = await checkpoint();
  await wire.call('A proof', 'GET', `/v1/journal/entries/${entry}/proof`);
  await wire.call('Checkpoints', 'GET', '/v1/journal/checkpoints');
  await wire.call('One', 'GET', `/v1/journal/checkpoints/${newer}`);
  await wire.call('From one to the next', 'GET', `/v1/journal/checkpoints/${newer}/consistency?from=${older}`);
  await wire.call('From nowhere', 'GET', `/v1/journal/checkpoints/${newer}/consistency`);
  await wire.call('Of nothing', 'GET', '/v1/journal/entries?resource=nothing');
  await recorded('journal');
});

test('holds, and the clock of a test book', async () => {
  await begin();
  const { id } = await openAccount();
  await fund(id, 10_000);
  const holds = `/v1/accounts/${id}/holds`;
  const first = await wire.call('A hold', 'POST', holds, {
    body: { amount: 4_000, description: 'Deposit', external_id: 'order-7', metadata: { order: '7' } },
  });
  const second = await wire.call('One that expires', 'POST', holds, {
    body: { amount: 1_000, expires_at: new Date(Date.now() + 86_400_000).toISOString() },
  });
  await wire.call('Too much', 'POST', holds, { body: { amount: 5_001 } });
  await wire.call('Over before it begins', 'POST', holds, { body: { amount: 1, expires_at: '2026-01-01T00:00:00Z' } });
  await wire.call('As it is', 'GET', `${holds}/${first.id}`);
  await wire.call('More', 'POST', `${holds}/${first.id}/increase`, { body: { amount: 5_000 } });
  await wire.call('Not more', 'POST', `${holds}/${first.id}/increase`, { body: { amount: 5_000 } });
  await wire.call('More than there is', 'POST', `${holds}/${first.id}/increase`, { body: { amount: 9_001 } });
  await wire.call('In part', 'POST', `${holds}/${first.id}/release`, { body: { amount: 1_500 } });
  await wire.call('More than remains', 'POST', `${holds}/${first.id}/release`, { body: { amount: 3_501 } });
  await wire.call('The rest', 'POST', `${holds}/${first.id}/release`);
  await wire.call('Once more', 'POST', `${holds}/${first.id}/release`);
  await wire.call('All', 'GET', holds);
  await wire.call('Those that are open', 'GET', `${holds}?status=open`);
  await wire.call('Timeline', 'GET', `${holds}/${first.id}/timeline`);
  const { hold } = await wire.call<{ hold: string }>('A payout', 'POST', '/v1/payouts', {
    body: { amount: 1, currency: 'JOD', destination: { type: 'cliq', alias: 'PENDING' } },
  });
  await wire.callWhen<{ captured: number }>('Its hold', `${holds}/${hold}`, ({ captured }) => captured > 0);
  await wire.call('It is not released here', 'POST', `${holds}/${hold}/release`);
  await wire.call('The clock', 'GET', '/v1/simulations/clock');
  await wire.call('Two days on', 'POST', '/v1/simulations/clock/advance', { body: { by: 'P2D' } });
  await wire.callWhen<{ status: string }>('It is there', '/v1/simulations/clock', ({ status }) => status === 'idle');
  await wire.call('Expired on the way', 'GET', `${holds}/${second.id}`);
  await wire.call('Backwards', 'POST', '/v1/simulations/clock/advance', { body: { to: '2026-01-01T00:00:00Z' } });
  await wire.call('Nowhere', 'POST', '/v1/simulations/clock/advance', { body: {} });
  await wire.call('By no duration', 'POST', '/v1/simulations/clock/advance', { body: { by: '2 days' } });
  await wire.call('In a live book', 'GET', '/v1/simulations/clock', { key: keys.liveKey });
  await recorded('holds');
});

test('keys, limits and what no route answers', async () => {
  await begin();
  await openAccount();
  await wire.call('A key that was used', 'GET', '/v1/idempotency_keys/key-1');
  await wire.call('Asked for by query', 'GET', '/v1/idempotency_keys?key=key-1');
  await wire.call('A key that was not', 'GET', '/v1/idempotency_keys/key-7');
  await wire.call('Voided', 'POST', '/v1/idempotency_keys/key-7/void', { idempotencyKey: null });
  await wire.call('Used after that', 'POST', '/v1/accounts', {
    body: { currency: 'JOD', name: 'Late' },
    idempotencyKey: 'key-7',
  });
  await wire.call('One that was used is not voided', 'POST', '/v1/idempotency_keys/key-1/void', {
    idempotencyKey: null,
  });
  const limited = {
    bookId: keys.testBookId,
    mode: 'test',
    scopes: ['*'],
    writesPerSecond: 100,
    readsPerSecond: 400,
  } as const;
  await wire.call('Limits', 'GET', '/v1/limits', { key: (await product.clientWith(limited)).key });
  await wire.call('No key', 'GET', '/v1/accounts', { key: null });
  await wire.call('A wrong key', 'GET', '/v1/accounts', { key: 'sk_test_wrong' });
  await wire.call('No route', 'GET', '/v1/nothing');
  await wire.call('No such method', 'DELETE', '/v1/accounts');
  await wire.call('Not JSON', 'POST', '/v1/accounts', { rawBody: 'name=x', headers: { 'content-type': 'text/plain' } });
  await wire.call('In a live book', 'POST', '/v1/simulations/inbound_transfers', {
    key: keys.liveKey,
    body: { account: 'acct_00000000000000000000000000', amount: 1, currency: 'JOD' },
  });
  await recorded('conventions');
});

test('exceptions', async () => {
  await begin();
  const { pool } = product.runtime;
  const ada = await addPersonOf(pool, keys.testBookId, { name: 'Ada' });
  const ben = await addPersonOf(pool, keys.testBookId, { name: 'Ben' });
  const { id: account } = await openAccount();
  const { id: second } = await openAccount({ name: 'Second' });
  const sent = async (amount: number) => {
    await fund(account, amount + 50);
    const { id } = await wire.call('A payout', 'POST', '/v1/payouts', {
      body: { account, amount, currency: 'JOD', destination: { type: 'cliq', alias: 'PENDING' } },
    });
    await payoutSent('Under way', id);
    return id;
  };
  const simulate = (title: string, payout: string, action: string) =>
    wire.call(title, 'POST', `/v1/simulations/payouts/${payout}/${action}`);
  const about = async (payout: string) => {
    const { data } = await wire.call<Page>('What people must look at', 'GET', `/v1/exceptions?resource=${payout}`);
    return `/v1/exceptions/${data[0]!.id}`;
  };

  const contradicted = await sent(10_000);
  await simulate('Failed', contradicted, 'fail');
  await simulate('And paid after all', contradicted, 'complete');
  const one = await about(contradicted);
  await wire.call('As it is', 'GET', one);
  await wire.call('Explained by a service', 'POST', `${one}/explain`, { body: { reason: 'By a script' } });
  await wire.call('Explained before anybody has it', 'POST', `${one}/explain`, {
    body: { reason: 'Too early' },
    key: ada.key,
  });
  await wire.call('Given to nobody', 'POST', `${one}/assign`, {
    body: { person: `${ada.id.slice(0, -4)}0000` },
  });
  await wire.call('Given to a person', 'POST', `${one}/assign`, { body: { person: ada.id } });
  await wire.call('Nothing waits', 'POST', `${one}/move_to`, { body: { account }, key: ada.key });
  await wire.call('Explained', 'POST', `${one}/explain`, {
    body: { reason: 'The rail paid late' },
    headers: { 'if-match': '"2"' },
    key: ada.key,
  });
  await wire.call('Approved by a service', 'POST', `${one}/approve`, { body: { version: 3 } });
  await wire.call('Approved by who explained it', 'POST', `${one}/approve`, { body: { version: 3 }, key: ada.key });
  await wire.call('Approved as it was', 'POST', `${one}/approve`, { body: { version: 2 }, key: ben.key });
  await wire.call('Approved', 'POST', `${one}/approve`, {
    body: { version: 3 },
    key: ben.key,
    idempotencyKey: 'approval',
  });
  await wire.call('Approved again, under its key', 'POST', `${one}/approve`, {
    body: { version: 3 },
    key: ben.key,
    idempotencyKey: 'approval',
  });
  await wire.call('Timeline', 'GET', `${one}/timeline`);
  await wire.call('Its events', 'GET', `/v1/events?object=${one.split('/').at(-1)}&type=exception.*`);

  const returning = await sent(10_000);
  await simulate('Paid', returning, 'complete');
  await wire.call('The rest leaves', 'POST', '/v1/payouts', {
    body: { account, amount: 50, currency: 'JOD', destination: { type: 'account', account: second } },
    headers: { prefer: 'wait=10' },
  });
  await wire.call('Closed', 'POST', `/v1/accounts/${account}/close`);
  await simulate('Money comes back', returning, 'return');
  const other = await about(returning);
  await wire.call('Given to a person', 'POST', `${other}/assign`, { body: { person: ben.id } });
  await wire.call('Moved', 'POST', `${other}/move_to`, { body: { account: second }, key: ben.key });
  await wire.call('Approved', 'POST', `${other}/approve`, { body: { version: 3 }, key: ada.key });
  await wire.call('By status and kind', 'GET', '/v1/exceptions?status=approved&kind=return_to_closed_account');
  await wire.call('By what is unknown', 'GET', '/v1/exceptions?status=closed&kind=A&resource=nothing');
  await recorded('exceptions');
});

test('personal text that was erased', async () => {
  await begin();
  const { id } = await openAccount();
  expect(await eraseDirectly(product, id)).toEqual([]);
  await takeExamples('erasure');
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
