import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPool } from '../../src/db/pool.ts';
import { createSecretBox } from '../../src/db/secret-box.ts';
import { newId, publicId, type Uuid } from '../../src/ids.ts';
import { createDeliverer, type Deliverer, type DelivererOptions } from '../../src/webhooks/deliver-webhook.ts';
import { deliveryView, listDeliveries } from '../../src/webhooks/delivery-list-store.ts';
import { getEndpoint } from '../../src/webhooks/endpoint-store.ts';
import { listEvents } from '../../src/webhooks/event-store.ts';
import { deleteEndpoint, disableEndpoint, enableEndpoint, rotateSecret } from '../../src/webhooks/manage-endpoint.ts';
import { newSecret } from '../../src/webhooks/signature.ts';
import { type Answer, answering, type Receiver, startReceiver, startSocketServer } from '../unit/webhooks/receiver.ts';
import { createWorld, deliveriesOf, log, START, type World } from './webhooks-world.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let world: World;
let bookId: string;
let failures: { id: string; error: unknown }[];
const cleanUp: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());
beforeEach(async () => {
  world.clock.set(START);
  bookId = await world.newBook();
  failures = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

function deliverer(options: Partial<DelivererOptions> = {}): Deliverer {
  const { pool, committer, secretBox, clock } = world;
  const made = createDeliverer({
    pool,
    committer,
    secretBox,
    clock,
    log,
    allowHosts: ['127.0.0.1:*'],
    random: () => 0.5,
    deliveryFailed: async (_bookId, id, error) => failures.push({ id, error }),
    ...options,
  });
  cleanUp.push(() => made.close());
  return made;
}

async function receiver(answer?: Answer): Promise<Receiver> {
  const made = await startReceiver(answer);
  cleanUp.push(made.close);
  return made;
}

const attemptsOf = async (endpointId: Uuid) =>
  (
    await world.pool.query<{
      attempt: number;
      status: number | null;
      error: string | null;
      response: string | null;
      started_at: number;
    }>(
      'SELECT attempt, status, error, response, started_at FROM webhook_attempts WHERE endpoint_id = $1 ORDER BY event_sequence, attempt',
      [endpointId],
    )
  ).rows;

const change = (endpointId: Uuid) => ({ endpointId, requestId: newId(), actor: 'test' });

describe('an event', () => {
  test('arrives as it was written, signed, under its own id, and is recorded', async () => {
    world.clock.set(Date.now());
    const hooks = await receiver(answering(200, {}, 'thanks'));
    const { id, secret } = await world.endpoint(bookId, { url: hooks.url });
    await deliverer().deliver(bookId, await world.emit(bookId, 'payout.paid'));

    const [received] = hooks.received;
    const [event] = (await listEvents(world.pool, { bookId }, { limit: 1 })).rows;
    expect(received!.body).toBe(event!.payload);
    expect(received!.headers).toMatchObject({
      'webhook-id': publicId('event', event!.id),
      'content-type': 'application/json',
    });
    expect(new Webhook(secret).verify(received!.body, received!.headers as Record<string, string>)).toMatchObject({
      type: 'payout.paid',
    });
    expect(await deliveriesOf(world.pool, id)).toEqual([
      { status: 'delivered', attempts: 1, retry_at: null, due_at: null },
    ]);
    expect(await attemptsOf(id)).toMatchObject([{ attempt: 1, status: 200, error: null, response: 'thanks' }]);
  });

  test('is signed with both secrets during a rotation, and with one after it', async () => {
    world.clock.set(Date.now());
    const hooks = await receiver();
    const { id, secret } = await world.endpoint(bookId, { url: hooks.url, events: ['payout.*'] });
    const next = newSecret();
    const until = world.clock.now() + MINUTE;
    await world.submit(
      bookId,
      rotateSecret({ ...change(id), secretSealed: world.secretBox.seal(next), previousSecretUntil: until }),
    );
    const posting = deliverer();
    await posting.deliver(bookId, await world.emit(bookId, 'payout.paid'));
    const verified = (number: number, key: string) => () =>
      new Webhook(key).verify(hooks.received[number]!.body, hooks.received[number]!.headers as Record<string, string>);
    expect(verified(0, secret)).not.toThrow();
    expect(verified(0, next)).not.toThrow();
    world.clock.set(until);
    await posting.deliver(bookId, await world.emit(bookId, 'payout.paid'));
    expect(verified(1, next)).not.toThrow();
    expect(verified(1, secret)).toThrow('No matching signature');
  });

  test('that failed is tried again when its time has come and not before, under the same id', async () => {
    const hooks = await receiver((response, _request, number) => response.writeHead(number === 1 ? 500 : 200).end());
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid');
    const posting = deliverer();

    await posting.deliver(bookId, ids);
    const [failed] = await deliveriesOf(world.pool, id);
    expect(failed).toMatchObject({ status: 'pending', attempts: 1 });
    expect(failed!.retry_at! - START).toBeGreaterThanOrEqual(5_000);
    expect(failed!.retry_at! - START).toBeLessThan(6_000); // the wait, and the time that the try took
    expect(failed!.due_at).toBe(failed!.retry_at);

    await posting.deliver(bookId, ids);
    expect(hooks.received).toHaveLength(1);

    world.clock.set(failed!.retry_at!);
    await posting.deliver(bookId, ids);
    expect(await deliveriesOf(world.pool, id)).toEqual([
      { status: 'delivered', attempts: 2, retry_at: null, due_at: null },
    ]);
    const [first, second] = hooks.received.map(({ headers }) => headers);
    expect(second!['webhook-id']).toBe(first!['webhook-id']);
    expect(Number(second!['webhook-timestamp'])).toBeGreaterThan(Number(first!['webhook-timestamp']));

    await posting.deliver(bookId, ids);
    expect(hooks.received).toHaveLength(2);
  });

  test('whose alarm the sweeper has moved is tried all the same: its own time counts', async () => {
    const hooks = await receiver((response, _request, number) => response.writeHead(number === 1 ? 500 : 200).end());
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid');
    const posting = deliverer();
    await posting.deliver(bookId, ids);
    world.clock.set(START + MINUTE);
    await world.pool.query("UPDATE webhook_deliveries SET due_at = due_at + interval '1 hour' WHERE endpoint_id = $1", [
      id,
    ]);
    await posting.deliver(bookId, ids);
    expect(await deliveriesOf(world.pool, id)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  test('is given up after ten tries, each with its row', async () => {
    const hooks = await receiver(answering(503));
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid');
    const posting = deliverer();
    for (let tries = 0; tries < 12; tries++) {
      await posting.deliver(bookId, ids);
      const [delivery] = await deliveriesOf(world.pool, id);
      if (delivery!.retry_at) world.clock.set(delivery!.retry_at);
    }
    expect(hooks.received).toHaveLength(10);
    expect(await deliveriesOf(world.pool, id)).toEqual([
      { status: 'failed', attempts: 10, retry_at: null, due_at: null },
    ]);
    expect((await attemptsOf(id)).map(({ attempt, status }) => [attempt, status])).toEqual(
      Array.from({ length: 10 }, (_, index) => [index + 1, 503]),
    );
    expect(await getEndpoint(world.pool, bookId, id)).toMatchObject({ status: 'enabled', failingSince: START });
  });
});

describe('a receiver', () => {
  test('that asks for patience gets it', async () => {
    const hooks = await receiver(answering(429, { 'retry-after': '600' }));
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    await deliverer().deliver(bookId, await world.emit(bookId, 'payout.paid'));
    const [delivery] = await deliveriesOf(world.pool, id);
    expect(delivery!.retry_at! - START).toBeGreaterThanOrEqual(600_000);
    expect(delivery!.retry_at! - START).toBeLessThan(601_000);
  });

  test('that is gone is switched off, the others are told, and what still waited is canceled', async () => {
    const gone = await receiver(answering(410));
    const others = await receiver();
    const { id } = await world.endpoint(bookId, { url: gone.url, events: ['*'] });
    const other = await world.endpoint(bookId, { url: others.url, events: ['webhook_endpoint.*'] });
    const ids = await world.emit(bookId, 'payout.paid', 3);
    const posting = deliverer();
    await posting.deliver(bookId, ids.slice(0, 2));
    expect(await getEndpoint(world.pool, bookId, id)).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
    await posting.deliver(bookId, ids);
    expect(gone.received).toHaveLength(2);
    expect((await deliveriesOf(world.pool, id)).map(({ status, due_at }) => [status, due_at])).toEqual([
      ['failed', null],
      ['failed', null],
      ['canceled', null],
    ]);
    const disabled = (await listEvents(world.pool, { bookId, types: ['webhook_endpoint.disabled'] }, { limit: 10 }))
      .rows;
    expect(disabled).toHaveLength(1);
    await posting.deliver(bookId, [`${disabled[0]!.sequence}:${other.id}`]);
    expect(JSON.parse(others.received[0]!.body)).toMatchObject({
      type: 'webhook_endpoint.disabled',
      data: {
        object: { id: publicId('webhookEndpoint', id), disabled_reason: 'gone' },
        previous_attributes: { status: 'enabled' },
      },
    });
  });

  test('at which nothing arrived for five days is switched off; one arrival before begins anew', async () => {
    let status = 500;
    const hooks = await receiver((response) => response.writeHead(status).end());
    const { id } = await world.endpoint(bookId, { url: hooks.url, events: ['payout.*'] });
    const posting = deliverer();
    const deliverAt = async (moment: number, answer: number) => {
      status = answer;
      world.clock.set(moment);
      await posting.deliver(bookId, await world.emit(bookId, 'payout.paid'));
      return getEndpoint(world.pool, bookId, id);
    };
    expect(await deliverAt(START, 500)).toMatchObject({ status: 'enabled', failingSince: START });
    expect(await deliverAt(START + 4 * DAY, 500)).toMatchObject({ status: 'enabled', failingSince: START });
    expect(await deliverAt(START + 4.5 * DAY, 200)).toMatchObject({ status: 'enabled', failingSince: null });
    expect(await deliverAt(START + 6 * DAY, 500)).toMatchObject({ status: 'enabled', failingSince: START + 6 * DAY });
    expect(await deliverAt(START + 11 * DAY - 1, 500)).toMatchObject({ status: 'enabled' });
    expect(await deliverAt(START + 11 * DAY, 500)).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
    await world.submit(bookId, enableEndpoint(change(id)));
    expect(await deliverAt(START + 12 * DAY, 500)).toMatchObject({ status: 'enabled', failingSince: START + 12 * DAY });
  });

  test('that redirects to a private address is not followed', async () => {
    const secret = await receiver();
    const hooks = await receiver(answering(302, { location: secret.url }));
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    await deliverer().deliver(bookId, await world.emit(bookId, 'payout.paid'));
    expect(await attemptsOf(id)).toMatchObject([{ status: 302, error: null }]);
    expect(await deliveriesOf(world.pool, id)).toMatchObject([{ status: 'pending', attempts: 1 }]);
    expect(secret.received).toHaveLength(0);
  });

  test('that floods has the event, and 4 KB of its answer are kept', async () => {
    const hooks = await receiver((response) => {
      response.writeHead(200);
      const flood = () => {
        while (!response.destroyed) if (!response.write('\u0000x'.repeat(8_192))) return response.once('drain', flood);
      };
      flood();
    });
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    await deliverer().deliver(bookId, await world.emit(bookId, 'payout.paid'));
    const [attempt] = await attemptsOf(id);
    expect(attempt).toMatchObject({ status: 200, error: null });
    expect(attempt!.response).toBe('\ufffdx'.repeat(2_048));
    expect(await deliveriesOf(world.pool, id)).toMatchObject([{ status: 'delivered' }]);
  });

  test('that drips its headers runs out of time', async () => {
    const server = await startSocketServer((socket) => {
      const drip = setInterval(() => socket.write('x'), 5);
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      socket.on('close', () => clearInterval(drip));
    });
    cleanUp.push(server.close);
    const { id } = await world.endpoint(bookId, { url: server.url });
    await deliverer({ timeoutMs: 50 }).deliver(bookId, await world.emit(bookId, 'payout.paid'));
    expect(await attemptsOf(id)).toMatchObject([{ status: null, error: 'timeout', response: null }]);
  });

  test('that hangs does not hold up the others, and is left with a few tries at a time', async () => {
    const hanging = await receiver(() => undefined);
    const hooks = await receiver();
    const slow = await world.endpoint(bookId, { url: hanging.url, events: ['payout.*'] });
    const quick = await world.endpoint(bookId, { url: hooks.url, events: ['account.*'] });
    const posting = deliverer({ timeoutMs: 2_000 });
    const hung = posting.deliver(bookId, await world.emit(bookId, 'payout.paid', 200));
    await hanging.arrivals(1);
    await posting.deliver(bookId, await world.emit(bookId, 'account.created', 50));
    expect(hooks.received).toHaveLength(50);
    expect(await deliveriesOf(world.pool, slow.id)).toHaveLength(200);
    await hung;
    const states = await deliveriesOf(world.pool, slow.id);
    expect(states.filter(({ attempts }) => attempts === 1)).toHaveLength(64);
    // Turned away, not tried: still pending with the alarm they were written with.
    expect(states.filter(({ attempts, due_at }) => attempts === 0 && due_at === START + 30_000)).toHaveLength(136);
    expect((await deliveriesOf(world.pool, quick.id)).every(({ status }) => status === 'delivered')).toBe(true);
  });
});

describe('addresses are checked at the connection', () => {
  test('a live book is not led inside by a name, whatever the allow list says', async () => {
    const hooks = await receiver();
    const book = world.liveBook;
    const { id } = await world.endpoint(book, { url: `https://hooks.example.com:${hooks.port}/` });
    const posting = deliverer({
      allowHosts: ['127.0.0.1:*', 'hooks.example.com:*'],
      resolve: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    await posting.deliver(book, await world.emit(book, 'payout.paid'));
    expect(await attemptsOf(id)).toMatchObject([{ status: null, error: 'address_forbidden' }]);
    expect(hooks.received).toHaveLength(0);
  });

  test('an endpoint that the operator no longer allows is not reached', async () => {
    const hooks = await receiver();
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    await deliverer({ allowHosts: [] }).deliver(bookId, await world.emit(bookId, 'payout.paid'));
    expect(await attemptsOf(id)).toMatchObject([{ error: 'address_forbidden' }]);
    expect(hooks.received).toHaveLength(0);
  });
});

describe('an endpoint that is switched off', () => {
  test('gets nothing; what falls due meanwhile is canceled, what does not goes on afterwards', async () => {
    const hooks = await receiver();
    const { id } = await world.endpoint(bookId, { url: hooks.url, events: ['payout.*'] });
    const [due, later] = await world.emit(bookId, 'payout.paid', 2);
    await world.submit(bookId, disableEndpoint(change(id)));
    const posting = deliverer();
    await posting.deliver(bookId, [due!]);
    await world.submit(bookId, enableEndpoint(change(id)));
    await posting.deliver(bookId, [due!, later!]);
    expect(hooks.received).toHaveLength(1);
    expect(await deliveriesOf(world.pool, id)).toEqual([
      { status: 'canceled', attempts: 0, retry_at: null, due_at: null },
      { status: 'delivered', attempts: 1, retry_at: null, due_at: null },
    ]);
    expect(await attemptsOf(id)).toHaveLength(1);
  });

  test('while a try is under way stays canceled where another process said so first', async () => {
    const answers: (() => void)[] = [];
    const hooks = await receiver((response) => answers.push(() => response.writeHead(200).end()));
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid');
    const sending = deliverer().deliver(bookId, ids);
    await hooks.arrivals(1);
    await world.submit(bookId, disableEndpoint(change(id)));
    await deliverer().deliver(bookId, ids);
    answers[0]!();
    await sending;
    expect(await deliveriesOf(world.pool, id)).toMatchObject([{ status: 'canceled', attempts: 0 }]);
    expect(await attemptsOf(id)).toEqual([]);
    expect(failures).toEqual([]);
  });

  test('for good is sent nothing more', async () => {
    const hooks = await receiver();
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid');
    await world.submit(bookId, deleteEndpoint(change(id)));
    await deliverer().deliver(bookId, ids);
    expect(hooks.received).toHaveLength(0);
    expect(await deliveriesOf(world.pool, id)).toMatchObject([{ status: 'canceled', due_at: null }]);
  });
});

describe('bells', () => {
  test('that ring twice at the same time are answered once', async () => {
    const hooks = await receiver();
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid', 20);
    const posting = deliverer();
    await Promise.all([
      posting.deliver(bookId, ids),
      posting.deliver(bookId, ids),
      posting.deliver(bookId, [...ids, ...ids]),
    ]);
    expect(hooks.received).toHaveLength(20);
    expect(
      (await deliveriesOf(world.pool, id)).every(({ status, attempts }) => status === 'delivered' && attempts === 1),
    ).toBe(true);
  });

  test('answered by two processes at once are recorded once, and the slower one changes nothing', async () => {
    const answers: ((status: number) => void)[] = [];
    const hooks = await receiver((response) => answers.push((status) => response.writeHead(status).end()));
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid');
    const both = [deliverer().deliver(bookId, ids), deliverer().deliver(bookId, ids)];
    await hooks.arrivals(2);
    answers[0]!(500);
    await Promise.race(both);
    const recorded = await deliveriesOf(world.pool, id);
    expect(recorded).toMatchObject([{ status: 'pending', attempts: 1 }]);
    answers[1]!(200);
    await Promise.all(both);
    expect(await deliveriesOf(world.pool, id)).toEqual(recorded);
    expect(await attemptsOf(id)).toMatchObject([{ attempt: 1, status: 500 }]);
    expect(new Set(hooks.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(failures).toEqual([]);
  });

  test('that name nothing are not answered', async () => {
    const posting = deliverer();
    await expect(posting.deliver(bookId, ['', 'nonsense', `99:${newId()}`])).resolves.toBeUndefined();
    await expect(posting.deliver(newId(), await world.emit(bookId, 'payout.paid'))).resolves.toBeUndefined();
  });

  test('of a crowd share queries and commits', async () => {
    const hooks = await receiver();
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid', 600);
    const query = vi.spyOn(world.pool, 'query');
    const jobs = Array.from({ length: 6 }, (_, job) => ids.slice(job * 100, (job + 1) * 100));
    const posting = deliverer();
    await Promise.all(jobs.map((job) => posting.deliver(bookId, job)));
    expect(hooks.received).toHaveLength(600);
    expect((await deliveriesOf(world.pool, id)).filter(({ status }) => status === 'delivered')).toHaveLength(600);
    const names = query.mock.calls.map(([config]) => (config as { name?: string }).name);
    expect(names.filter((name) => name === 'webhook_deliveries.load').length).toBeLessThanOrEqual(2);
    expect(names.filter((name) => name === 'webhook_deliveries.record').length).toBeLessThan(100);
  });
});

describe('when something breaks', () => {
  /** Fails the recording of results as told, once. */
  function failRecording(error: Error & { code?: string }) {
    const query = world.pool.query.bind(world.pool) as (...given: unknown[]) => Promise<unknown>;
    let failed = false;
    vi.spyOn(world.pool, 'query').mockImplementation(((config: { name?: string }, ...rest: unknown[]) => {
      if (failed || config.name !== 'webhook_deliveries.record') return query(config, ...rest);
      failed = true;
      return Promise.reject(error);
    }) as never);
  }

  test('a deadlock while recording is no reason to send again', async () => {
    const hooks = await receiver();
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid', 5);
    failRecording(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
    await deliverer().deliver(bookId, ids);
    expect(hooks.received).toHaveLength(5);
    expect((await deliveriesOf(world.pool, id)).every(({ status }) => status === 'delivered')).toBe(true);
  });

  test('a result that cannot be recorded leaves the delivery to the sweeper', async () => {
    const hooks = await receiver();
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid');
    failRecording(new TypeError('a bug'));
    await expect(deliverer().deliver(bookId, ids)).rejects.toThrow('a bug');
    expect(await deliveriesOf(world.pool, id)).toEqual([
      { status: 'pending', attempts: 0, retry_at: null, due_at: START + 30_000 },
    ]);
    await deliverer().deliver(bookId, ids);
    expect(await deliveriesOf(world.pool, id)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(hooks.received).toHaveLength(2);
  });

  test('a row that the database refuses is found among a hundred, and the others are recorded', async () => {
    const hooks = await receiver((response, request) =>
      response.writeHead(200).end(request.body.includes('object_37') ? 'poison' : 'ok'),
    );
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid', 100);
    const owner = createPool({ url: world.ownerUrl, name: 'test', size: 1, log });
    cleanUp.push(async () => {
      await owner.query('ALTER TABLE webhook_attempts DROP CONSTRAINT no_poison');
      await owner.end();
    });
    await owner.query("ALTER TABLE webhook_attempts ADD CONSTRAINT no_poison CHECK (response <> 'poison')");
    await deliverer().deliver(bookId, ids);
    expect(failures).toEqual([{ id: ids[36], error: expect.objectContaining({ code: '23514' }) }]);
    const states = await deliveriesOf(world.pool, id);
    expect(states.filter(({ status }) => status === 'delivered')).toHaveLength(99);
    expect(states[36]).toMatchObject({ status: 'pending', attempts: 0 });
  });

  test('an endpoint whose secret cannot be opened is a fault of ours, and no other endpoint suffers', async () => {
    const hooks = await receiver();
    const stranger = createSecretBox(Buffer.alloc(32, 7).toString('base64'));
    const broken = await world.endpoint(bookId, { url: hooks.url, secretSealed: stranger.seal(newSecret()) });
    const well = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid');
    await deliverer().deliver(bookId, ids);
    expect(failures).toEqual([
      { id: ids.find((id) => id.endsWith(broken.id)), error: expect.objectContaining({ name: 'SecretBoxError' }) },
    ]);
    expect(await deliveriesOf(world.pool, broken.id)).toMatchObject([{ status: 'pending', attempts: 0 }]);
    expect(await deliveriesOf(world.pool, well.id)).toMatchObject([{ status: 'delivered' }]);
  });

  test('what is stuck is left alone until somebody retries it', async () => {
    const hooks = await receiver();
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const ids = await world.emit(bookId, 'payout.paid');
    await world.pool.query("UPDATE webhook_deliveries SET stuck_at = now(), stuck_error = 'x' WHERE endpoint_id = $1", [
      id,
    ]);
    await deliverer().deliver(bookId, ids);
    expect(hooks.received).toHaveLength(0);
    await world.pool.query('UPDATE webhook_deliveries SET stuck_at = NULL, stuck_error = NULL WHERE endpoint_id = $1', [
      id,
    ]);
    await deliverer().deliver(bookId, ids);
    expect(hooks.received).toHaveLength(1);
  });

  test('a process that stops finishes and records what it has begun, and begins nothing more', async () => {
    const answers: (() => void)[] = [];
    const hooks = await receiver((response) => answers.push(() => response.writeHead(200).end()));
    const { id } = await world.endpoint(bookId, { url: hooks.url });
    const [first, second] = await world.emit(bookId, 'payout.paid', 2);
    const posting = deliverer();
    const delivering = posting.deliver(bookId, [first!]);
    await hooks.arrivals(1);
    const closing = posting.close();
    await posting.deliver(bookId, [second!]);
    answers[0]!();
    await Promise.all([closing, delivering]);
    expect((await deliveriesOf(world.pool, id)).map(({ status }) => status)).toEqual(['delivered', 'pending']);
    expect(hooks.received).toHaveLength(1);
  });
});

describe('the deliveries of an endpoint', () => {
  test('are listed newest first with every try, by status and in pages', async () => {
    const hooks = await receiver((response, request) =>
      response.writeHead(request.body.includes('object_2') ? 500 : 200).end('ok'),
    );
    const { id } = await world.endpoint(bookId, { url: hooks.url, events: ['payout.*'] });
    await world.emit(bookId, 'account.created');
    const ids = await world.emit(bookId, 'payout.paid', 3);
    await deliverer().deliver(bookId, ids);
    const list = async (
      statuses: Parameters<typeof listDeliveries>[1]['statuses'],
      page: Parameters<typeof listDeliveries>[2],
    ) => listDeliveries(world.pool, { bookId, endpointId: id, statuses }, page);

    const all = await list(undefined, { limit: 10 });
    expect(all.rows.map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ['delivered', 1],
      ['pending', 1],
      ['delivered', 1],
    ]);
    expect(all.hasMore).toBe(false);
    expect((await list(['pending', 'failed'], { limit: 10 })).rows).toEqual([all.rows[1]]);
    expect((await list(['delivered'], { limit: 1 })).rows).toEqual([all.rows[0]]);
    const next = await list(undefined, { limit: 1, startingAfter: all.rows[0]!.eventId });
    expect(next).toEqual({ rows: [all.rows[1]], hasMore: true });
    expect(await list(undefined, { limit: 5, endingBefore: all.rows[2]!.eventId })).toEqual({
      rows: all.rows.slice(0, 2),
      hasMore: false,
    });
    await expect(list(undefined, { limit: 1, startingAfter: newId() })).rejects.toMatchObject({
      code: 'cursor_invalid',
    });

    expect(deliveryView(all.rows[1]!, false)).toMatchObject({
      object: 'webhook_delivery',
      event: publicId('event', all.rows[1]!.eventId),
      endpoint: publicId('webhookEndpoint', id),
      event_type: 'payout.paid',
      status: 'pending',
      attempts: [{ attempt: 1, status: 500, error: null, response: 'ok', started_at: '2026-03-01T12:00:00.000Z' }],
    });
  });
});
