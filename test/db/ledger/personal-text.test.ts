/**
 * Personal text: apart from what is kept for long, filled in when it is read, and erased for good. The same for rows that
 * hold it themselves, as release 0.2.0 and the time before the contract wrote them.
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountResource } from '../../../src/accounts/account/account-resource.ts';
import { updateAccount } from '../../../src/accounts/account/change-account.ts';
import { openAccount } from '../../../src/accounts/account/open-account.ts';
import { receiveTransfer } from '../../../src/accounts/inbound-transfers/receive-transfer.ts';
import { EARLIEST_FORMS, type LedgerForms } from '../../../src/db/forms.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import type { Finding } from '../../../src/group/finding.ts';
import { GROUPS, RESOURCES } from '../../../src/groups.ts';
import { findFirstAnswer } from '../../../src/idempotency/find-first-answer.ts';
import type { Stored } from '../../../src/idempotency/idempotency-key.ts';
import { runOnce } from '../../../src/idempotency/run-once.ts';
import type { Command, Refusal } from '../../../src/ledger/command/command.ts';
import { PAYOUT_EVENTS } from '../../../src/ledger/events/event-form.ts';
import { readEvents } from '../../../src/ledger/events/event-read-store.ts';
import { filledIn, markedIn, parseReferences } from '../../../src/ledger/rows/personal-text.ts';
import { type EraseResult, erase, findErasable, listPlaces, placesOf } from '../../../src/operations/erase.ts';
import { nullMembers } from '../../../src/operations/null-members.ts';
import { acceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { createLogger } from '../../../src/process/log.ts';
import { eventDigest } from '../../../src/proofs/event-digest.ts';
import { readTimeline } from '../../../src/timeline/timeline.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';
import { parseAllowList } from '../../../src/values/public-address.ts';
import { newSecret } from '../../../src/values/standard-webhooks.ts';
import { verifyDatabase } from '../../../src/verify/verify-database.ts';
import { createEndpoint, sendTestEvent, updateEndpoint } from '../../../src/webhooks/actions/manage-endpoint.ts';
import { webhookSink } from '../../../src/webhooks/backlogs/event-sink.ts';
import { listEvents } from '../../../src/webhooks/events/event-store.ts';
import { openBook, payoutRequest, type TestBook } from '../../support/book.ts';
import { PLAIN_FINGERPRINTS } from '../../support/fingerprints.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = createLogger('silent', 'test');
const PUBLIC_URL = 'https://api.test';
/** With what JSON escapes, and beyond ASCII. */
const marker = (name: string) => `marker-${name} "Zoë"\n`;
const MARKED = /marker-/;

/** After the contract, but for the forms of events. */
const WHOLE: LedgerForms = { ...LATEST_FORMS, eventsDerived: false };

interface Scene {
  book: TestBook;
  account: Uuid;
  payout: Uuid;
  endpoint: Uuid;
  /** First answers by idempotency key, as they were sent. */
  sent: Map<string, { body: string; fingerprint: Buffer }>;
  /** Events as readers saw them before anything was erased. */
  events: string[];
}

let database: TestDatabase;
let owner: Pool;
let behind: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool({ url: database.ownerUrl, name: 'test', size: 4, log });
  behind = new pg.Client({ connectionString: database.superuserUrl });
  await behind.connect();
});
afterAll(async () => {
  await behind?.end();
  await owner?.end();
  await database?.drop();
});

/** Every text of every table, so that nothing has to be thought of. */
async function dump(tables?: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await behind.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const found = new Map<string, string>();
  for (const { name } of rows) {
    if (tables && !tables.includes(name.replace('public.', ''))) continue;
    const { rows: texts } = await behind.query<{ text: string }>(`SELECT to_jsonb(t)::text AS text FROM ${name} t`);
    found.set(name, texts.map(({ text }) => text + bytesIn(text)).join('\n'));
  }
  return found;
}

/** Bytes of a bytea column as text. */
function bytesIn(text: string): string {
  return [...text.matchAll(/\\\\x([0-9a-f]+)/g)]
    .map(([, hex]) => Buffer.from(hex!, 'hex').toString('latin1'))
    .join('\n');
}

