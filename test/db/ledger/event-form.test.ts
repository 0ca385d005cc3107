/**
 * Events in forms, in a real database after the contract: every reader gets the same text, what was changed behind the ledger
 * is found, and what others are made of cannot be replaced.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../../../src/db/pool.ts';
import { dropBodies } from '../../../src/idempotency/aged-answer-store.ts';
import { findFirstAnswer } from '../../../src/idempotency/find-first-answer.ts';
import { idempotencyKeys } from '../../../src/idempotency/idempotency-table.ts';
import { once } from '../../../src/idempotency/once.ts';
import { readEvents } from '../../../src/ledger/events/event-read-store.ts';
import { UnreadableEvent } from '../../../src/ledger/events/render-event.ts';
import { acceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { createLogger } from '../../../src/process/log.ts';
import { eventDigest } from '../../../src/proofs/event-digest.ts';
import { loadObjectEvents } from '../../../src/timeline/timeline-store.ts';
import { newId } from '../../../src/values/ids.ts';
import { loadWaiting } from '../../../src/webhooks/backlogs/backlog-store.ts';
import { loadPendingDeliveries } from '../../../src/webhooks/deliveries/delivery-store.ts';
import { getEvent, listEvents } from '../../../src/webhooks/events/event-store.ts';
import { openBook, payoutRequest, type TestBook } from '../../support/book.ts';
import { PLAIN_FINGERPRINTS } from '../../support/fingerprints.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type FilledDatabase, openFilledDatabase, rulesOf, type Scene } from '../../support/verify-scene.ts';

let filled: FilledDatabase;
let scene: Scene;

beforeAll(async () => {
  filled = await openFilledDatabase(undefined, LATEST_FORMS);
  scene = filled.scene;
});
afterAll(() => filled?.close());

const ALL = { after: 0n, upTo: 1_000n, limit: 1_000 };

test('every reader gets the same text', async () => {
  await filled.lookAfter([], async (pool) => {
    const { bookId, endpointId } = scene;
    const events = await readEvents(pool, bookId, ALL);
    const own = events.filter(({ objectId }) => objectId === scene.payouts.paid.id);
    expect(own.map(({ type }) => type)).toEqual(['payout.created', 'payout.processing', 'payout.paid']);
    const texts = new Map(own.map(({ sequence, payload }) => [sequence, payload]));
    for (const { id, sequence, payload } of own) {
      expect(JSON.parse(payload)).toMatchObject({ object: 'event', sequence: Number(sequence) });
      expect((await getEvent(pool, bookId, id))?.payload).toBe(payload);
    }
    const sameTexts = (found: readonly { payload: string; sequence: bigint }[]) => {
      const shown = found.filter(({ sequence }) => texts.has(sequence));
      expect(new Map(shown.map(({ sequence, payload }) => [sequence, payload]))).toEqual(texts);
    };
    sameTexts((await listEvents(pool, { bookId, objectId: scene.payouts.paid.id }, { limit: 100 })).rows);
    const { rows } = await loadObjectEvents(pool, { bookId, objectId: scene.payouts.paid.id }, { limit: 20 });
    sameTexts(rows);
    const keys = own.map(({ sequence }) => ({ endpointId, eventSequence: sequence }));
    const pending = await loadPendingDeliveries(pool, bookId, keys);
    sameTexts(pending.map(({ eventSequence, payload }) => ({ sequence: eventSequence, payload })));
    const page = { from: 0n, limit: 1_000, sparse: false, now: Date.now() };
    const { deliveries } = await loadWaiting(pool, { bookId, endpointId }, page);
    sameTexts(deliveries.map(({ eventSequence, payload }) => ({ sequence: eventSequence, payload })));
  });
});

test('the row of a payout has the ids of its entries, packed, and nothing in the list of before', async () => {
  await filled.lookAfter([], async (pool) => {
    const { rows } = await pool.query<{ listed: bigint; packed: bigint }>(
      'SELECT count(entry_ids) AS listed, count(packed_entry_ids) AS packed FROM payouts WHERE book_id = $1',
      [scene.bookId],
    );
    expect(rows[0]).toMatchObject({ listed: 0n });
    expect(rows[0]!.packed).toBeGreaterThan(10n);
    const paid = await payouts.find(pool, scene.bookId, scene.payouts.paid.id);
    expect(paid?.entryIds).toEqual(scene.payouts.paid.entryIds);
    expect(paid?.entryIds).toHaveLength(2);
  });
});

test('verification finds nothing wrong', async () => {
  expect(await filled.findingsAfter()).toEqual([]);
});

const OF = (type: string) => `object_id = '${scene.payouts.paid.id}' AND type = 'payout.${type}'`;
const ANOTHER = () => `(SELECT first_event FROM payouts WHERE id = '${scene.payouts.failed.id}')`;

test.each<[what: string, rule: string, statement: () => string]>([
  ['the first event is gone', 'event.payload', () => `DELETE FROM events WHERE ${OF('created')}`],
  ['the first event is gone', 'payout.first_event', () => `DELETE FROM events WHERE ${OF('created')}`],
  ['the first event is whole', 'event.payload', () => `UPDATE events SET form = NULL WHERE ${OF('created')}`],
  ['the form is unknown', 'event.payload', () => `UPDATE events SET form = 99 WHERE ${OF('paid')}`],
  [
    'a value is missing',
    'event.payload',
    () => `UPDATE events SET payload = replace(payload, ',"paid"', '') WHERE ${OF('paid')}`,
  ],
  [
    'the first event is that of another',
    'event.payload',
    () => `UPDATE events SET first_sequence = ${ANOTHER()} WHERE ${OF('paid')}`,
  ],
  [
    'the row names the first event of another',
    'payout.first_event',
    () => `UPDATE payouts SET first_event = ${ANOTHER()} WHERE id = '${scene.payouts.paid.id}'`,
  ],
  [
    'an entry is another',
    'event.entries',
    () =>
      `UPDATE events SET payload = regexp_replace(payload, '(\\["paid",\\d+,\\d+,")...', '\\1___') WHERE ${OF('paid')}`,
  ],
  [
    'an entry is not named',
    'payout.entry_ids',
    () => `UPDATE payouts SET packed_entry_ids = substr(packed_entry_ids, 1, 16) WHERE id = '${scene.payouts.paid.id}'`,
  ],
  [
    'an entry is named in part',
    'payout.entry_ids',
    () => `UPDATE payouts SET packed_entry_ids = substr(packed_entry_ids, 1, 20) WHERE id = '${scene.payouts.paid.id}'`,
  ],
  [
    'an answer refers to no event',
    'idempotency.event',
    () => `UPDATE idempotency_keys SET body = '{"$event":"999999"}' WHERE resource_id = '${scene.payouts.paid.id}'`,
  ],
  [
    'an answer refers to an event of another',
    'idempotency.event',
    () =>
      `UPDATE idempotency_keys SET body = format('{"$event":"%s"}', ${ANOTHER()}) WHERE resource_id = '${scene.payouts.paid.id}'`,
  ],
])('%s: found as %s', async (_, rule, statement) => {
  expect(rulesOf(await filled.findingsAfter(statement()))).toContain(rule);
});

test('no leaf is made of an event that cannot be read', async () => {
  await filled.lookAfter([`DELETE FROM events WHERE ${OF('created')}`], async (pool) => {
    await expect(readEvents(pool, scene.bookId, ALL)).rejects.toThrow(UnreadableEvent);
  });
});

describe('a payout after the contract', () => {
  let database: TestDatabase;
  let book: TestBook;
  beforeAll(async () => {
    database = await createTestDatabase();
    book = await openBook({ database: database.applicationUrl, forms: LATEST_FORMS });
  });
  afterAll(async () => {
    await book?.close();
    await database?.drop();
  });

  const accepted = async (text: { description?: string; metadata?: Record<string, string> } = {}) => {
    const accountId = await book.account({ amount: 10_000n });
    const input = payoutRequest(book.id, { accountId, ...text });
    const key = newId();
    const request = {
      key,
      fingerprint: Buffer.alloc(32, 7),
      fingerprints: PLAIN_FINGERPRINTS,
      publicUrl: 'https://api.test',
    };
    const command = () => once(acceptPayout(input), request);
    return { key, command, answer: await book.submit(command()), payoutId: input.payoutId };
  };
  const replayOf = (key: string) =>
    findFirstAnswer(
      { pool: book.pool, fingerprints: PLAIN_FINGERPRINTS, publicUrl: 'https://api.test' },
      { bookId: book.id, key, fingerprint: () => Buffer.alloc(32, 7), requestId: newId() },
    );

  test('is answered again with the same bytes, whatever became of it, in the order in which metadata came', async () => {
    const { key, answer, payoutId } = await accepted({ description: 'rent "é"', metadata: { zeta: '1', a: '2' } });
    const payout = (await payouts.find(book.pool, book.id, payoutId))!;
    await book.settle(await book.reserve(payout), { railReference: 'R' });
    expect((await idempotencyKeys.find(book.pool, book.id, key))!.body).toBe(`{"$event":"${payout.firstEvent}"}`);
    expect(await replayOf(key)).toMatchObject({ status: 202, body: answer.body, replayed: true, resourceId: payoutId });
    expect(answer.body).toContain('"metadata":{"zeta":"1","a":"2"}');
  });

  test('is not answered again once the retention of its answer has passed, though its event is there', async () => {
    const { key } = await accepted();
    expect(await dropBodies(book.pool, book.id, [{ bookId: book.id, key }])).toBe(1);
    expect((await replayOf(key))!.body).toContain('idempotency_key_reused');
  });

  test('has events whose payloads the owner cannot replace either', async () => {
    const { payoutId } = await accepted();
    const [created] = (await readEvents(book.pool, book.id, ALL)).filter(({ objectId }) => objectId === payoutId);
    const { payload } = await book.row<{ payload: string }>(
      'SELECT payload FROM events WHERE book_id = $1 AND sequence = $2',
      created!.sequence,
    );
    const leaf = eventDigest(book.id, { ...created!, payload });
    const owner = createPool({ url: database.ownerUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
    const replace = (text: string) =>
      owner.query('UPDATE events SET payload = $3, leaf = $4 WHERE book_id = $1 AND sequence = $2', [
        book.id,
        created!.sequence,
        text,
        leaf,
      ]);
    await expect(replace(`${payload} `)).rejects.toThrow('append-only');
    await expect(
      owner.query('UPDATE events SET form = NULL WHERE book_id = $1 AND sequence = $2', [book.id, created!.sequence]),
    ).rejects.toThrow('append-only');
    await owner.end();
  });
});
