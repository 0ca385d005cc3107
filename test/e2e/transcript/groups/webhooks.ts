import { type Endpoint, type Event, type List, succeeded } from '../../../../scripts/harness/client.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

async function webhooks({ fund, openAccount, receiver, wire }: Stage): Promise<void> {
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
}

export const webhooksOnWire: GroupOnWire = {
  scenes: [{ file: 'webhooks', play: webhooks }],
  forms: [
    {
      kind: 'secret',
      form: /whsec_[A-Za-z0-9+/=]{32,}/g,
      example: (digest) => `whsec_${digest.subarray(0, 32).toString('base64')}`,
    },
    { kind: 'signature', form: /\bv1,[A-Za-z0-9+/]{43}=/g, numbered: false },
    { kind: 'seconds', form: /(?<=webhook-timestamp: )\d+/g, numbered: false },
    { kind: 'ms', form: /(?<="duration_ms": ?)\d+/g, numbered: false, example: () => '84' },
  ],
  async objects({ client }) {
    const endpoint = succeeded(await client.post<Endpoint>('/v1/webhooks', { url: 'http://127.0.0.1:9/none' }));
    const event = (await client.read<List<Event>>('/v1/events')).data[0]!;
    return { webhookEndpoint: endpoint.id, event: event.id };
  },
};
