import { succeeded } from '../../../../scripts/harness/client.ts';
import type { GroupOnWire, Stage } from './group.ts';

interface Dispute {
  id: string;
  status: string;
}

const source = { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };
const SHIPPED = {
  product_description: 'A pair of headphones, order 77',
  shipping_tracking_number: '1Z999AA10123456784',
};

async function disputes({ openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const pay = (title: string, body: object = {}) =>
    wire.call<{ id: string }>(title, 'POST', '/v1/payments', {
      body: { account, amount: 25_000, currency: 'JOD', source, ...body },
    });
  const open = (title: string, payment: string, body: object = {}) =>
    wire.call<Dispute>(title, 'POST', '/v1/simulations/disputes', {
      body: { payment, reason: 'product_not_received', ...body },
    });
  const end = (title: string, { id }: Dispute, move: string) =>
    wire.call<Dispute>(title, 'POST', `/v1/simulations/disputes/${id}/${move}`);
  const say = (title: string, { id }: Dispute, body: object, call: object = {}) =>
    wire.call<Dispute>(title, 'POST', `/v1/payments/disputes/${id}/evidence`, { body, ...call });

  const paid = await pay('A payment');
  const first = await open('A part is taken', paid.id, { amount: 5_000 });
  await open('More than is captured', paid.id, { amount: 25_000 });
  await open('A payment that is not there', `${paid.id.slice(0, -4)}0000`);
  await say('Nothing is said', first, {});
  await say('A stale version', first, SHIPPED, { headers: { 'if-match': '"7"' } });
  await say('What speaks for the merchant', first, SHIPPED, { idempotencyKey: 'evidence' });
  await say('The same key again', first, SHIPPED, { idempotencyKey: 'evidence' });
  await say('It was said', first, { uncategorized_text: 'One thing more' });
  await end('Won: the money is back', first, 'win');
  await end('It is decided', first, 'lose');
  const again = await end('The payer begins again', first, 'escalate');
  await wire.call('Not contested', 'POST', `/v1/payments/disputes/${again.id}/accept`);
  await wire.call('Accepted already', 'POST', `/v1/payments/disputes/${again.id}/accept`);

  const other = await pay('Another payment');
  const asked = await open('The issuer asks', other.id, { stage: 'inquiry', reason: 'unrecognized' });
  const taken = await end('Then it takes the money', asked, 'escalate');
  await open('Nothing is left to dispute', other.id);
  await end('Lost', taken, 'lose');
  await wire.call('Nothing is left to refund', 'POST', `/v1/payments/${other.id}/refunds`, { body: {} });
  const waiting = await open('One that nobody answers', paid.id, { amount: 1_000, reason: 'duplicate' });
  await wire.call('Six days on', 'POST', '/v1/simulations/clock/advance', { body: { by: 'P6D' } });
  await wire.callWhen<Dispute>('It is there', '/v1/simulations/clock', ({ status }) => status === 'idle');
  await wire.call('Eight days on', 'POST', '/v1/simulations/clock/advance', { body: { by: 'P2D' } });
  await wire.callWhen<Dispute>('It is there', '/v1/simulations/clock', ({ status }) => status === 'idle');
  await say('Its time is over', waiting, SHIPPED);

  await wire.call('All disputes', 'GET', '/v1/payments/disputes');
  await wire.call('Of a payment', 'GET', `/v1/payments/disputes?payment=${other.id}&stage=chargeback&status=lost`);
  await wire.call('One dispute', 'GET', `/v1/payments/disputes/${first.id}`);
  await wire.call('Timeline', 'GET', `/v1/payments/disputes/${first.id}/timeline`);
  await wire.call('The payment', 'GET', `/v1/payments/${paid.id}`);
}

export const disputesOnWire: GroupOnWire = {
  scenes: [{ file: 'disputes', play: disputes }],
  async objects({ client, made: { payment } }) {
    const opening = { payment, reason: 'general', amount: 100 };
    return { dispute: succeeded(await client.post<Dispute>('/v1/simulations/disputes', opening)).id };
  },
  bodies: ({ made: { payment } }) => ({ simulateDispute: { payment, reason: 'general', amount: 100 } }),
};
