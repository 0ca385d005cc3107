import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answerSecretPlace, revealedAnswer } from '../../../src/idempotency/answer-secret.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { newSecret } from '../../../src/values/standard-webhooks.ts';
import {
  deleteEndpoint,
  disableEndpoint,
  disableFailingEndpoint,
  enableEndpoint,
  rotateSecret,
  sendTestEvent,
  updateEndpoint,
} from '../../../src/webhooks/actions/manage-endpoint.ts';
import { ENDPOINTS_PER_BOOK_MAX } from '../../../src/webhooks/endpoints/endpoint.ts';
import { previousSecretPlace, secretPlace } from '../../../src/webhooks/endpoints/endpoint-secret.ts';
import { getEndpoint, listEndpoints } from '../../../src/webhooks/endpoints/endpoint-store.ts';
import { listEvents } from '../../../src/webhooks/events/event-store.ts';
import { allow, bodyOf, createWorld, deliveriesOf, expectRefusal, START, taken, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());
beforeEach(() => world.clock.set(START));

const change = (endpointId: Uuid) => ({ endpointId, requestId: newId(), actor: 'test' });

async function eventTypes(bookId: string): Promise<string[]> {
  const { rows } = await listEvents(world.pool, { bookId }, { limit: 100 });
  return rows.map(({ payload }) => (JSON.parse(payload) as { type: string }).type);
}

