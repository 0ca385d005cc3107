import { randomBytes } from 'node:crypto';
import { type Endpoint, type Event, succeeded } from '../../../../scripts/harness/client.ts';
import { createSecretBox } from '../../../../src/db/secret-box.ts';
import { newId } from '../../../../src/values/ids.ts';
import { parseAllowList } from '../../../../src/values/public-address.ts';
import { newSecret } from '../../../../src/values/standard-webhooks.ts';
import { createEndpoint, disableEndpoint, enableEndpoint } from '../../../../src/webhooks/actions/manage-endpoint.ts';
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
  const { data } = await wire.call<Page>('All of them', 'GET', `${deliveries}?limit=1`);
  await wire.call('Sent again', 'POST', `${deliveries}/${data[0]!.id}/resend`);
  await wire.call('One that it never had', 'POST', `${deliveries}/evt_01h455vb4pex5vsknk084sn02q/resend`);
  const since = '2026-01-01T00:00:00Z';
  const until = '2026-02-01T00:00:00Z';
  await wire.call('What failed', 'POST', `/v1/webhooks/${id}/recover`, { body: { since, until } });
  await wire.call('What it never got', 'POST', `/v1/webhooks/${id}/replay_missing`, { body: { since, until } });
  await wire.call('Of too long a time', 'POST', `/v1/webhooks/${id}/recover`, {
    body: { since, until: '2027-01-01T00:00:00Z' },
  });
  await wire.call('As it is', 'GET', `/v1/webhooks/${id}`);
  const options = {
    url,
    events: ['card.*'],
    headers: { Authorization: 'Bearer 5f2c4e1a9b7d4c3e' },
    rate_limit: { per_second: 10 },
    ordered: true,
    signatures: ['v1', 'v1a'],
  };
  const other = await wire.call<{ id: string }>('One with options', 'POST', '/v1/webhooks', { body: options });
  await wire.call('Without them', 'PATCH', `/v1/webhooks/${other.id}`, {
    body: { headers: {}, rate_limit: null, ordered: false, signatures: ['v1'] },
  });
  await wire.call('Headers that are ours', 'POST', '/v1/webhooks', {
    body: { url, headers: { Host: 'example.com', 'webhook-id': '1', 'X-Split': 'a\r\nb' } },
  });
  await wire.call('It goes', 'DELETE', `/v1/webhooks/${other.id}`);
  await wire.call('Changed', 'PATCH', `/v1/webhooks/${id}`, { body: { events: ['*'], metadata: {} } });
  await wire.call('A new secret', 'POST', `/v1/webhooks/${id}/rotate_secret`, { body: { overlap_seconds: 60 } });
  await wire.call('Off', 'POST', `/v1/webhooks/${id}/disable`);
  await wire.call('A test of what is off', 'POST', `/v1/webhooks/${id}/test`);
  await wire.call('On', 'POST', `/v1/webhooks/${id}/enable`, { body: { recover: true } });
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
    {
      kind: 'public key',
      form: /whpk_[A-Za-z0-9+/=]{43,}/g,
      example: (digest) => `whpk_${digest.subarray(0, 32).toString('base64')}`,
    },
    { kind: 'signature', form: /\bv1,[A-Za-z0-9+/]{43}=/g, numbered: false },
    { kind: 'seconds', form: /(?<=webhook-timestamp: )\d+/g, numbered: false },
    { kind: 'ms', form: /(?<="duration_ms": ?)\d+/g, numbered: false, example: () => '84' },
  ],
  async objects({ client }) {
    const endpoint = succeeded(await client.post<Endpoint>('/v1/webhooks', { url: 'http://127.0.0.1:9/none' }));
    // One that has a delivery to the endpoint.
    const event = succeeded(await client.post<Event>(`/v1/webhooks/${endpoint.id}/test`, {}));
    return { webhookEndpoint: endpoint.id, event: event.id };
  },
  bodies: () => ({
    recoverWebhookEndpoint: { since: new Date(Date.now() - 60_000).toISOString() },
    replayMissingWebhookEvents: { since: new Date(Date.now() - 60_000).toISOString() },
  }),
  async rows(book) {
    const change = { requestId: newId(), actor: 'test' };
    const created = await book.submit(
      createEndpoint({
        ...change,
        bookId: book.id,
        idempotencyKey: null,
        secret: newSecret(),
        secretBox: createSecretBox(randomBytes(32).toString('base64')),
        url: 'https://example.com/options',
        events: ['payout.*'],
        description: null,
        metadata: {},
        allow: parseAllowList([]),
        headers: { Authorization: 'Bearer 5f2c4e1a9b7d4c3e' },
        ratePerSecond: 10,
        signatures: ['v1', 'v1a'],
      }),
    );
    const endpointId = created.refused ? newId() : created.resourceId!;
    await book.submit(disableEndpoint({ ...change, endpointId }));
    await book.submit(enableEndpoint({ ...change, endpointId, recover: true }));
    await book.submit(disableEndpoint({ ...change, endpointId }));
  },
};
