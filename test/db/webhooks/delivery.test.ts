import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../../scripts/harness/until.ts';
import { postEvent } from '../../../src/outside/connections/post-event.ts';
import { publicId, type Uuid } from '../../../src/values/ids.ts';
import { newSecret } from '../../../src/values/standard-webhooks.ts';
import { enableEndpoint, rotateSecret } from '../../../src/webhooks/actions/manage-endpoint.ts';
import { getEndpoint } from '../../../src/webhooks/endpoints/endpoint-store.ts';
import { listEvents } from '../../../src/webhooks/events/event-store.ts';
import { eventually } from '../../support/eventually.ts';
import { answering, startSocketServer } from '../../support/receiver.ts';
import { attemptsOf, change, setStage } from './stage.ts';
import { backlogOf, deliveriesOf, START } from './world.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const stage = setStage();

/** What the only attempt took: the wait for the next one begins at its end. */
async function durationMsOf(endpointId: Uuid): Promise<number> {
  const { rows } = await stage.world.pool.query<{ duration_ms: number }>(
    'SELECT duration_ms FROM webhook_attempts WHERE endpoint_id = $1',
    [endpointId],
  );
  expect(rows).toHaveLength(1);
  return rows[0]!.duration_ms;
}

describe('an event', () => {
  test('arrives byte for byte, signed, under its own id, and is recorded', async () => {
    stage.world.clock.set(Date.now());
    const hooks = await stage.receiver(answering(200, {}, 'thanks'));
    const { id, secret } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    await stage.deliverer().deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));

    const [received] = hooks.received;
    const [event] = (await listEvents(stage.world.pool, { bookId: stage.bookId }, { limit: 1 })).rows;
    expect(received!.body).toBe(event!.payload);
    expect(received!.headers).toMatchObject({
      'webhook-id': publicId('event', event!.id),
      'content-type': 'application/json',
    });
    expect(new Webhook(secret).verify(received!.body, received!.headers as Record<string, string>)).toMatchObject({
      type: 'payout.paid',
    });
    expect(await deliveriesOf(stage.world.pool, id)).toEqual([
      { status: 'delivered', attempts: 1, retry_at: null, due_at: null },
    ]);
    expect(await attemptsOf(stage.world, id)).toMatchObject([
      { attempt: 1, status: 200, error: null, response: 'thanks' },
    ]);
  });

  test('is signed with both secrets during a rotation, and with the new one after it', async () => {
    stage.world.clock.set(Date.now());
    const hooks = await stage.receiver();
    const { id, secret } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    const next = newSecret();
    const until = stage.world.clock.now() + MINUTE;
    await stage.world.submit(
      stage.bookId,
      rotateSecret({ ...change(id), ...stage.world.newSecret(stage.bookId, next), previousSecretUntil: until }),
    );
    const posting = stage.deliverer();
    await posting.deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));
    const verified = (number: number, key: string) => () =>
      new Webhook(key).verify(hooks.received[number]!.body, hooks.received[number]!.headers as Record<string, string>);
    expect(verified(0, secret)).not.toThrow();
    expect(verified(0, next)).not.toThrow();
    stage.world.clock.set(until);
    await posting.deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));
    expect(verified(1, next)).not.toThrow();
    expect(verified(1, secret)).toThrow('No matching signature');
  });

  test('is signed with every secret of overlapping rotations, each until its own end', async () => {
    stage.world.clock.set(Date.now());
    const hooks = await stage.receiver();
    const { id, secret } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    const [second, third] = [newSecret(), newSecret()];
    const start = stage.world.clock.now();
    const rotate = (next: string, previousSecretUntil: number) =>
      stage.world.submit(
        stage.bookId,
        rotateSecret({ ...change(id), ...stage.world.newSecret(stage.bookId, next), previousSecretUntil }),
      );
    await rotate(second, start + 2 * MINUTE);
    await rotate(third, start + MINUTE);
    const posting = stage.deliverer();
    const signing = async () => {
      await posting.deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));
      const { body, headers } = hooks.received.at(-1)!;
      return [secret, second, third].map((key) => {
        try {
          return new Webhook(key).verify(body, headers as Record<string, string>) !== undefined;
        } catch {
          return false;
        }
      });
    };
    expect(await signing()).toEqual([true, true, true]);
    // The one that was replaced first ends last.
    stage.world.clock.set(start + MINUTE);
    expect(await signing()).toEqual([true, false, true]);
    stage.world.clock.set(start + 2 * MINUTE);
    expect(await signing()).toEqual([false, false, true]);
  });

  test('that failed is attempted again at its retry time, not before, under the same id', async () => {
    const hooks = await stage.receiver((response, _request, number) =>
      response.writeHead(number === 1 ? 500 : 200).end(),
    );
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid');
    const posting = stage.deliverer();

    await posting.deliver(stage.bookId, ids);
    const [failed] = await deliveriesOf(stage.world.pool, id);
    expect(failed).toMatchObject({ status: 'pending', attempts: 1 });
    expect(failed!.retry_at! - START).toBe((await durationMsOf(id)) + 5_000);
    expect(failed!.due_at).toBe(failed!.retry_at);

    await posting.deliver(stage.bookId, ids);
    expect(hooks.received).toHaveLength(1);

    stage.world.clock.set(failed!.retry_at!);
    await posting.deliver(stage.bookId, ids);
    expect(await deliveriesOf(stage.world.pool, id)).toEqual([
      { status: 'delivered', attempts: 2, retry_at: null, due_at: null },
    ]);
    const [first, second] = hooks.received.map(({ headers }) => headers);
    expect(second!['webhook-id']).toBe(first!['webhook-id']);
    expect(Number(second!['webhook-timestamp'])).toBeGreaterThan(Number(first!['webhook-timestamp']));

    await posting.deliver(stage.bookId, ids);
    expect(hooks.received).toHaveLength(2);
  });

  test('whose due time the sweeper has postponed is attempted all the same: its retry time counts', async () => {
    const hooks = await stage.receiver((response, _request, number) =>
      response.writeHead(number === 1 ? 500 : 200).end(),
    );
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid');
    const posting = stage.deliverer();
    await posting.deliver(stage.bookId, ids);
    stage.world.clock.set(START + MINUTE);
    await stage.world.pool.query(
      "UPDATE webhook_deliveries SET due_at = due_at + interval '1 hour' WHERE endpoint_id = $1",
      [id],
    );
    await posting.deliver(stage.bookId, ids);
    expect(await deliveriesOf(stage.world.pool, id)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  test('is given up after ten attempts, each with its row', async () => {
    const hooks = await stage.receiver(answering(503));
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid');
    const posting = stage.deliverer();
    for (let tries = 0; tries < 12; tries++) {
      await posting.deliver(stage.bookId, ids);
      const [delivery] = await deliveriesOf(stage.world.pool, id);
      if (delivery!.retry_at) stage.world.clock.set(delivery!.retry_at);
    }
    expect(hooks.received).toHaveLength(10);
    expect(await deliveriesOf(stage.world.pool, id)).toEqual([
      { status: 'failed', attempts: 10, retry_at: null, due_at: null },
    ]);
    expect((await attemptsOf(stage.world, id)).map(({ attempt, status }) => [attempt, status])).toEqual(
      Array.from({ length: 10 }, (_, index) => [index + 1, 503]),
    );
    expect(await getEndpoint(stage.world.pool, stage.bookId, id)).toMatchObject({
      status: 'enabled',
      failingSince: START,
    });
  });
});

describe('a receiver', () => {
  test('that sends Retry-After gets that wait', async () => {
    const hooks = await stage.receiver(answering(429, { 'retry-after': '600' }));
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    await stage.deliverer().deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));
    const [delivery] = await deliveriesOf(stage.world.pool, id);
    expect(delivery!.retry_at! - START).toBe((await durationMsOf(id)) + 600_000);
  });

  test('that answers 410 is switched off, others get the event, and waiting deliveries are canceled', async () => {
    const gone = await stage.receiver(answering(410));
    const others = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: gone.url, events: ['*'] });
    const other = await stage.world.endpoint(stage.bookId, { url: others.url, events: ['webhook_endpoint.*'] });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid', 3);
    const posting = stage.deliverer();
    await posting.deliver(stage.bookId, ids.slice(0, 2));
    expect(await getEndpoint(stage.world.pool, stage.bookId, id)).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
    });
    await posting.deliver(stage.bookId, ids);
    expect(gone.received).toHaveLength(2);
    expect((await deliveriesOf(stage.world.pool, id)).map(({ status, due_at }) => [status, due_at])).toEqual([
      ['failed', null],
      ['failed', null],
      ['canceled', null],
    ]);
    const disabled = (
      await listEvents(stage.world.pool, { bookId: stage.bookId, types: ['webhook_endpoint.disabled'] }, { limit: 10 })
    ).rows;
    expect(disabled).toHaveLength(1);
    await posting.deliver(stage.bookId, [`${disabled[0]!.sequence}:${other.id}`]);
    expect(JSON.parse(others.received[0]!.body)).toMatchObject({
      type: 'webhook_endpoint.disabled',
      data: {
        object: { id: publicId('webhookEndpoint', id), disabled_reason: 'gone' },
        previous_attributes: { status: 'enabled' },
      },
    });
  });

  test('without an arrival for five days is switched off; an arrival restarts the count', async () => {
    let status = 500;
    const hooks = await stage.receiver((response) => response.writeHead(status).end());
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    const posting = stage.deliverer();
    const deliverAt = async (moment: number, answer: number) => {
      status = answer;
      stage.world.clock.set(moment);
      await posting.deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));
      return getEndpoint(stage.world.pool, stage.bookId, id);
    };
    expect(await deliverAt(START, 500)).toMatchObject({ status: 'enabled', failingSince: START });
    expect(await deliverAt(START + 4 * DAY, 500)).toMatchObject({ status: 'enabled', failingSince: START });
    expect(await deliverAt(START + 4.5 * DAY, 200)).toMatchObject({ status: 'enabled', failingSince: null });
    expect(await deliverAt(START + 6 * DAY, 500)).toMatchObject({ status: 'enabled', failingSince: START + 6 * DAY });
    expect(await deliverAt(START + 11 * DAY - 1, 500)).toMatchObject({ status: 'enabled' });
    expect(await deliverAt(START + 11 * DAY, 500)).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
    await stage.world.submit(stage.bookId, enableEndpoint(change(id)));
    expect(await deliverAt(START + 12 * DAY, 500)).toMatchObject({ status: 'enabled', failingSince: START + 12 * DAY });
  });

  test('that redirects to a private address is not followed', async () => {
    const secret = await stage.receiver();
    const hooks = await stage.receiver(answering(302, { location: secret.url }));
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    await stage.deliverer().deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));
    expect(await attemptsOf(stage.world, id)).toMatchObject([{ status: 302, error: 'redirect_not_followed' }]);
    expect(await deliveriesOf(stage.world.pool, id)).toMatchObject([{ status: 'pending', attempts: 1 }]);
    expect(secret.received).toHaveLength(0);
  });

  test('that floods counts as reached, and 4 KB of its answer are kept', async () => {
    const hooks = await stage.receiver((response) => {
      response.writeHead(200);
      const flood = () => {
        while (!response.destroyed) if (!response.write('\u0000x'.repeat(8_192))) return response.once('drain', flood);
      };
      flood();
    });
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    await stage.deliverer().deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));
    const [attempt] = await attemptsOf(stage.world, id);
    expect(attempt).toMatchObject({ status: 200, error: null });
    expect(attempt!.response).toBe('\ufffdx'.repeat(2_048));
    expect(await deliveriesOf(stage.world.pool, id)).toMatchObject([{ status: 'delivered' }]);
  });

  test('that drips its headers times out', async () => {
    const server = await startSocketServer((socket) => {
      const drip = setInterval(() => socket.write('x'), 5);
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      socket.on('close', () => clearInterval(drip));
    });
    stage.after(server.close);
    const { id } = await stage.world.endpoint(stage.bookId, { url: server.url });
    await stage.deliverer({ timeoutMs: 50 }).deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));
    expect(await attemptsOf(stage.world, id)).toMatchObject([{ status: null, error: 'timeout', response: null }]);
  });

  test('that hangs does not delay others, and gets a few attempts at a time', async () => {
    const hanging = await stage.receiver(() => undefined);
    const hooks = await stage.receiver();
    const slow = await stage.world.endpoint(stage.bookId, { url: hanging.url, events: ['payout.*'] });
    const quick = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['account.*'] });
    // The good ones have as long as they need.
    const post: typeof postEvent = (agents, request) =>
      postEvent(agents, { ...request, timeoutMs: request.url === hanging.url ? 2_000 : PATIENCE_MS });
    const posting = stage.deliverer({ timeoutMs: PATIENCE_MS, post });
    const hung = posting.deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid', 200));
    await hanging.arrivals(1);
    await posting.deliver(stage.bookId, await stage.world.emit(stage.bookId, 'account.created', 50));
    expect(hooks.received).toHaveLength(50);
    await hung;
    await eventually(async () => expect((await backlogOf(stage.world.pool, slow.id)).retry_attempts).toBe(1));
    const states = await deliveriesOf(stage.world.pool, slow.id);
    expect(states).toHaveLength(200);
    // The attempts that the endpoint may have at once, and those in flight when the endpoint fell behind.
    expect(states.filter(({ attempts }) => attempts === 1).length).toBeLessThan(40);
    // Not attempted: they keep their first due time.
    expect(states.filter(({ attempts, due_at }) => attempts === 0 && due_at === START + 30_000).length).toBeGreaterThan(
      160,
    );
    expect((await deliveriesOf(stage.world.pool, quick.id)).every(({ status }) => status === 'delivered')).toBe(true);
  });
});

describe('addresses are checked at the connection', () => {
  test('a live book cannot reach a private address by name, whatever the allow list says', async () => {
    const hooks = await stage.receiver();
    const book = stage.world.liveBook;
    const { id } = await stage.world.endpoint(book, {
      url: `https://hooks.example.com:${hooks.port}/`,
      ports: [hooks.port],
    });
    const posting = stage.deliverer({
      allowHosts: ['127.0.0.1:*', 'hooks.example.com:*'],
      resolve: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    await posting.deliver(book, await stage.world.emit(book, 'payout.paid'));
    expect(await attemptsOf(stage.world, id)).toMatchObject([{ status: null, error: 'address_forbidden' }]);
    expect(hooks.received).toHaveLength(0);
  });

  test('an endpoint that the operator no longer allows is not called', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    await stage
      .deliverer({ allowHosts: [] })
      .deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid'));
    expect(await attemptsOf(stage.world, id)).toMatchObject([{ error: 'address_forbidden' }]);
    expect(hooks.received).toHaveLength(0);
  });
});
