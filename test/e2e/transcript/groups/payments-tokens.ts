/** Tokens, readers and requests to pay. */
import { succeeded } from '../../../../scripts/harness/client.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

interface Payment {
  id: string;
  status: string;
  stored_token: string;
  source: { reader_action: string };
}

const card = (number = '4242424242424242') => ({ number, exp_month: 12, exp_year: 2034, cvc: '123' });

async function tokens({ openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const tokenize = (title: string, body: object, call: object = {}) =>
    wire.call<{ id: string }>(title, 'POST', '/v1/payments/tokens', { body: { card: card(), ...body }, ...call });
  const pay = (title: string, source: object, body: object = {}) =>
    wire.call<Payment>(title, 'POST', '/v1/payments', {
      body: { account, amount: 25_000, currency: 'JOD', source, ...body },
    });

  const kept = await tokenize('A token, kept and verified', { customer_reference: 'customer-1041', verify: true });
  const once = await tokenize('A one-time token', {}, { idempotencyKey: 'token' });
  await tokenize('The same key, another code', { card: { ...card(), cvc: '999' } }, { idempotencyKey: 'token' });
  await tokenize('The issuer declines the verification', { card: card('4000000000009987'), verify: true });
  await tokenize('No test number', { card: card('4111111111111111') });
  await tokenize('Neither card nor token', { card: undefined });
  await tokenize('A live token in test mode', { acquirer_token: 'tok-1' });
  await pay('Paid with the one-time token', { type: 'token', token: once.id });
  await pay('Which pays once', { type: 'token', token: once.id });
  await pay('Paid with the kept one', { type: 'token', token: kept.id, cvc: '123' });
  await pay('That is not there', { type: 'token', token: `${kept.id.slice(0, -4)}0000` });
  const billing = { name: 'Salma', address: { line1: '77 Rainbow Street', postal_code: '11118', country: 'JO' } };
  const stored = await pay(
    'A card kept by its payment',
    { type: 'card', ...card() },
    {
      store_for: 'customer-1041',
      billing,
    },
  );
  await wire.call('Its token', 'GET', `/v1/payments/tokens/${stored.stored_token}`);
  await wire.call('Tokens of a customer', 'GET', '/v1/payments/tokens?customer_reference=customer-1041');
  const page = await wire.call<Page>('A page', 'GET', '/v1/payments/tokens?limit=1');
  await wire.call('The next', 'GET', `/v1/payments/tokens?limit=1&starting_after=${page.next_cursor}`);
  await wire.call('Deleted', 'DELETE', `/v1/payments/tokens/${kept.id}`);
  await wire.call('It is gone', 'GET', `/v1/payments/tokens/${kept.id}`);
  await wire.call('A used one stays', 'DELETE', `/v1/payments/tokens/${once.id}`);
}

async function readers({ openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const { id: reader } = await wire.call<{ id: string }>('A reader', 'POST', '/v1/payments/readers', {
    body: { registration_code: 'SIMULATED-A', label: 'Counter 1', metadata: { floor: '2' } },
  });
  const path = `/v1/payments/readers/${reader}`;
  const ask = (title: string) =>
    wire.call<Payment>(title, 'POST', '/v1/payments', {
      body: { account, amount: 25_000, currency: 'JOD', source: { type: 'terminal', reader } },
    });
  const present = (title: string, body: object) =>
    wire.call<Payment>(title, 'POST', `/v1/simulations/readers/${reader}/present_card`, {
      body: { number: '4242424242424242', entry_mode: 'contactless', ...body },
    });
  await wire.call('No code of test mode', 'POST', '/v1/payments/readers', {
    body: { registration_code: '1234', label: 'Counter 1' },
  });
  await wire.call('Another label', 'PATCH', path, { body: { label: 'Counter 2' } });
  await present('The reader asks for nothing', {});
  const asked = await ask('A payment at the reader');
  await wire.call('It is busy', 'GET', path);
  await ask('One at a time');
  await wire.call('Nor is it removed', 'DELETE', path);
  await present('A card is declined', { number: '4000000000009995' });
  await present('Another, with a tip', { tip: 1_500 });
  await wire.call('What became of it', 'GET', `${path}/actions/${asked.source.reader_action}`);
  const canceled = await ask('Another payment');
  const action = `${path}/actions/${canceled.source.reader_action}`;
  await wire.call('Canceled', 'POST', `${action}/cancel`);
  await wire.call('Canceled again', 'POST', `${action}/cancel`);
  const late = await ask('One that nobody pays');
  await wire.call('Six minutes on', 'POST', '/v1/simulations/clock/advance', { body: { by: 'PT6M' } });
  await wire.callWhen<{ status: string }>('It is there', '/v1/simulations/clock', ({ status }) => status === 'idle');
  await wire.callWhen<Payment>('Expired', `/v1/payments/${late.id}`, ({ status }) => status === 'expired');
  const page = await wire.call<Page>('Its actions', 'GET', `${path}/actions?limit=2`);
  await wire.call('The next', 'GET', `${path}/actions?limit=2&starting_after=${page.next_cursor}`);
  await wire.call('All readers', 'GET', '/v1/payments/readers');
  await wire.call('Removed', 'DELETE', path);
  await wire.call('It is gone', 'GET', path);
}

async function requestsToPay({ openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const ask = (title: string, body: object = {}, source: object = {}) =>
    wire.call<Payment>(title, 'POST', '/v1/payments', {
      body: {
        ...{ account, amount: 25_000, currency: 'JOD' },
        source: { type: 'cliq_request', alias: 'SALMA77', ...source },
        ...body,
      },
    });
  const simulate = (title: string, { id }: Payment, what: string) =>
    wire.call(title, 'POST', `/v1/simulations/payments/${id}/${what}`);
  const approved = await ask('A request to pay');
  await simulate('Approved', approved, 'approve');
  await simulate('Approved again', approved, 'approve');
  await simulate('Declined', await ask('Another'), 'decline');
  await simulate('Expired', await ask('And another'), 'expire');
  await ask('Nothing can be held', { capture: 'manual' });
  await ask('A time that is over', {}, { expires_at: '2020-01-01T00:00:00Z' });
}

export const paymentTokensOnWire: GroupOnWire = {
  scenes: [
    { file: 'payment-tokens', play: tokens },
    { file: 'readers', play: readers },
    { file: 'requests-to-pay', play: requestsToPay },
  ],
  async objects({ client, made: { account } }) {
    const token = succeeded(await client.post<{ id: string }>('/v1/payments/tokens', { card: card() }));
    const reader = succeeded(
      await client.post<{ id: string }>('/v1/payments/readers', {
        registration_code: 'SIMULATED-A',
        label: 'Counter 1',
      }),
    );
    const asked = succeeded(
      await client.post<Payment>('/v1/payments', {
        ...{ account, amount: 10_000, currency: 'JOD' },
        source: { type: 'terminal', reader: reader.id },
      }),
    );
    return { paymentToken: token.id, reader: reader.id, readerAction: asked.source.reader_action };
  },
};
