import { describe, expect, test, vi } from 'vitest';
import { createPool } from '../../../src/db/pool.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import { deleteEndpoint, disableEndpoint, enableEndpoint } from '../../../src/webhooks/actions/manage-endpoint.ts';
import { deliveryView, listDeliveries } from '../../../src/webhooks/deliveries/delivery-list-store.ts';
import { attemptsOf, change, setStage } from './stage.ts';
import { deliveriesOf, log, START } from './world.ts';

const stage = setStage();

describe('an endpoint that is switched off', () => {
  test('gets nothing; deliveries due meanwhile are canceled, others are sent afterwards', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    const [due, later] = await stage.world.emit(stage.bookId, 'payout.paid', 2);
    await stage.world.submit(stage.bookId, disableEndpoint(change(id)));
    const posting = stage.deliverer();
    await posting.deliver(stage.bookId, [due!]);
    await stage.world.submit(stage.bookId, enableEndpoint(change(id)));
    await posting.deliver(stage.bookId, [due!, later!]);
    expect(hooks.received).toHaveLength(1);
    expect(await deliveriesOf(stage.world.pool, id)).toEqual([
      { status: 'canceled', attempts: 0, retry_at: null, due_at: null },
      { status: 'delivered', attempts: 1, retry_at: null, due_at: null },
    ]);
    expect(await attemptsOf(stage.world, id)).toHaveLength(1);
  });

  test('during an attempt keeps the delivery canceled if another process canceled it first', async () => {
    const answers: (() => void)[] = [];
    const hooks = await stage.receiver((response) => answers.push(() => response.writeHead(200).end()));
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid');
    const sending = stage.deliverer().deliver(stage.bookId, ids);
    await hooks.arrivals(1);
    await stage.world.submit(stage.bookId, disableEndpoint(change(id)));
    await stage.deliverer().deliver(stage.bookId, ids);
    answers[0]!();
    await sending;
    expect(await deliveriesOf(stage.world.pool, id)).toMatchObject([{ status: 'canceled', attempts: 0 }]);
    expect(await attemptsOf(stage.world, id)).toEqual([]);
    expect(stage.failures).toEqual([]);
  });

  test('and deleted gets nothing more', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid');
    await stage.world.submit(stage.bookId, deleteEndpoint(change(id)));
    await stage.deliverer().deliver(stage.bookId, ids);
    expect(hooks.received).toHaveLength(0);
    expect(await deliveriesOf(stage.world.pool, id)).toMatchObject([{ status: 'canceled', due_at: null }]);
  });
});

describe('jobs', () => {
  test('enqueued twice at the same time send each delivery once', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid', 20);
    const posting = stage.deliverer();
    await Promise.all([
      posting.deliver(stage.bookId, ids),
      posting.deliver(stage.bookId, ids),
      posting.deliver(stage.bookId, [...ids, ...ids]),
    ]);
    expect(hooks.received).toHaveLength(20);
    expect(
      (await deliveriesOf(stage.world.pool, id)).every(
        ({ status, attempts }) => status === 'delivered' && attempts === 1,
      ),
    ).toBe(true);
  });

  test('processed by two processes at once are recorded once, and the slower result changes nothing', async () => {
    const answers: ((status: number) => void)[] = [];
    const hooks = await stage.receiver((response) => answers.push((status) => response.writeHead(status).end()));
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid');
    const both = [stage.deliverer().deliver(stage.bookId, ids), stage.deliverer().deliver(stage.bookId, ids)];
    await hooks.arrivals(2);
    answers[0]!(500);
    await Promise.race(both);
    const recorded = await deliveriesOf(stage.world.pool, id);
    expect(recorded).toMatchObject([{ status: 'pending', attempts: 1 }]);
    answers[1]!(200);
    await Promise.all(both);
    expect(await deliveriesOf(stage.world.pool, id)).toEqual(recorded);
    expect(await attemptsOf(stage.world, id)).toMatchObject([{ attempt: 1, status: 500 }]);
    expect(new Set(hooks.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(stage.failures).toEqual([]);
  });

  test('with ids of no delivery send nothing', async () => {
    const posting = stage.deliverer();
    await expect(posting.deliver(stage.bookId, ['', 'nonsense', `99:${newId()}`])).resolves.toBeUndefined();
    await expect(
      posting.deliver(newId(), await stage.world.emit(stage.bookId, 'payout.paid')),
    ).resolves.toBeUndefined();
  });

  test('in a crowd share queries and commits', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid', 600);
    const query = vi.spyOn(stage.world.pool, 'query');
    const jobs = Array.from({ length: 6 }, (_, job) => ids.slice(job * 100, (job + 1) * 100));
    const posting = stage.deliverer();
    await Promise.all(jobs.map((job) => posting.deliver(stage.bookId, job)));
    expect(hooks.received).toHaveLength(600);
    expect((await deliveriesOf(stage.world.pool, id)).filter(({ status }) => status === 'delivered')).toHaveLength(600);
    const names = query.mock.calls.map(([config]) => (config as { name?: string }).name);
    expect(names.filter((name) => name === 'webhook_deliveries.load').length).toBeLessThanOrEqual(2);
    expect(names.filter((name) => name === 'webhook_deliveries.record').length).toBeLessThan(100);
  });
});

