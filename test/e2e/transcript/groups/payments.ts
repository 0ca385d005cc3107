import { succeeded, until } from '../../../../scripts/harness/client.ts';
import type { Transcript } from '../transcript.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

interface Payment {
  id: string;
  status: string;
}

const CARD = { type: 'card', exp_month: 12, exp_year: 2034, cvc: '123' };
const source = (number = '4242424242424242') => ({ ...CARD, number });

/** Numbers stand for outcomes: API.md §4. */
async function payments({ openAccount, product, keys, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const pay = (title: string, body: object, call: object = {}, query = '') =>
    wire.call<Payment>(title, 'POST', `/v1/payments${query}`, {
      body: { account, amount: 25_000, currency: 'JOD', source: source(), ...body },
      ...call,
    });

  await pay('A dry run', {}, { idempotencyKey: null }, '?dry_run=true');
  const full = { description: 'Order 77', external_id: 'order-77', metadata: { order: '77' } };
  const paid = await pay('A payment, captured with its authorization', full, { idempotencyKey: 'first' });
  await pay('The same key again', full, { idempotencyKey: 'first' });
  await pay('The same key for something else', { amount: 2 }, { idempotencyKey: 'first' });
  const later = await pay('Without waiting', {}, { headers: { prefer: 'respond-async' } });
  // The order of events is the same in every run, and what the next one tells.
  await until(
    () => product.client(keys.testKey).read<Payment>(`/v1/payments/${later.id}`),
    ({ status }) => status === 'captured',
  );
  await pay('Declined', { source: source('4000000000009995') });
  await pay('Unknown, then found out', { source: source('4000000000000705') });
  await pay('Lost on its way', { source: source('4000000000000713') });
  await pay('The issuer asks for a challenge', {
    source: source('4000002500003155'),
    return_url: 'https://shop.example/return',
  });
  await pay('A merchant is never challenged', {
    source: source('4000002500003155'),
    initiator: 'merchant',
    recurring: { reason: 'scheduled', previous_network_reference: 'NTW0123456789' },
  });
  await wire.call('Another description', 'PATCH', `/v1/payments/${paid.id}`, { body: { description: 'Two parcels' } });
  await wire.call('Nothing changes', 'PATCH', `/v1/payments/${paid.id}`, { body: { description: 'Two parcels' } });

  await pay('No test number', { source: source('4111111111111111') });
  await pay('A wrong check digit', { source: source('4242424242424241') });
  await pay('Nothing', { amount: 0 });
  await pay('A float', { amount: 1.5 });
  await pay('In another currency', { currency: 'EUR' });
  await pay('For an account that is not there', { account: `${account.slice(0, -4)}0000` });
  await pay('No key', {}, { idempotencyKey: null });
  await wire.call('Not there', 'GET', `/v1/payments/${paid.id.slice(0, -4)}0000`);

  const page = await wire.call<Page>('A page', 'GET', '/v1/payments?limit=2');
  await wire.call('The next', 'GET', `/v1/payments?limit=2&starting_after=${page.next_cursor}`);
  await wire.call('By what they are', 'GET', '/v1/payments?status=failed');
  await wire.call('By metadata and external id', 'GET', '/v1/payments?metadata[order]=77&external_id=order-77');
  await wire.call('One payment', 'GET', `/v1/payments/${paid.id}`);
  await wire.call('Timeline', 'GET', `/v1/payments/${paid.id}/timeline`);
}

async function captures({ openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const { id } = await authorize(wire, 'Authorized', { account, amount: 20_000 });
  const act = (title: string, action: string, body?: object, call: object = {}) =>
    wire.call(title, 'POST', `/v1/payments/${id}/${action}`, { ...(body && { body }), ...call });
  await act('A larger authorization', 'increment', { amount: 30_000 });
  await act('Not larger', 'increment', { amount: 30_000 });
  await act('A stale version', 'capture', { amount: 1_000 }, { headers: { 'if-match': '"1"' } });
  await act('A part', 'capture', { amount: 10_000 });
  await act('Another part', 'capture', { amount: 5_000 });
  // The body of a real request: that of a dry run would be a sample of one.
  await act('A dry run of a third', 'capture?dry_run=true', { amount: 5_000 }, { idempotencyKey: null });
  await act('More than is left', 'capture', { amount: 20_000 });
  await act('Too late for an increment', 'increment', { amount: 40_000 });
  await act('The rest is given up', 'cancel');
  await act('Nothing is left', 'capture', {});
  const parts = await wire.call<Page>('Its captures', 'GET', `/v1/payments/${id}/captures?limit=1`);
  await wire.call('The next', 'GET', `/v1/payments/${id}/captures?limit=1&starting_after=${parts.next_cursor}`);
  await wire.call('One of them', 'GET', `/v1/payments/${id}/captures/${parts.data[0]!.id}`);
  const other = await authorize(wire, 'Another', { account });
  await wire.call('Canceled', 'POST', `/v1/payments/${other.id}/cancel`);
  await wire.call('Canceled again', 'POST', `/v1/payments/${other.id}/cancel`);
}

async function refunds({ openAccount, product, keys, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const paid = await wire.call<Payment>('A payment', 'POST', '/v1/payments', {
    body: { account, amount: 25_000, currency: 'JOD', source: source() },
  });
  const refund = (title: string, body: object, call: object = {}) =>
    wire.call<{ id: string }>(title, 'POST', `/v1/payments/${paid.id}/refunds`, { body, ...call });
  const first = await refund('A part given back', { amount: 5_000, reason: 'One item came back' });
  await wire.call('A dry run', 'POST', `/v1/payments/${paid.id}/refunds?dry_run=true`, {
    body: { amount: 5_000 },
    idempotencyKey: null,
  });
  const later = await refund('Without waiting', { amount: 1_000 }, { headers: { prefer: 'respond-async' } });
  // The worker's commit counts the payment's version up, which the next refusals tell.
  await until(
    () => product.client(keys.testKey).read<Payment>(`/v1/payments/refunds/${later.id}`),
    ({ status }) => status !== 'pending',
  );
  await refund('More than is left', { amount: 20_000 });
  await refund('A stale version', { amount: 1 }, { headers: { 'if-match': '"1"' } });
  await wire.call('The refund', 'GET', `/v1/payments/refunds/${first.id}`);
  await wire.call('What happened to it', 'GET', `/v1/payments/refunds/${first.id}/timeline`);
  await wire.call('Refunds of the payment', 'GET', `/v1/payments/${paid.id}/refunds`);
  await wire.call('All refunds', 'GET', '/v1/payments/refunds');
  await wire.call('Those that failed, of an account', 'GET', `/v1/payments/refunds?account=${account}&status=failed`);
  await refund('All that is left', {});
  await refund('Nothing is left', {});

  const other = await wire.call<Payment>('A payment by another card', 'POST', '/v1/payments', {
    body: { account, amount: 25_000, currency: 'JOD', source: source('4000000000005126') },
  });
  // Not held: a held answer tells of the refund as it is by then, which may be after it failed.
  const failing = await wire.call<Payment>('Its refund', 'POST', `/v1/payments/${other.id}/refunds`, {
    body: {},
    headers: { prefer: 'respond-async' },
  });
  const path = `/v1/payments/refunds/${failing.id}`;
  await wire.callWhen<Payment>('It failed after it succeeded', path, ({ status }) => status === 'failed');
}

/** Two days after the capture, where nothing waits for the acquirer's report. */
async function released({ openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  await wire.call<Payment>('A payment', 'POST', '/v1/payments', {
    body: { account, amount: 25_000, currency: 'JOD', source: source() },
  });
  const open = await authorize(wire, 'One that nobody captures', { account });
  await wire.call('Eight days on', 'POST', '/v1/simulations/clock/advance', { body: { by: 'P8D' } });
  await wire.callWhen<{ status: string }>('It is there', '/v1/simulations/clock', ({ status }) => status === 'idle');
  await wire.callWhen<Payment>('Nobody captured it', `/v1/payments/${open.id}`, ({ status }) => status === 'expired');
  const { data } = await wire.call<Page>('What was released', 'GET', `/v1/payments/releases?account=${account}`);
  await wire.call('One release', 'GET', `/v1/payments/releases/${data[0]!.id}`);
  await wire.call('The account has it', 'GET', `/v1/accounts/${account}/balance`);
}

async function authorize(wire: Transcript, title: string, body: object): Promise<Payment> {
  const request = { amount: 10_000, currency: 'JOD', capture: 'manual', source: source(), ...body };
  return wire.call<Payment>(title, 'POST', '/v1/payments', { body: request });
}

export const paymentsOnWire: GroupOnWire = {
  scenes: [
    { file: 'payments', play: payments },
    { file: 'captures', play: captures },
    { file: 'refunds', play: refunds },
    { file: 'releases', play: released },
  ],
  forms: [
    {
      kind: 'acquirer reference',
      form: /\bSBA[0-9A-F]{21}\b/g,
      example: (digest) => `SBA${digest.toString('hex').toUpperCase().slice(0, 21)}`,
    },
    {
      kind: 'network reference',
      form: /\bNTW[0-9A-F]{21}\b/g,
      example: (digest) => `NTW${digest.toString('hex').toUpperCase().slice(0, 21)}`,
    },
    {
      kind: 'approval code',
      form: /(?<="code": ?")[0-9A-F]{6}(?=")/g,
      example: (digest) => digest.toString('hex').toUpperCase().slice(0, 6),
    },
    {
      kind: 'fingerprint',
      form: /(?<="fingerprint": ?")[0-9a-f]{32}(?=")/g,
      example: (digest) => digest.toString('hex').slice(0, 32),
    },
    { kind: 'day', form: /(?<="available_on": ?")\d{4}-\d{2}-\d{2}/g, numbered: false, example: () => '2026-03-04' },
    {
      // A card at a reader expires some years after the run.
      kind: 'year',
      form: /(?<="brand": ?"visa",\s*"last_four": ?"\d{4}",\s*"exp_month": ?12,\s*"exp_year": ?)20(?!34)\d{2}/g,
      numbered: false,
      example: () => '2029',
    },
    {
      kind: 'challenge',
      form: /(?<=\/sandbox\/challenges\/)[\w-]{32}/g,
      example: (digest) => digest.toString('base64url').slice(0, 32),
    },
  ],
  async objects({ client, made: { account } }) {
    const payment = succeeded(
      await client.post<Payment>('/v1/payments', { account, amount: 10_000, currency: 'JOD', source: source() }),
    );
    const refund = succeeded(await client.post<{ id: string }>(`/v1/payments/${payment.id}/refunds`, { amount: 100 }));
    const [capture] = (await client.read<{ data: { id: string }[] }>(`/v1/payments/${payment.id}/captures`)).data;
    succeeded(await client.post('/v1/simulations/clock/advance', { by: 'P3D' }));
    const [release] = await until(
      async () => (await client.read<{ data: { id: string }[] }>('/v1/payments/releases')).data,
      (releases) => releases.length > 0,
    );
    await until(
      () => client.read<{ status: string }>('/v1/simulations/clock'),
      ({ status }) => status === 'idle',
    );
    return { release: release!.id, payment: payment.id, refund: refund.id, capture: capture!.id };
  },
};