describe('an endpoint', () => {
  test('is created enabled, with its secret in the answer and sealed in the database', async () => {
    const { secretBox, pool, testBook } = world;
    const { id, secret } = await world.endpoint(testBook, {
      events: ['payout.*', 'payout.*', 'account.created'],
      description: 'our "hooks"',
      metadata: { team: 'a\\b' },
    });
    const endpoint = (await getEndpoint(pool, testBook, id))!;
    expect(endpoint).toMatchObject({
      status: 'enabled',
      events: ['payout.*', 'account.created'],
      description: 'our "hooks"',
      metadata: { team: 'a\\b' },
      version: 1,
      failingSince: null,
      createdAt: START,
    });
    expect(endpoint.secretSealed!.includes(secret)).toBe(false);
    expect(secretBox.open(endpoint.secretSealed!, secretPlace(testBook, id))).toBe(secret);
  });

  test('stores the secret of an answer sealed and sends it in the clear, the same on every replay', async () => {
    const { id, secret } = await world.endpoint(world.testBook);
    const rotated = newSecret();
    const command = rotateSecret({
      ...change(id),
      ...world.newSecret(world.testBook, rotated),
      idempotencyKey: 'rotation',
      previousSecretUntil: START,
    });
    const answer = await world.submit(world.testBook, command);
    const place = answerSecretPlace(world.testBook, 'rotation');
    const body = taken(answer).body.text;
    expect(body).not.toContain(rotated);
    expect(body).not.toContain(secret);
    const revealed = revealedAnswer(body, world.secretBox, place);
    expect(JSON.parse(revealed)).toMatchObject({ id: publicId('webhookEndpoint', id), secret: rotated });
    expect(revealedAnswer(body, world.secretBox, place)).toBe(revealed);
    const problem = '{"type":"about:blank","secret":"untouched"}';
    expect(revealedAnswer(problem, world.secretBox, place)).toBe(problem);
  });

  test('with a forbidden URL is refused, in live mode more strictly', async () => {
    const { testBook, liveBook } = world;
    await expect(world.endpoint(testBook, { url: 'http://127.0.0.1:9/' })).resolves.toBeDefined();
    await expect(world.endpoint(liveBook, { url: 'https://127.0.0.1:9/' })).rejects.toThrow('webhook_url_forbidden');
    await expect(world.endpoint(testBook, { url: 'http://10.0.0.1/' })).rejects.toThrow('webhook_url_forbidden');
    const { id } = await world.endpoint(testBook);
    const refused = await world.submit(testBook, updateEndpoint({ ...change(id), url: 'http://[::1]/', allow }));
    expect(expectRefusal(refused)).toMatchObject({ refused: 'webhook_url_forbidden', param: '/url' });
  });

  test('whose port is no longer allowed keeps it, and cannot get another such URL', async () => {
    const { testBook, pool } = world;
    const { id } = await world.endpoint(testBook, { url: 'https://example.com:9443/a', ports: [9_443] });
    const changed = (url: string) => world.submit(testBook, updateEndpoint({ ...change(id), url, allow }));
    expect(taken(await changed('https://example.com:9443/a')).status).toBe(200);
    const refusal = expectRefusal(await changed('https://example.com:9443/b'));
    expect(refusal).toMatchObject({ refused: 'webhook_url_forbidden', param: '/url' });
    expect(refusal.detail).toContain('443, 80, 8443');
    expect((await getEndpoint(pool, testBook, id))!.url).toBe('https://example.com:9443/a');
  });

  test('beyond the limit of a book is refused, also at once; deleting one makes room', async () => {
    const bookId = await world.newBook();
    const outcomes = await Promise.allSettled(
      Array.from({ length: ENDPOINTS_PER_BOOK_MAX + 5 }, () => world.endpoint(bookId)),
    );
    const created = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.id] : []));
    expect(created).toHaveLength(ENDPOINTS_PER_BOOK_MAX);
    await expect(world.endpoint(bookId)).rejects.toThrow('limit_exceeded');
    await world.submit(bookId, deleteEndpoint(change(created[0]!)));
    await expect(world.endpoint(bookId)).resolves.toBeDefined();
  });

  test('is updated in part, and a stale version is refused', async () => {
    const { testBook, pool } = world;
    const { id } = await world.endpoint(testBook, { metadata: { a: '1' }, description: 'x' });
    world.clock.set(START + 1_000);
    const answer = await world.submit(
      testBook,
      updateEndpoint({ ...change(id), ifMatch: 1, events: ['hold.*'], description: null, allow }),
    );
    expect(bodyOf(answer)).toMatchObject({
      version: 2,
      events: ['hold.*'],
      description: null,
      metadata: { a: '1' },
      url: 'https://example.com/hooks',
    });
    expect(await getEndpoint(pool, testBook, id)).toMatchObject({
      version: 2,
      events: ['hold.*'],
      updatedAt: START + 1_000,
      createdAt: START,
    });
    const stale = await world.submit(testBook, updateEndpoint({ ...change(id), ifMatch: 1, metadata: {}, allow }));
    expect(expectRefusal(stale)).toMatchObject({ refused: 'version_mismatch', facts: { version: 2 } });
  });

  test('is disabled and enabled; a forbidden action answers with the allowed ones', async () => {
    const bookId = await world.newBook();
    const { id } = await world.endpoint(bookId);
    expect(bodyOf(await world.submit(bookId, disableEndpoint(change(id))))).toMatchObject({
      status: 'disabled',
      disabled_reason: 'requested',
    });
    const again = await world.submit(bookId, disableEndpoint(change(id)));
    expect(expectRefusal(again)).toMatchObject({
      refused: 'state_conflict',
      facts: { current_status: 'disabled', allowed_actions: ['update', 'enable', 'delete', 'rotate_secret'] },
    });
    expect(expectRefusal(await world.submit(bookId, sendTestEvent(change(id)))).refused).toBe('state_conflict');
    expect(bodyOf(await world.submit(bookId, enableEndpoint(change(id))))).toMatchObject({
      status: 'enabled',
      disabled_reason: null,
      version: 3,
    });
    expect(await eventTypes(bookId)).toEqual(['webhook_endpoint.disabled']);
    expect(await deliveriesOf(world.pool, id)).toEqual([]);
  });

  test('that failed is disabled only if the failed URL is its current one', async () => {
    const bookId = await world.newBook();
    const { id } = await world.endpoint(bookId);
    const elsewhere = disableFailingEndpoint({
      ...change(id),
      ...{ reason: 'gone' as const, failedAt: START, failedUrl: 'https://example.com/before' },
    });
    expect(expectRefusal(await world.submit(bookId, elsewhere)).refused).toBe('state_conflict');
    expect(await getEndpoint(world.pool, bookId, id)).toMatchObject({ status: 'enabled', version: 1 });
    const failed = { reason: 'gone' as const, failedAt: START, failedUrl: 'https://example.com/hooks' };
    const here = disableFailingEndpoint({ ...change(id), ...failed });
    expect(bodyOf(await world.submit(bookId, here))).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
  });

  test('that is deleted loses its secrets and is not shown again', async () => {
    const bookId = await world.newBook();
    const { id } = await world.endpoint(bookId);
    const kept = await world.endpoint(bookId);
    expect(bodyOf(await world.submit(bookId, deleteEndpoint(change(id))))).toMatchObject({ deleted: true });
    expect(await getEndpoint(world.pool, bookId, id)).toBeUndefined();
    const { rows } = await listEndpoints(world.pool, bookId, { limit: 10 });
    expect(rows.map((row) => row.id)).toEqual([kept.id]);
    const { rows: left } = await world.pool.query('SELECT secret_sealed, status FROM webhook_endpoints WHERE id = $1', [
      id,
    ]);
    expect(left).toEqual([{ secret_sealed: null, status: 'deleted' }]);
    for (const command of [deleteEndpoint, enableEndpoint, disableEndpoint, sendTestEvent]) {
      expect(expectRefusal(await world.submit(bookId, command(change(id)))).refused).toBe('resource_not_found');
    }
  });

  test('of another book is not found', async () => {
    const { id } = await world.endpoint(world.testBook);
    expect(await getEndpoint(world.pool, world.liveBook, id)).toBeUndefined();
    expect(expectRefusal(await world.submit(world.liveBook, deleteEndpoint(change(id)))).refused).toBe(
      'resource_not_found',
    );
  });

  test('keeps its previous secret during a rotation, and emits an event', async () => {
    const bookId = await world.newBook();
    const { id, secret } = await world.endpoint(bookId);
    const [second, third] = [newSecret(), newSecret()];
    for (const next of [second, third]) {
      const command = rotateSecret({
        ...change(id),
        ...world.newSecret(bookId, next),
        previousSecretUntil: START + 60_000,
      });
      expect(bodyOf(await world.submit(bookId, command))).toMatchObject({
        previous_secret_expires_at: '2026-03-01T12:01:00.000Z',
      });
    }
    const endpoint = (await getEndpoint(world.pool, bookId, id))!;
    expect(world.secretBox.open(endpoint.secretSealed!, secretPlace(bookId, id))).toBe(third);
    expect(world.secretBox.open(endpoint.previousSecretSealed!, previousSecretPlace(bookId, id))).toBe(second);
    const { rows } = await listEvents(
      world.pool,
      { bookId, types: ['webhook_endpoint.secret_rotated'] },
      { limit: 10 },
    );
    expect(rows).toHaveLength(2);
    for (const hidden of [secret, second, third])
      expect(rows.map(({ payload }) => payload).join()).not.toContain(hidden);
    expect(await deliveriesOf(world.pool, id)).toHaveLength(2);
  });
});

