/**
 * Webhooks end to end: the events of a book arrive at the subscribed endpoints, signed, and are attempted until they
 * do.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Client, Delivery, Endpoint, Event, List } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/client.ts';
import { pathOf, type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { parsePublicId } from '../../src/values/ids.ts';
import { expectInvariants } from '../support/invariants.ts';
import { lookInto, type Product, startProduct } from '../support/product.ts';

describe('a webhook endpoint', () => {
  let product: Product;
  let receiver: Receiver;
  let client: Client;

  beforeAll(async () => {
    product = await startProduct({ backend: 'postgres' });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await product?.close();
    await receiver?.close();
  });
  beforeEach(async () => {
    ({ client } = await product.organisation());
  });

  const deliveriesOf = async (endpoint: Endpoint) =>
    (await client.read<List<Delivery>>(`/v1/webhooks/${endpoint.id}/deliveries`)).data;
  const typesAt = (endpoint: Endpoint) => receiver.at(pathOf(endpoint)).map(({ event }) => event.type);
  const deliveredAll = (endpoint: Endpoint) =>
    until(
      () => deliveriesOf(endpoint),
      (all) => all.length > 0 && all.every(({ status }) => status === 'delivered'),
    );

  test('gets every event of its own book, signed, equal to the events API, and none of another book', async () => {
    const endpoint = await receiver.subscribe(client);
    const { client: stranger } = await product.organisation();
    const elsewhere = await receiver.subscribe(stranger);
    const account = await client.openAccount();
    const { id } = await client.pay({ account: account.id });
    await receiver.event(pathOf(endpoint), 'payout.paid', id);
    await deliveredAll(endpoint);

    const events = (await client.read<List<Event>>('/v1/events')).data.reverse();
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
    const received = receiver.at(pathOf(endpoint));
    expect(received.map(({ forged }) => forged).filter(Boolean)).toEqual([]);
    expect(new Map(received.map(({ id: webhookId, event }) => [webhookId, event]))).toEqual(
      new Map(events.map((event) => [event.id, event])),
    );
    expect(received[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Countinghouse-Webhooks/1.0',
    });
    expect(typesAt(elsewhere)).toEqual([]);
  });

  test('keeps a URL that an earlier release accepted, and gets no other one that is no URI', async () => {
    const { id } = await receiver.subscribe(client);
    const path = `/v1/webhooks/${id}`;
    const url = 'https:example.com';
    const database = lookInto(product.database);
    await database.query('UPDATE webhook_endpoints SET url = $1 WHERE id = $2', [
      url,
      parsePublicId('webhookEndpoint', id),
    ]);
    await database.end();
    expect((await client.send('PATCH', path, { body: { url, description: 'Kept.' } })).body).toMatchObject({
      url,
      description: 'Kept.',
    });
    expect((await client.send('PATCH', path, { body: { url: 'https:/example.com' } })).body).toMatchObject({
      code: 'parameter_invalid',
      param: '/url',
    });
  });

  test('gets only the events of its filter', async () => {
    const paid = await receiver.subscribe(client, { events: ['payout.paid'] });
    const group = await receiver.subscribe(client, { events: ['payout.*', 'webhook_endpoint.disabled'] });
    const account = await client.openAccount();
    const { id } = await client.pay({ account: account.id });
    await client.payoutUntil(id, 'paid');
    await deliveredAll(paid);
    await deliveredAll(group);
    expect(typesAt(paid)).toEqual(['payout.paid']);
    expect(typesAt(group).sort()).toEqual(['payout.created', 'payout.paid', 'payout.processing']);
  });

  test('that fails is attempted again after about 5 s, under the same id, with each attempt recorded', async () => {
    const endpoint = await receiver.subscribe(client, { events: ['payout.paid'] });
    receiver.answer(pathOf(endpoint), (_, tries) =>
      tries === 1 ? { status: 503, body: 'come back later' } : { status: 204 },
    );
    const account = await client.openAccount();
    const { id } = await client.pay({ account: account.id });
    const first = await receiver.event(pathOf(endpoint), 'payout.paid', id);
    const [waiting] = await until(
      () => deliveriesOf(endpoint),
      ([one]) => one?.attempts.length === 1,
    );
    expect(waiting).toMatchObject({
      status: 'pending',
      event: first.id,
      attempts: [{ attempt: 1, status: 503, error: null, response: 'come back later' }],
    });
    const [delivered] = await deliveredAll(endpoint);
    expect(delivered!.attempts.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 503],
      [2, 204],
    ]);
    const [one, two] = delivered!.attempts.map(({ started_at }) => Date.parse(started_at)) as [number, number];
    expect(two - one).toBeGreaterThan(3_900);
    const [before, after] = receiver.at(pathOf(endpoint));
    expect([after!.id, after!.body]).toEqual([before!.id, before!.body]);
    expect(after!.headers['webhook-timestamp']).not.toBe(before!.headers['webhook-timestamp']);

    const timeline = await client.read<{ data: { type: string; webhook_attempts: unknown[] }[] }>(
      `/v1/payouts/${id}/timeline`,
    );
    expect(timeline.data.at(-1)).toMatchObject({
      type: 'payout.paid',
      webhook_attempts: [
        { endpoint: endpoint.id, attempt: 1, status: 503 },
        { endpoint: endpoint.id, attempt: 2, status: 204 },
      ],
    });
  });

  test('that closes the connection is recorded differently from one that answers with an error', async () => {
    const endpoint = await receiver.subscribe(client, { events: ['payout.created'] });
    receiver.answer(pathOf(endpoint), (_, tries) => (tries === 1 ? undefined : { status: 200 }));
    const account = await client.openAccount();
    await client.pay({ account: account.id });
    const [waiting] = await until(
      () => deliveriesOf(endpoint),
      ([one]) => one?.attempts.length === 1,
    );
    expect(waiting!.attempts).toMatchObject([{ status: null, error: 'connection_closed' }]);
  });

  test('that is disabled gets nothing, and once enabled gets new events', async () => {
    const endpoint = await receiver.subscribe(client, { events: ['payout.created'] });
    const account = await client.openAccount();
    const change = (action: string) => client.post<Endpoint>(`/v1/webhooks/${endpoint.id}/${action}`);
    const before = await client.pay({ account: account.id });
    await receiver.event(pathOf(endpoint), 'payout.created', before.id);
    expect((await change('disable')).body).toMatchObject({ status: 'disabled', disabled_reason: 'requested' });
    expect((await change('disable')).status).toBe(409);
    await client.payoutUntil((await client.pay({ account: account.id })).id, 'paid');
    expect((await change('enable')).body).toMatchObject({ status: 'enabled', disabled_reason: null });
    const after = await client.pay({ account: account.id });
    await receiver.event(pathOf(endpoint), 'payout.created', after.id);
    await deliveredAll(endpoint);
    expect(receiver.at(pathOf(endpoint)).map(({ event }) => event.data.object.id)).toEqual([before.id, after.id]);
  });

  test('that answers 410 is disabled, and other endpoints get the event', async () => {
    const gone = await receiver.subscribe(client, { events: ['payout.created'] });
    const watcher = await receiver.subscribe(client, { events: ['webhook_endpoint.*'] });
    receiver.answer(pathOf(gone), () => ({ status: 410 }));
    const account = await client.openAccount();
    await client.pay({ account: account.id });
    const told = await receiver.event(pathOf(watcher), 'webhook_endpoint.disabled', gone.id);
    expect(told.event.data.object).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    expect(await client.read(`/v1/webhooks/${gone.id}`)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    expect(await deliveriesOf(gone)).toMatchObject([{ status: 'failed', attempts: [{ status: 410 }] }]);
  });

  test('gets the test event that was requested, and no other endpoint does', async () => {
    const [endpoint, other] = [
      await receiver.subscribe(client, { events: ['payout.*'] }),
      await receiver.subscribe(client),
    ];
    const asked = await client.post<Event>(`/v1/webhooks/${endpoint.id}/test`);
    expect(asked.status).toBe(202);
    const received = await receiver.event(pathOf(endpoint), 'webhook.test', endpoint.id);
    expect(received.event).toEqual(asked.body);
    expect(received.forged).toBeUndefined();
    await deliveredAll(endpoint);
    expect(typesAt(other)).not.toContain('webhook.test');
  });

  test('with a rotated secret gets both signatures until the overlap ends', async () => {
    const endpoint = await receiver.subscribe(client, { events: ['payout.created'] });
    const rotated = await client.post<Endpoint>(`/v1/webhooks/${endpoint.id}/rotate_secret`, {
      overlap_seconds: 3_600,
    });
    expect(rotated.body.secret).not.toBe(endpoint.secret);
    const path = '/after-rotation';
    await client.patch(`/v1/webhooks/${endpoint.id}`, { url: receiver.url(path) });
    receiver.trust(path, rotated.body.secret);
    const account = await client.openAccount();
    await client.pay({ account: account.id });
    const { forged, headers } = await receiver.event(path, 'payout.created');
    expect(forged).toBeUndefined();
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(2);
  });

  test('that is deleted gets nothing more and is not found', async () => {
    const [endpoint, watcher] = [await receiver.subscribe(client), await receiver.subscribe(client)];
    expect((await client.delete(`/v1/webhooks/${endpoint.id}`)).status).toBe(200);
    expect((await client.get(`/v1/webhooks/${endpoint.id}`)).status).toBe(404);
    const account = await client.openAccount();
    await receiver.event(pathOf(watcher), 'account.created', account.id);
    expect(typesAt(endpoint)).toEqual([]);
  });

  test('with a private address is refused unless the operator allows it', async () => {
    for (const url of ['http://10.0.0.1/hook', 'http://[::1]:9/hook', 'http://169.254.169.254/latest']) {
      const { status, body } = await client.post('/v1/webhooks', { url });
      expect([status, body.code]).toEqual([422, 'webhook_url_forbidden']);
    }
    const { live } = await product.organisation();
    expect((await live.post('/v1/webhooks', { url: receiver.url('/live') })).body.code).toBe('webhook_url_forbidden');
  });

  test('receives enough to compute every balance', async () => {
    const endpoint = await receiver.subscribe(client);
    const [one, two] = [await client.openAccount(), await client.openAccount({ funds: 5_000 })];
    const aliases = ['SHOP1', 'NOALIAS', 'RETURN', 'RETURNHALF', 'TIMEOUT', 'TIMEOUTFAIL'];
    for (const alias of aliases) await client.pay({ account: one.id, destination: { type: 'cliq', alias } });
    await client.pay({ account: one.id, amount: 777, destination: { type: 'account', account: two.id } });
    const statuses = ['paid', 'failed', 'returned'].map((status) => `status=${status}`).join('&');
    await until(
      () => client.read<List<{ amount_returned: number }>>(`/v1/payouts?${statuses}`),
      // Both payouts with returns have them.
      ({ data }) => data.length === 7 && data.filter(({ amount_returned }) => amount_returned > 0).length === 2,
    );
    await deliveredAll(endpoint);

    const balances = new Map<string, number>();
    const add = (account: string, amount: number) => balances.set(account, (balances.get(account) ?? 0) + amount);
    const seen = new Set<string>();
    for (const { id, event } of receiver.at(pathOf(endpoint))) {
      if (seen.has(id)) continue;
      seen.add(id);
      for (const { id: entry, postings } of event.journal_entries) {
        // A transfer within the book is told by the payout and by the account that it arrives on.
        if (seen.has(entry)) continue;
        seen.add(entry);
        for (const { debit, credit, amount } of postings) {
          add(debit.account, -amount);
          add(credit.account, amount);
        }
      }
    }
    for (const { id } of [one, two]) {
      expect(await client.read(`/v1/accounts/${id}`)).toMatchObject({ balance: { posted: balances.get(id), held: 0 } });
    }
    await expectInvariants({ database: product.database, receiver, endpoints: [endpoint] });
  });
});
