import { succeeded } from '../../../../scripts/harness/client.ts';
import type { GroupOnWire, Stage } from './group.ts';

/** And the clock of a test book. */
async function holdsAndClock({ fund, keys, openAccount, wire }: Stage): Promise<void> {
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
}

export const holdsOnWire: GroupOnWire = {
  scenes: [{ file: 'holds', play: holdsAndClock }],
  async objects({ client, made: { account } }) {
    return { hold: succeeded(await client.post<{ id: string }>(`/v1/accounts/${account}/holds`, { amount: 1 })).id };
  },
};