describe('when something breaks', () => {
  /** Fails the next recording of results with the error, once. */
  function failRecording(error: Error & { code?: string }) {
    const query = stage.world.pool.query.bind(stage.world.pool) as (...given: unknown[]) => Promise<unknown>;
    let failed = false;
    vi.spyOn(stage.world.pool, 'query').mockImplementation(((config: { name?: string }, ...rest: unknown[]) => {
      if (failed || config.name !== 'webhook_deliveries.record') return query(config, ...rest);
      failed = true;
      return Promise.reject(error);
    }) as never);
  }

  test('a deadlock while recording does not cause another attempt', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid', 5);
    failRecording(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
    await stage.deliverer().deliver(stage.bookId, ids);
    expect(hooks.received).toHaveLength(5);
    expect((await deliveriesOf(stage.world.pool, id)).every(({ status }) => status === 'delivered')).toBe(true);
  });

  test('a result that cannot be recorded leaves the delivery to the sweeper', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid');
    failRecording(new TypeError('a bug'));
    await expect(stage.deliverer().deliver(stage.bookId, ids)).rejects.toThrow('a bug');
    expect(await deliveriesOf(stage.world.pool, id)).toEqual([
      { status: 'pending', attempts: 0, retry_at: null, due_at: START + 30_000 },
    ]);
    await stage.deliverer().deliver(stage.bookId, ids);
    expect(await deliveriesOf(stage.world.pool, id)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(hooks.received).toHaveLength(2);
  });

  test('of a hundred rows, the one that the database refuses is found, and the others are recorded', async () => {
    const hooks = await stage.receiver((response, request) =>
      response.writeHead(200).end(request.body.includes('object_37') ? 'poison' : 'ok'),
    );
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid', 100);
    const owner = createPool({ url: stage.world.ownerUrl, name: 'test', size: 1, log });
    stage.after(async () => {
      await owner.query('ALTER TABLE webhook_attempts DROP CONSTRAINT no_poison');
      await owner.end();
    });
    await owner.query("ALTER TABLE webhook_attempts ADD CONSTRAINT no_poison CHECK (response <> 'poison')");
    await stage.deliverer().deliver(stage.bookId, ids);
    expect(stage.failures).toEqual([{ id: ids[36], error: expect.objectContaining({ code: '23514' }) }]);
    const states = await deliveriesOf(stage.world.pool, id);
    expect(states.filter(({ status }) => status === 'delivered')).toHaveLength(99);
    expect(states[36]).toMatchObject({ status: 'pending', attempts: 0 });
  });

  test('an endpoint whose secret does not open is our failure, and other endpoints are not affected', async () => {
    const hooks = await stage.receiver();
    const stranger = createSecretBox(Buffer.alloc(32, 7).toString('base64'));
    const broken = await stage.world.endpoint(stage.bookId, {
      url: hooks.url,
      secretBox: stranger,
    });
    const well = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid');
    await stage.deliverer().deliver(stage.bookId, ids);
    expect(stage.failures).toEqual([
      { id: ids.find((id) => id.endsWith(broken.id)), error: expect.objectContaining({ name: 'SecretBoxError' }) },
    ]);
    expect(await deliveriesOf(stage.world.pool, broken.id)).toMatchObject([{ status: 'pending', attempts: 0 }]);
    expect(await deliveriesOf(stage.world.pool, well.id)).toMatchObject([{ status: 'delivered' }]);
  });

  test('a stuck delivery is left alone until it is retried', async () => {
    const hooks = await stage.receiver();
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const ids = await stage.world.emit(stage.bookId, 'payout.paid');
    await stage.world.pool.query(
      "UPDATE webhook_deliveries SET stuck_at = now(), stuck_error = 'x' WHERE endpoint_id = $1",
      [id],
    );
    await stage.deliverer().deliver(stage.bookId, ids);
    expect(hooks.received).toHaveLength(0);
    await stage.world.pool.query(
      'UPDATE webhook_deliveries SET stuck_at = NULL, stuck_error = NULL WHERE endpoint_id = $1',
      [id],
    );
    await stage.deliverer().deliver(stage.bookId, ids);
    expect(hooks.received).toHaveLength(1);
  });

  test('a process that stops finishes and records its attempts, and begins no more', async () => {
    const answers: (() => void)[] = [];
    const hooks = await stage.receiver((response) => answers.push(() => response.writeHead(200).end()));
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url });
    const [first, second] = await stage.world.emit(stage.bookId, 'payout.paid', 2);
    const posting = stage.deliverer();
    const delivering = posting.deliver(stage.bookId, [first!]);
    await hooks.arrivals(1);
    const closing = posting.close();
    await posting.deliver(stage.bookId, [second!]);
    answers[0]!();
    await Promise.all([closing, delivering]);
    expect((await deliveriesOf(stage.world.pool, id)).map(({ status }) => status)).toEqual(['delivered', 'pending']);
    expect(hooks.received).toHaveLength(1);
  });
});

describe('the deliveries of an endpoint', () => {
  test('are listed newest first with every attempt, by status and in pages', async () => {
    const hooks = await stage.receiver((response, request) =>
      response.writeHead(request.body.includes('object_2') ? 500 : 200).end('ok'),
    );
    const { id } = await stage.world.endpoint(stage.bookId, { url: hooks.url, events: ['payout.*'] });
    await stage.world.emit(stage.bookId, 'account.created');
    const ids = await stage.world.emit(stage.bookId, 'payout.paid', 3);
    await stage.deliverer().deliver(stage.bookId, ids);
    const list = async (
      statuses: Parameters<typeof listDeliveries>[1]['statuses'],
      page: Parameters<typeof listDeliveries>[2],
    ) => listDeliveries(stage.world.pool, { bookId: stage.bookId, endpointId: id, statuses }, page);

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
