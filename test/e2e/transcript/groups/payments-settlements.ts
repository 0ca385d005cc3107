import type { GroupOnWire, Page, Stage } from './group.ts';

const CARD = { type: 'card', exp_month: 12, exp_year: 2034, cvc: '123', number: '4242424242424242' };

/** Refunded before the acquirer pays, so that its report has lines of both kinds. */
async function settlements({ openAccount, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const paid = await wire.call<{ id: string }>('A payment', 'POST', '/v1/payments', {
    body: { account, amount: 25_000, currency: 'JOD', source: CARD },
  });
  await wire.call('A part given back', 'POST', `/v1/payments/${paid.id}/refunds`, { body: { amount: 5_000 } });
  await wire.call('What waits', 'GET', `/v1/payments/balance?account=${account}`);
  await wire.call(
    'Of an account that is not there',
    'GET',
    '/v1/payments/balance?account=acct_01kb0nk6n8ev8tmz8jd5cgmf3s',
  );
  await wire.call('The acquirer pays', 'POST', '/v1/simulations/acquirer_settlements', {
    idempotencyKey: 'payday',
  });
  await wire.call('It holds nothing more', 'POST', '/v1/simulations/acquirer_settlements');
  const { data } = await wire.call<Page>('What it paid', 'GET', '/v1/payments/settlements');
  await wire.call('One settlement', 'GET', `/v1/payments/settlements/${data[0]!.id}`);
  await wire.call('What happened to it', 'GET', `/v1/payments/settlements/${data[0]!.id}/timeline`);
  const path = `/v1/payments/settlements/${data[0]!.id}/lines`;
  const page = await wire.call<Page>('A line of it', 'GET', `${path}?limit=1`);
  await wire.call('The next', 'GET', `${path}?limit=1&starting_after=${page.next_cursor}`);
  await wire.call('The payment is settled', 'GET', `/v1/payments/${paid.id}`);
  await wire.call('Three days on', 'POST', '/v1/simulations/clock/advance', { body: { by: 'P3D' } });
  await wire.callWhen<{ status: string }>('It is there', '/v1/simulations/clock', ({ status }) => status === 'idle');
  const { data: released } = await wire.call<Page>('What was released', 'GET', '/v1/payments/releases');
  await wire.call('What it is of', 'GET', `/v1/payments/releases/${released[0]!.id}/lines`);
}

/** Business days of a week that begins on Sunday, and a tenth kept for 90 days. */
async function schedule({ openAccount, wire }: Stage): Promise<void> {
  const path = '/v1/payments/release_schedule';
  await wire.call('As the installation has it', 'GET', path);
  await wire.call('Of its own', 'PATCH', path, {
    body: { unit: 'business_days', calendar: 'fri_sat', cut_off: '17:00', reserve: { percent: '10', days: 90 } },
  });
  await wire.call('Over a version that has passed', 'PATCH', path, {
    body: { days: 3 },
    headers: { 'if-match': '"1"' },
  });
  const { id: account } = await openAccount();
  await wire.call('A payment', 'POST', '/v1/payments', {
    body: { account, amount: 25_000, currency: 'JOD', source: CARD },
  });
  await wire.call('What waits, and what is reserved', 'GET', `/v1/payments/balance?account=${account}`);
  await wire.call('Without a reserve from now on', 'PATCH', path, { body: { reserve: null } });
}

export const settlementsOnWire: GroupOnWire = {
  scenes: [
    { file: 'settlements', play: settlements },
    { file: 'release-schedule', play: schedule },
  ],
  /** The payment among the objects was settled on the way of the clock. */
  async objects({ client }) {
    const [settlement] = (await client.read<Page>('/v1/payments/settlements')).data;
    return { settlement: settlement!.id };
  },
};