describe('secrets', () => {
  const rotate = (bookId: string, id: Uuid, until: number) =>
    world.submit(
      bookId,
      rotateSecret({ ...change(id), ...world.newSecret(bookId, newSecret()), previousSecretUntil: until }),
    );
  const ends = (answer: Awaited<ReturnType<typeof rotate>>) => {
    const body = bodyOf(answer) as { previous_secrets: { expires_at: string }[]; previous_secret_expires_at: string };
    return {
      ends: body.previous_secrets.map(({ expires_at }) => Date.parse(expires_at) - START),
      last: body.previous_secret_expires_at && Date.parse(body.previous_secret_expires_at) - START,
    };
  };

  test('each sign until their own end, whatever is rotated after them', async () => {
    const bookId = await world.newBook();
    const { id } = await world.endpoint(bookId);
    expect(ends(await rotate(bookId, id, START + 60_000))).toEqual({ ends: [60_000], last: 60_000 });
    world.clock.set(START + 2_000);
    expect(ends(await rotate(bookId, id, START + 7_000))).toEqual({ ends: [7_000, 60_000], last: 60_000 });
    // Without an overlap the one before signs no more. Those before it do.
    expect(ends(await rotate(bookId, id, START + 2_000))).toEqual({ ends: [7_000, 60_000], last: 60_000 });
    world.clock.set(START + 10_000);
    expect(ends(await rotate(bookId, id, START + 20_000))).toEqual({ ends: [20_000, 60_000], last: 60_000 });
    world.clock.set(START + 60_000);
    const renamed = await world.submit(bookId, updateEndpoint({ ...change(id), description: 'later', allow }));
    expect(ends(renamed)).toEqual({ ends: [], last: null });
  });

  test('are at most five beside the newest: a further rotation is refused until one has ended', async () => {
    const bookId = await world.newBook();
    const { id } = await world.endpoint(bookId);
    for (let number = 5; number > 0; number--) taken(await rotate(bookId, id, START + 1_000 * number));
    const before = await getEndpoint(world.pool, bookId, id);
    const refusal = expectRefusal(await rotate(bookId, id, START + 60_000));
    expect(refusal).toMatchObject({ refused: 'state_conflict', facts: { current_status: 'enabled' } });
    expect(refusal.detail).toContain(new Date(START + 1_000).toISOString());
    expect(await getEndpoint(world.pool, bookId, id)).toEqual(before);
    // A secret that has leaked can be replaced at once.
    expect(ends(await rotate(bookId, id, START)).ends).toHaveLength(5);
    world.clock.set(START + 1_000);
    expect(ends(await rotate(bookId, id, START + 60_000)).ends).toEqual([60_000, 2_000, 3_000, 4_000, 5_000]);
  });

  test('of a deleted endpoint are gone, the earlier ones too', async () => {
    const bookId = await world.newBook();
    const { id } = await world.endpoint(bookId);
    for (let number = 0; number < 3; number++) await rotate(bookId, id, START + 60_000);
    await world.submit(bookId, deleteEndpoint(change(id)));
    const { rows } = await world.pool.query(
      'SELECT secret_sealed, previous_secret_sealed, earlier_secrets FROM webhook_endpoints WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ secret_sealed: null, previous_secret_sealed: null, earlier_secrets: null }]);
  });
});

describe('deliveries are written with their events', () => {
  test('one for each endpoint that wants the event, pending, with a due time', async () => {
    const bookId = await world.newBook();
    const payouts = await world.endpoint(bookId, { events: ['payout.*'] });
    const all = await world.endpoint(bookId, { events: ['*'] });
    const off = await world.endpoint(bookId, { events: ['*'] });
    await world.submit(bookId, disableEndpoint(change(off.id)));
    const enqueued = await world.emit(bookId, 'payout.paid');
    await world.emit(bookId, 'account.created');
    expect(enqueued.map((id) => id.split(':')[1]).sort()).toEqual([payouts.id, all.id].sort());
    expect(await deliveriesOf(world.pool, payouts.id)).toEqual([
      { status: 'pending', attempts: 0, retry_at: null, due_at: START + 30_000 },
    ]);
    expect(await deliveriesOf(world.pool, all.id)).toHaveLength(3); // the third is the disabling of the other endpoint
    expect(await deliveriesOf(world.pool, off.id)).toHaveLength(0);
  });

  test('a due time uses the wall clock when the book is ahead of it', async () => {
    const bookId = await world.newBook();
    const { id } = await world.endpoint(bookId);
    world.clock.set(Date.now() + 365 * 86_400_000);
    await world.emit(bookId, 'payout.paid');
    const [delivery] = await deliveriesOf(world.pool, id);
    expect(delivery!.due_at!).toBeLessThan(Date.now() + 60_000);
  });

  test('a test event goes to its own endpoint only, whatever the filters', async () => {
    const bookId = await world.newBook();
    const tested = await world.endpoint(bookId, { events: ['hold.*'] });
    const other = await world.endpoint(bookId, { events: ['*'] });
    const answer = await world.submit(bookId, sendTestEvent(change(tested.id)));
    expect(answer).toMatchObject({ status: 202 });
    expect(bodyOf(answer)).toMatchObject({
      object: 'event',
      type: 'webhook.test',
      data: { object: { id: publicId('webhookEndpoint', tested.id) } },
    });
    expect(await deliveriesOf(world.pool, tested.id)).toHaveLength(1);
    expect(await deliveriesOf(world.pool, other.id)).toHaveLength(0);
    expect((await getEndpoint(world.pool, bookId, tested.id))!.version).toBe(1);
  });
});
