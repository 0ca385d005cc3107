/** Ordered endpoints, rates that hold over processes, and replays (money-scenarios.md, rows K1 to K4). */
import { describe, expect, test } from 'vitest';
import { publicId, type Uuid } from '../../../src/values/ids.ts';
import { disableEndpoint, enableEndpoint } from '../../../src/webhooks/actions/manage-endpoint.ts';
import { ATTEMPTS_MAX } from '../../../src/webhooks/deliveries/delivery.ts';
import type { EndpointOptions } from '../../../src/webhooks/endpoints/endpoint-options.ts';
import {
  type AskReplayOfTime,
  recoverDeliveries,
  replayMissing,
  resendDelivery,
} from '../../../src/webhooks/replays/ask-replay.ts';
import type { Deliverer } from '../../../src/webhooks/sending/deliver-webhook.ts';
import { eventually } from '../../support/eventually.ts';
import { arrivalsUnder, numbers, queueOf } from './drained-under-a-rate.ts';
import { attemptsOf, change, setStage } from './stage.ts';
import { backlogOf, bodyOf, deliveriesOf, NO_BACKLOG, START, taken } from './world.ts';

const stage = setStage();
const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

const endpoint = (url: string, given: EndpointOptions & { events?: string[] } = {}) =>
  stage.world.endpoint(stage.bookId, { url, events: ['payout.*'], ...given });

/**
 * Enqueues the endpoint, as the sweeper does. A change of an endpoint that is being drained makes it due by the clock of Postgres
 * (endpoint-table.ts): this world's clock, which is behind, goes there.
 */
async function sweep(id: Uuid, posting: Deliverer): Promise<void> {
  const { due_at: dueAt } = await backlogOf(stage.world.pool, id);
  if (dueAt !== null && dueAt > Date.now() - DAY) stage.world.clock.set(Math.max(dueAt, stage.world.clock.now()));
  posting.drain(stage.bookId, [id]);
}

/** Until every delivery of the endpoint is over and nothing waits. */
async function drained(id: Uuid, posting: Deliverer): Promise<void> {
  await eventually(async () => {
    await sweep(id, posting);
    expect((await deliveriesOf(stage.world.pool, id)).filter(({ status }) => status === 'pending')).toEqual([]);
    // An ordered endpoint keeps where its last drain ended.
    expect({ ...(await backlogOf(stage.world.pool, id)), waiting_from: null }).toEqual(NO_BACKLOG);
  });
}

const ask = (endpointId: Uuid) => ({
  ...change(endpointId),
  bookId: stage.bookId,
  idempotencyKey: null,
  fingerprint: Buffer.alloc(32),
});

const runtime = () => stage.world as unknown as Parameters<typeof recoverDeliveries.prepare>[0];

async function asked(useCase: typeof recoverDeliveries, input: AskReplayOfTime): Promise<number> {
  const { command } = await useCase.prepare(runtime(), input);
  return bodyOf(await stage.world.submit(stage.bookId, command)).count as number;
}