async function tablesWith(text: RegExp, tables?: readonly string[]): Promise<string[]> {
  return [...(await dump(tables))]
    .filter(([, content]) => text.test(content))
    .map(([name]) => name)
    .sort();
}

async function play(forms: LedgerForms): Promise<Scene> {
  const book = await openBook({ database: database.applicationUrl, forms, sink: webhookSink });
  const sent: Scene['sent'] = new Map();
  const run = async (command: Command<Stored | Refusal>) => {
    const [key, fingerprint] = [newId(), Buffer.alloc(32, sent.size)];
    const runtime = {
      pool: book.pool,
      committer: book.committer,
      fingerprints: PLAIN_FINGERPRINTS,
      publicUrl: PUBLIC_URL,
    };
    const answer = await runOnce(runtime, { bookId: book.id, key, fingerprint, requestId: newId(), command });
    expect(answer.status, answer.body).toBeLessThan(300);
    sent.set(key, { body: answer.body, fingerprint });
    return answer;
  };
  const request = () => ({ requestId: newId(), actor: 'test' });
  const opened = await run(
    openAccount({
      ...request(),
      currency: 'EUR',
      name: marker('name'),
      overdraftLimit: 0n,
      externalId: null,
      metadata: { [marker('key')]: marker('value'), b: 'short' },
    }),
  );
  const account = opened.resourceId!;
  await run(
    receiveTransfer({
      ...request(),
      bookId: book.id,
      accountId: account,
      amount: 100_000n,
      currency: 'EUR',
      description: marker('transfer'),
      salt: Buffer.alloc(32, 7),
    }),
  );
  await run(
    updateAccount({
      ...request(),
      accountId: account,
      currency: 'EUR',
      name: marker('new-name'),
      metadata: { team: marker('team'), a: '1' },
    }),
  );
  const ends = { allow: parseAllowList([]), ports: [443] };
  const secretBox = createSecretBox(database.encryptionKey);
  const created = await run(
    createEndpoint({
      ...request(),
      ...ends,
      ...{ bookId: book.id, idempotencyKey: null, secret: newSecret(), secretBox },
      url: 'https://example.com/hooks',
      events: ['*'],
      description: marker('endpoint'),
      metadata: { of: marker('endpoint-of') },
    }),
  );
  const endpoint = created.resourceId!;
  await run(sendTestEvent({ ...request(), endpointId: endpoint }));
  await run(updateEndpoint({ ...request(), ...ends, endpointId: endpoint, description: marker('endpoint-new') }));
  const accepted = await run(
    acceptPayout(
      payoutRequest(book.id, {
        accountId: account,
        description: marker('payout'),
        metadata: { zeta: marker('zeta'), a: marker('a') },
      }),
    ),
  );
  const payout = accepted.resourceId!;
  const row = () => payouts.find(book.pool, book.id, payout).then((found) => found!);
  await book.settle(await book.reserve(await row()), {});
  const scene = { book, account, payout, endpoint, sent, events: [] as string[] };
  scene.events = await eventsOf(scene);
  return scene;
}

async function eventsOf({ book }: Scene): Promise<string[]> {
  const { rows } = await listEvents(book.pool, { bookId: book.id }, { limit: 100 });
  return rows.map(({ payload }) => payload).reverse();
}

async function eraseAs(scene: Scene, shownId: string): Promise<EraseResult> {
  const subject = (await findErasable(owner, RESOURCES, shownId))!;
  const committing = await openBook({
    database: owner,
    bookId: scene.book.id,
    sink: webhookSink,
    forms: LATEST_FORMS,
  });
  const { committer } = committing;
  return erase({ pool: owner, resources: RESOURCES, committer, clock: systemClock, actor: 'operator:ann' }, subject);
}

const idsOf = ({ account, payout, endpoint }: Scene) => [
  publicId('payout', payout),
  publicId('account', account),
  publicId('webhookEndpoint', endpoint),
];

async function findings(): Promise<Finding[]> {
  const found: Finding[] = [];
  await verifyDatabase(owner, { groups: GROUPS, onFinding: (finding) => found.push(finding) });
  return found;
}

const replay = (scene: Scene, key: string) =>
  findFirstAnswer(
    { pool: scene.book.pool, fingerprints: PLAIN_FINGERPRINTS, publicUrl: PUBLIC_URL },
    { bookId: scene.book.id, key, fingerprint: () => scene.sent.get(key)!.fingerprint, requestId: newId() },
  );

/** Names in place of what differs from run to run. */
const withoutIds = (text: string) =>
  text
    .replace(/"[a-z]+_[0-9a-z]{26}"/g, '"id"')
    .replace(/"\d{4}-[^"]*Z"/g, '"time"')
    .replace(/"(hash|end_to_end_id|secret)":"[^"]*"/g, '"$1":"…"');

const withoutSequence = (text: string) => text.replace(/"sequence":\d+/g, '"sequence":0');

const KEPT = ['events', 'idempotency_keys', 'webhook_attempts', 'rail_answers'];

describe.each`
  rows                                            | forms
  ${'after the contract'}                         | ${LATEST_FORMS}
  ${'after the contract, with whole events,'}     | ${WHOLE}
  ${'in the form of 0.2.0, before the contract,'} | ${EARLIEST_FORMS}
`('rows written $rows', ({ forms }: { forms: LedgerForms }) => {
  const { textApart, eventsDerived } = forms;
  let scene: Scene;
  beforeAll(async () => {
    scene = await play(forms);
  });
  afterAll(() => scene?.book.close());

  test('show on the wire what the other form shows', async () => {
    const other = await play(forms === EARLIEST_FORMS ? LATEST_FORMS : EARLIEST_FORMS);
    // Before the contract the arrival of money has no event.
    const shown = ({ events }: Scene) =>
      events
        .filter((event) => !event.includes('"inbound_transfer.received"'))
        .map(withoutIds)
        .map(withoutSequence);
    expect(shown(scene)).toEqual(shown(other));
    const bodies = ({ sent }: Scene) => [...sent.values()].map(({ body }) => withoutSequence(withoutIds(body)));
    expect(bodies(scene)).toEqual(bodies(other));
    for (const id of idsOf(other)) await eraseAs(other, id);
    await other.book.close();
  });

  test(`${textApart ? 'hold no text in' : 'hold text in'} what is kept for long`, async () => {
    expect(await tablesWith(MARKED, KEPT)).toEqual(textApart ? [] : ['public.events', 'public.idempotency_keys']);
    expect(scene.events.join()).toMatch(MARKED);
  });

  test('name as references exactly the markers that they hold', async () => {
    const { rows: answers } = await behind.query<{ kept: string; named: string | null }>(
      'SELECT body AS kept, text_references AS named FROM idempotency_keys WHERE book_id = $1 AND body IS NOT NULL',
      [scene.book.id],
    );
    const events = await readEvents(scene.book.pool, scene.book.id, { after: 0n, upTo: 100n, limit: 100 });
    const told = events.map(({ payload, textReferences }) => ({ kept: payload, named: textReferences }));
    for (const { kept, named } of [...answers, ...told])
      expect([...new Set(parseReferences(named))].sort()).toEqual(markedIn(kept).sort());
    for (const rows of [answers, told]) expect(rows.some(({ named }) => named !== null)).toBe(textApart);
  });

  test(`${eventsDerived ? 'say once' : 'say again and again'} what does not change`, async () => {
    const { rows } = await behind.query<{ sequence: string; form: number | null; first_sequence: string | null }>(
      `SELECT sequence, form, first_sequence FROM events WHERE book_id = $1 AND object_id = $2 ORDER BY sequence`,
      [scene.book.id, scene.payout],
    );
    expect(rows.map(({ form }) => form)).toEqual(Array(3).fill(eventsDerived ? PAYOUT_EVENTS.number : null));
    // The first event alone has the members that never change; the others refer to it.
    const first = eventsDerived ? rows[0]!.sequence : null;
    expect(rows.map(({ first_sequence: of }) => of)).toEqual([null, first, first]);
    const { rows: referring } = await behind.query<{ resource: string }>(
      `SELECT resource FROM idempotency_keys WHERE book_id = $1 AND body LIKE '{"$event":%' ORDER BY resource`,
      [scene.book.id],
    );
    expect(referring.map(({ resource }) => resource)).toEqual(eventsDerived ? ['account', 'payout'] : []);
  });

  test('are replayed byte for byte', async () => {
    for (const [key, { body }] of scene.sent) expect((await replay(scene, key))!.body).toBe(body);
  });

  test('show the text in timelines, what it was before too', async () => {
    const { items } = await readTimeline(scene.book.pool, {
      bookId: scene.book.id,
      resource: accountResource,
      id: scene.account,
      page: { limit: 20 },
    });
    expect(items.map(({ previous_attributes: before }) => before)).toContainEqual(
      expect.objectContaining({ name: marker('name') }),
    );
  });

  test('hold no text anywhere once it is erased, and nothing is found wrong', async () => {
    expect(await findings()).toEqual([]);
    const { rows: before } = await behind.query('SELECT sequence, payload FROM events WHERE book_id = $1', [
      scene.book.id,
    ]);
    for (const id of idsOf(scene)) {
      const subject = (await findErasable(owner, RESOURCES, id))!;
      expect((await listPlaces(owner, RESOURCES, subject)).some(({ rows }) => rows > 0)).toBe(true);
      const { erasure, places } = await eraseAs(scene, id);
      expect(erasure).toMatchObject({ actor: 'operator:ann', finishedAt: expect.any(Number) });
      expect(places.some(({ rows }) => rows > 0)).toBe(true);
      expect((await listPlaces(owner, RESOURCES, subject)).filter(({ rows }) => rows > 0)).toEqual([]);
    }
    expect(await tablesWith(MARKED)).toEqual([]);
    expect(await findings()).toEqual([]);
    const { rows: after } = await behind.query(
      'SELECT sequence, payload, leaf FROM events WHERE book_id = $1 ORDER BY sequence LIMIT $2',
      [scene.book.id, before.length],
    );
    expect(after.some(({ leaf }) => leaf !== null)).toBe(!textApart);
    if (textApart) expect(after.map(({ payload }) => payload)).toEqual(before.map(({ payload }) => payload));
  });

  test('are as they were but for null in place of the text', async () => {
    const shown = await eventsOf(scene);
    const erasedEvents = shown.slice(scene.events.length);
    expect(erasedEvents.map((text) => JSON.parse(text).type)).toEqual(Array(3).fill('personal_data.erased'));
    const nulled = scene.events.map((text) =>
      text
        .replace(/"(description|remittance|name)":"(?:[^"\\]|\\.)*"/g, '"$1":null')
        .replace(/"metadata":\{(?:[^"}]|"(?:[^"\\]|\\.)*")+\}/g, '"metadata":null'),
    );
    expect(shown.slice(0, scene.events.length)).toEqual(nulled);
    for (const key of scene.sent.keys()) expect((await replay(scene, key))!.body).not.toMatch(MARKED);
  });

  test('are erased once: again there is nothing to erase', async () => {
    for (const id of idsOf(scene)) expect((await eraseAs(scene, id)).erasure).toBeUndefined();
  });
});

describe('an erasure', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await play(LATEST_FORMS);
  });
  afterAll(() => scene?.book.close());

  test('that was interrupted anywhere is finished by the next, as one', async () => {
    const shownId = publicId('account', scene.account);
    const subject = (await findErasable(owner, RESOURCES, shownId))!;
    const { committer } = await openBook({
      database: owner,
      bookId: scene.book.id,
      forms: LATEST_FORMS,
    });
    const killedAfter = (places: number) => {
      let left = places;
      const onPlace = () => {
        if (left-- === 0) throw new Error('killed');
      };
      return erase(
        { pool: owner, resources: RESOURCES, committer, clock: systemClock, actor: `operator:${places}`, onPlace },
        subject,
      );
    };
    for (let places = 0; places < placesOf(subject.resource).length; places++)
      await expect(killedAfter(places)).rejects.toThrow('killed');
    expect((await eraseAs(scene, shownId)).erasure).toMatchObject({ actor: 'operator:0' });
    const { rows } = await behind.query(
      `SELECT actor, (SELECT count(*)::int FROM erasures WHERE object_id = $1) AS erasures FROM events
        WHERE object_id = $1 AND type = 'personal_data.erased'`,
      [scene.account],
    );
    expect(rows).toEqual([{ actor: 'operator:0', erasures: 1 }]);
  });

  test('lets go of no other change of an event', async () => {
    const event = (
      await behind.query("SELECT * FROM events WHERE book_id = $1 AND type = 'payout.paid'", [scene.book.id])
    ).rows[0]!;
    const change = (payload: string, leaf: Buffer | null) =>
      owner.query('UPDATE events SET payload = $3, leaf = $4 WHERE book_id = $1 AND sequence = $2', [
        event.book_id,
        event.sequence,
        payload,
        leaf,
      ]);
    const plain = await play(EARLIEST_FORMS);
    const [readable] = await readEvents(plain.book.pool, plain.book.id, { after: 0n, upTo: 1n, limit: 1 });
    const leaf = eventDigest(plain.book.id, readable!);
    const replace = (payload: string, kept: Buffer | null) =>
      owner.query('UPDATE events SET payload = $2, leaf = $3 WHERE book_id = $1 AND sequence = 1', [
        plain.book.id,
        payload,
        kept,
      ]);
    const nulled = nullMembers(readable!.payload, new Set(['name', 'metadata']));
    await expect(change(nulled, leaf), 'an event that refers to its text').rejects.toThrow('append-only');
    await expect(replace(nulled, null), 'no leaf').rejects.toThrow('append-only');
    await expect(replace(nulled, Buffer.alloc(32)), 'another leaf').rejects.toThrow('append-only');
    await expect(change(`${event.payload} `, leaf), 'an event in a form').rejects.toThrow('append-only');
    await expect(replace(readable!.payload.replace('marker-', 'other-'), leaf), 'other text').rejects.toThrow(
      'append-only',
    );
    await expect(
      replace(readable!.payload.replace('account.created', 'account.closed'), leaf),
      'another type',
    ).rejects.toThrow('append-only');
    await expect(owner.query('DELETE FROM events WHERE book_id = $1', [plain.book.id])).rejects.toThrow('append-only');
    await replace(nulled, leaf);
    await expect(replace(nulled, leaf), 'twice').rejects.toThrow('append-only');
    for (const id of idsOf(plain)) await eraseAs(plain, id);
    await plain.book.close();
  });

  test.each`
    change                                                                                                               | detail
    ${"UPDATE personal_texts SET text = '\"other\"' WHERE book_id = $1 AND field = 'description' AND object = 'payout'"} | ${'is not the one that the event refers to'}
    ${"DELETE FROM personal_texts WHERE book_id = $1 AND object = 'payout'"}                                             | ${'nobody erased it'}
  `('is told from a text that somebody changed: $change', async ({ change, detail }) => {
    await owner.query(change, [scene.book.id]);
    const found = await findings();
    expect(found.map(({ check }) => check)).toContain('event.text');
    expect(found.map((finding) => finding.detail).join()).toContain(detail);
  });
});

test('what looks like a marker is filled in only where its row names it', () => {
  const [named, other] = ['a'.repeat(64), 'b'.repeat(64)];
  const texts = new Map([
    [named, `{"$personal":"${other}"}`],
    [other, '"secret"'],
  ]);
  const mark = (reference: string) => `{"$personal":"${reference}"}`;
  const kept = `{"x":${mark(named)},"y":${mark(other)},"z":${JSON.stringify(mark(other))}}`;
  expect(filledIn(kept, named, texts)).toBe(
    `{"x":${mark(other)},"y":${mark(other)},"z":${JSON.stringify(mark(other))}}`,
  );
  expect(filledIn(kept, null, texts)).toBe(kept);
  expect(filledIn(`{"x":${mark(named)}}`, named, new Map())).toBe('{"x":null}');
});