describe('an ordered endpoint', () => {
  test('K1: receives 1, 2, 2, 2, 2, 3, 4, 5 where the second of five is answered 500 three times', async () => {
    const hooks = await stage.receiver((response, { body }) => {
      const fails = numbers([{ body }])[0] === 2 && hooks.received.length <= 4;
      response.writeHead(fails ? 500 : 200).end();
    });
    const { id } = await endpoint(hooks.url, { ordered: true });
    const posting = stage.deliverer();
    posting.take(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid', 5));
    for (const [received, later] of [
      [2, 6],
      [3, 400],
      [4, 40 * 60],
    ] as const) {
      await eventually(async () => {
        expect(hooks.received).toHaveLength(received);
        const [, second, third] = await deliveriesOf(stage.world.pool, id);
        expect(second).toMatchObject({ status: 'pending', attempts: received - 1 });
        expect(third).toMatchObject({ status: 'pending', attempts: 0 });
        expect((await backlogOf(stage.world.pool, id)).due_at).toBe(second!.retry_at);
      });
      stage.world.clock.set(stage.world.clock.now() + later * SECOND);
      await eventually(() => {
        posting.drain(stage.bookId, [id]);
        expect(hooks.received.length).toBeGreaterThan(received);
      });
    }
    await drained(id, posting);
    expect(numbers(hooks.received)).toEqual([1, 2, 2, 2, 2, 3, 4, 5]);
  });

  test('has one in flight, and two processes that are told of its events keep the order', async () => {
    let inFlight = 0;
    let most = 0;
    const hooks = await stage.receiver((response) => {
      most = Math.max(most, ++inFlight);
      setImmediate(() => {
        inFlight -= 1;
        response.writeHead(200).end();
      });
    });
    const { id } = await endpoint(hooks.url, { ordered: true });
    const one = stage.deliverer();
    const other = stage.deliverer();
    const hand = queueOf(stage, one, other);
    for (let round = 0; round < 10; round++) {
      await stage.world.emit(stage.bookId, 'payout.paid', 4);
      hand();
    }
    await drained(id, one);
    expect(numbers(hooks.received)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(most).toBe(1);
  });

  test('is drained from its first event on, also where a process is handed a later one first', async () => {
    const hooks = await stage.receiver();
    const { id } = await endpoint(hooks.url, { ordered: true });
    const [one, other] = [stage.deliverer(), stage.deliverer()];
    for (let round = 0; round < 3; round++) {
      const [first, ...later] = await stage.world.emit(stage.bookId, 'payout.paid', 4);
      one.take(stage.bookId, later);
      await eventually(() => expect(hooks.received.length).toBeGreaterThanOrEqual(4 * round + 3));
      other.take(stage.bookId, [first!]);
      await drained(id, one);
    }
    expect(numbers(hooks.received)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  test('is disabled by the end of the attempts of a delivery, which it has not skipped when it is enabled again', async () => {
    let well = false;
    const hooks = await stage.receiver((response) => response.writeHead(well ? 200 : 500).end());
    const { id } = await endpoint(hooks.url, { ordered: true });
    const posting = stage.deliverer();
    posting.take(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid', 3));
    // The clock goes to the next attempt, or to the end of the lease of a drain under way.
    await eventually(async () => {
      const { due_at: dueAt } = await backlogOf(stage.world.pool, id);
      stage.world.clock.set(Math.max(dueAt ?? 0, stage.world.clock.now()));
      posting.drain(stage.bookId, [id]);
      const statuses = (await deliveriesOf(stage.world.pool, id)).map(({ status }) => status);
      expect(statuses).toEqual(['failed', 'canceled', 'canceled']);
    });
    const all = Array.from({ length: ATTEMPTS_MAX }, (_, index) => index + 1);
    expect((await attemptsOf(stage.world, id)).map(({ attempt }) => attempt)).toEqual(all);
    expect(numbers(hooks.received)).toEqual(all.map(() => 1));
    const { rows } = await stage.world.pool.query(
      'SELECT status, disabled_reason FROM webhook_endpoints WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ status: 'disabled', disabled_reason: 'failing' }]);
    const failed = hooks.received.length;

    well = true;
    const hand = queueOf(stage, posting);
    await stage.world.submit(stage.bookId, enableEndpoint({ ...change(id), recover: true }));
    await stage.world.emit(stage.bookId, 'payout.paid');
    hand();
    await drained(id, posting);
    expect(numbers(hooks.received.slice(failed))).toEqual([1, 2, 3, 5]);
  });
});

describe('replays', () => {
  test.each([false, true])(
    'K2: what came while it was disabled and the new ones arrive, ordered %s',
    async (ordered) => {
      const hooks = await stage.receiver();
      const others = await stage.receiver();
      const { id } = await endpoint(hooks.url, { ordered });
      const { id: other } = await endpoint(others.url);
      const posting = stage.deliverer();
      const hand = queueOf(stage, posting);
      await stage.world.submit(stage.bookId, disableEndpoint(change(id)));
      await stage.world.emit(stage.bookId, 'payout.paid', 40);
      stage.world.clock.set(START + 60 * 60 * SECOND);
      const enabling = stage.world.submit(stage.bookId, enableEndpoint({ ...change(id), recover: true }));
      for (let round = 0; round < 5; round++) await stage.world.emit(stage.bookId, 'payout.paid', 2);
      await enabling;
      hand();
      await eventually(async () => {
        await sweep(id, posting);
        expect(new Set(numbers(hooks.received)).size).toBe(50);
      });
      await drained(id, posting);
      await drained(other, posting);
      const got = numbers(hooks.received);
      // Event 1 says that the endpoint was disabled.
      const wanted = Array.from({ length: 50 }, (_, index) => index + 2);
      // Each at least once: a delivery that a job named may be read from the backlog as well.
      expect(ordered ? got : [...new Set(got)].sort((a, b) => a - b)).toEqual(wanted);
      expect(numbers(others.received).sort((a, b) => a - b)).toEqual(wanted);
    },
  );

  test('K3: replay_missing delivers what its filter matches once, however often it is asked for', async () => {
    const WEEK = 7 * DAY;
    await stage.world.emit(stage.bookId, 'payout.paid', 2_500);
    await stage.world.emit(stage.bookId, 'account.created', 3);
    stage.world.clock.set(START + DAY);
    const hooks = await stage.receiver();
    const { id } = await endpoint(hooks.url);
    const posting = stage.deliverer();
    const hand = queueOf(stage, posting);
    await stage.world.emit(stage.bookId, 'payout.paid', 2);
    const counts = [];
    for (let time = 0; time < 3; time++) counts.push(await asked(replayMissing, { ...ask(id), since: START - WEEK }));
    expect(counts).toEqual([2_500, 2_500, 2_500]);
    hand();
    await eventually(async () => expect(await deliveriesOf(stage.world.pool, id)).toHaveLength(2_502));
    await drained(id, posting);
    expect(await asked(replayMissing, { ...ask(id), since: START - WEEK })).toBe(0);
    hand();
    await drained(id, posting);
    expect(new Set(numbers(hooks.received)).size).toBe(2_502);
    expect(hooks.received).toHaveLength(2_502);
  });

  test('a recovery sends what failed and was canceled in its time, and nothing that arrived', async () => {
    const hooks = await stage.receiver((response, { body }) =>
      response.writeHead(hooks.received.length <= 3 && body.includes('payout.failed') ? 410 : 200).end(),
    );
    const { id } = await endpoint(hooks.url);
    const posting = stage.deliverer();
    await posting.deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid', 2));
    const late = await stage.world.emit(stage.bookId, 'payout.failed', 1);
    const waiting = await stage.world.emit(stage.bookId, 'payout.paid', 1);
    await posting.deliver(stage.bookId, late);
    await posting.deliver(stage.bookId, waiting);
    expect((await deliveriesOf(stage.world.pool, id)).map(({ status }) => status)).toEqual([
      'delivered',
      'delivered',
      'failed',
      'canceled',
    ]);
    taken(await stage.world.submit(stage.bookId, enableEndpoint(change(id))));
    const hand = queueOf(stage, posting);
    expect(await asked(recoverDeliveries, { ...ask(id), since: START - DAY, until: START })).toBe(0);
    expect(await asked(recoverDeliveries, { ...ask(id), since: START })).toBe(2);
    hand();
    await eventually(() => expect(hooks.received).toHaveLength(5));
    await drained(id, posting);
    expect(numbers(hooks.received).filter((number) => number <= 3)).toEqual([1, 2, 3, 3]);
  });

  test('a delivery that arrived is sent again under the same id', async () => {
    const hooks = await stage.receiver();
    const { id } = await endpoint(hooks.url);
    const posting = stage.deliverer();
    await posting.deliver(stage.bookId, await stage.world.emit(stage.bookId, 'payout.paid', 1));
    const hand = queueOf(stage, posting);
    const eventId = await eventIdOf();
    const { command } = await resendDelivery.prepare(runtime(), { ...ask(id), eventId });
    expect(bodyOf(await stage.world.submit(stage.bookId, command))).toMatchObject({
      object: 'webhook_replay',
      endpoint: publicId('webhookEndpoint', id),
      count: 1,
    });
    hand();
    await hooks.arrivals(2);
    await drained(id, posting);
    expect(hooks.received[1]!.headers['webhook-id']).toBe(hooks.received[0]!.headers['webhook-id']);
    expect((await deliveriesOf(stage.world.pool, id))[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  test('a time of more than 90 days, or one that ends before it begins, is refused', async () => {
    const { id } = await endpoint('http://127.0.0.1:9/');
    await expect(recoverDeliveries.prepare(runtime(), { ...ask(id), since: START - 91 * DAY })).rejects.toThrow(
      'at most 90 days',
    );
    await expect(replayMissing.prepare(runtime(), { ...ask(id), since: START, until: START - 1 })).rejects.toThrow(
      'after `since`',
    );
  });
});

async function eventIdOf(): Promise<Uuid> {
  const { rows } = await stage.world.pool.query<{ id: Uuid }>(
    'SELECT id FROM events WHERE book_id = $1 ORDER BY sequence DESC LIMIT 1',
    [stage.bookId],
  );
  return rows[0]!.id;
}

describe('a rate', () => {
  test('K4: of an endpoint that two processes drain, each of which stops: all arrive', async () => {
    expect((await arrivalsUnder(stage, 100)).length).toBeGreaterThanOrEqual(300);
  });
});
