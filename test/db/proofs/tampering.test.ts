/**
 * One byte changed anywhere in the journal, with the database's own means and past every trigger. What `npm run verify`
 * finds by itself, with the stored checkpoints, and with a checkpoint kept elsewhere. And which checkpoints the key
 * still signs afterwards.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { JOURNAL_TABLES } from '../../../src/db/grants.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import type { Finding } from '../../../src/group/finding.ts';
import { GROUPS } from '../../../src/groups.ts';
import { postEntry } from '../../../src/journal/entries/post-entries.ts';
import { reverseEntry } from '../../../src/journal/entries/reverse-entry.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { entryHash } from '../../../src/ledger/entry/entry-hash.ts';
import { readEvents } from '../../../src/ledger/events/event-read-store.ts';
import { findEntry, readEntries } from '../../../src/ledger/journal/journal-read-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { type CheckpointView, checkpointView } from '../../../src/proofs/checkpoint.ts';
import { eventDigest } from '../../../src/proofs/event-digest.ts';
import { makeCheckpoint } from '../../../src/proofs/make-checkpoint.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId, type ResourceName } from '../../../src/values/ids.ts';
import { verifyDatabase } from '../../../src/verify/verify-database.ts';
import { webhookSink } from '../../../src/webhooks/backlogs/event-sink.ts';
import { openBook, stored, type TestBook, transfer } from '../../support/book.ts';
import { checkpointIn, checkpointNow, newSigningKey } from '../../support/checkpoints.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { type FilledDatabase, openFilledDatabase, rulesOf, type Scene } from '../../support/verify-scene.ts';

let filled: FilledDatabase;
let scene: Scene;
const ours = newSigningKey();
/** A checkpoint kept outside the database, as an auditor has it. */
let kept: CheckpointView;
let columns: { table: string; column: string; type: string }[];
/** The accounts of the last entry, a transfer without an event. */
let last: { from: string; to: string };
/** Drops the constraints that would stop an attacker in some columns. */
let lifted: string[];

beforeAll(async () => {
  filled = await openFilledDatabase(async (book, database) => {
    await checkpointIn(database, book.id, ours);
    last = { from: await book.account({ amount: 100n }), to: await book.account() };
    await takenBack(book, last);
    await bookedLate(book, database, last);
    await book.submit(transfer({ ...last, amount: 40n }));
    kept = checkpointView(await checkpointIn(database, book.id, ours));
  });
  scene = filled.scene;
  await filled.lookAfter([], async (pool) => {
    const columnsOf = await pool.query(
      `SELECT table_name AS table, column_name AS column, data_type AS type FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name = ANY ($1) ORDER BY table_name, ordinal_position`,
      [JOURNAL_TABLES],
    );
    columns = columnsOf.rows as typeof columns;
    const limits = await pool.query<{ statement: string }>(
      `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) AS statement
       FROM pg_constraint WHERE conrelid::regclass::text = ANY ($1) AND contype IN ('c', 'u', 'p')
       UNION ALL
       SELECT format('DROP INDEX %s', indexrelid::regclass)
       FROM pg_index WHERE indrelid::regclass::text = ANY ($1) AND indisunique AND NOT indisprimary`,
      [JOURNAL_TABLES],
    );
    lifted = limits.rows.map(({ statement }) => statement);
  });
});

afterAll(() => filled?.close());

/** An entry that was asked for by API, and its reversal, as they are written since the contract. */
async function takenBack({ pool, id }: TestBook, { from, to }: typeof last): Promise<void> {
  const contracted = await openBook({ database: pool, bookId: id, sink: webhookSink, forms: LATEST_FORMS });
  const asked = { bookId: id, requestId: newId(), actor: 'system' };
  const postings = [{ debit: from, credit: to, amount: 5n, currency: 'EUR' }];
  const request = { postings, effectiveOn: undefined, description: null, externalId: null, metadata: {}, expect: [] };
  const { resourceId } = await contracted.submit(stored(postEntry(asked, request)));
  const entry = (await findEntry(pool, id, resourceId!))!;
  await contracted.submit(stored(reverseEntry(entry, { ...asked, description: null })));
  await contracted.close();
}

/** An entry of a closed day: it takes effect on the first open one. */
async function bookedLate(book: TestBook, database: TestDatabase, { from, to }: typeof last): Promise<void> {
  const owner = createPool({ url: database.ownerUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
  const close = (day: string | null) =>
    owner.query('UPDATE books SET closed_through = $2 WHERE id = $1', [book.id, day]);
  await close('2026-01-31');
  const id = newId();
  await book.submit({
    ...{ id, requestId: id, name: 'test.late', touches: [{ table: accounts, ids: [from, to] }] },
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId: id }, moment);
      draft.post({
        ...{ resource: 'transfer' as ResourceName, resourceId: id, step: 'done' },
        postings: [{ debit: from, credit: to, amount: 1n }],
        effectiveAt: Date.parse('2026-01-05T00:00:00Z'),
      });
      return draft.finish(undefined);
    },
  });
  await close(null);
  await owner.end();
}

/** Without rules of time, which depend on whether neighbours share a millisecond. */
function found(findings: readonly Finding[]): string {
  return rulesOf(findings)
    .filter((rule) => !rule.endsWith('.time'))
    .join(' ');
}

type Trusted = 'nothing' | 'the kept checkpoint';

function findingsAfter(statements: readonly string[], trusted: Trusted = 'nothing'): Promise<Finding[]> {
  const checkpoints = trusted === 'nothing' ? [] : [kept];
  return filled.lookAfter(statements, async (pool) => {
    const findings: Finding[] = [];
    await verifyDatabase(pool, {
      groups: GROUPS,
      trusted: { checkpoints, keys: [] },
      onFinding: (finding) => findings.push(finding),
    });
    return findings;
  });
}

/** The smallest change of each type: a byte, a digit, a bit, a millisecond. */
const CHANGED: Record<string, (column: string) => string> = {
  uuid: (column) =>
    `overlay(${column}::text PLACING CASE right(${column}::text, 1) WHEN '0' THEN '1' ELSE '0' END FROM 36)::uuid`,
  bigint: (column) => `${column} # 1`,
  smallint: (column) => `(${column} # 1)::smallint`,
  text: (column) =>
    `overlay(${column} PLACING CASE substr(${column}, length(${column}) / 2 + 1, 1) WHEN 'x' THEN 'y' ELSE 'x' END FROM length(${column}) / 2 + 1 FOR 1)`,
  bytea: (column) => `set_byte(${column}, length(${column}) - 1, get_byte(${column}, length(${column}) - 1) # 1)`,
  boolean: (column) => `NOT ${column}`,
  'timestamp with time zone': (column) => `${column} + interval '1 ms'`,
};

/** What is put where a row that nobody erased holds nothing. */
const PUT_IN: Record<string, string> = {
  'events.leaf': `decode(repeat('00', 32), 'hex')`,
  'events.text_references': `repeat('0', 64)`,
  'events.form': '1',
  'events.first_sequence': '1',
};

/** Columns of entries that only those have that were booked behind the scene, before the last. */
const SINCE_THE_CONTRACT: Readonly<Record<string, true>> = { reverses: true, occurred_on: true };

/** A row of the table with a value in the column. */
function rowOf(table: string, column: string): string {
  const rows: Record<string, string> = {
    entries: `sequence = (SELECT max(sequence) FROM entries WHERE ${column} IS NOT NULL AND sequence < ${column in SINCE_THE_CONTRACT ? '(SELECT max(sequence) FROM entries)' : scene.transfer})`,
    postings: `(entry_sequence, ordinal) = (${scene.transfer}, 1)`,
    hold_steps: `(hold_id, ordinal) = ('${scene.payouts.paid.holdId}', 2)`,
    events: `(object_id, type) = ('${scene.payouts.paid.id}', 'payout.processing')`,
    entry_texts: 'entry_sequence = (SELECT min(entry_sequence) FROM entry_texts)',
  };
  return rows[table]!;
}

test('an untouched database has no findings', async () => {
  expect(await findingsAfter(lifted, 'the kept checkpoint')).toEqual([]);
});

/** The rule that certainly finds the change; other rules may find it too. */
const FOUND_BY: Record<string, (column: string) => string> = {
  entries: (column) => (column === 'book_id' || column === 'sequence' ? 'journal.sequence' : 'journal.chain'),
  postings: () => 'journal.chain',
  hold_steps: (column) =>
    ({
      amount: 'hold.remaining',
      created_at: 'hold.event',
      floor_overridden: 'hold.kind',
      kind: 'hold.kind',
      ordinal: 'hold.kind',
    })[column] ?? 'hold.steps',
  // Only the checkpoint covers the actor of an event and every byte of its body.
  events: () => 'checkpoint.events',
  entry_texts: (column) => (column === 'salt' || column === 'description' ? 'journal.text' : 'journal.orphan'),
};

test('an event with another body and the leaf of before is found: no erasure says so', async () => {
  const of = `(object_id, type) = ('${scene.payouts.paid.id}', 'payout.processing')`;
  const event = (await filled.lookAfter([], (pool) =>
    readEvents(pool, scene.bookId, { after: 0n, upTo: 1_000n, limit: 1_000 }),
  ))!.find(({ objectId, type }) => objectId === scene.payouts.paid.id && type === 'payout.processing')!;
  const leaf = eventDigest(scene.bookId, event).toString('hex');
  const change = `UPDATE events SET leaf = decode('${leaf}', 'hex'), payload = replace(payload, 'sandbox', 'another') WHERE ${of}`;
  expect(found(await findingsAfter([...lifted, change]))).toContain('event.text');
});

test('a changed byte in any column of any journal table is found', async () => {
  const missed: string[] = [];
  for (const { table, column, type } of columns) {
    const changed = `COALESCE(${CHANGED[type]!(column)}, ${PUT_IN[`${table}.${column}`] ?? 'NULL'})`;
    const change = `UPDATE ${table} SET ${column} = ${changed} WHERE ${rowOf(table, column)}`;
    const rules = found(await findingsAfter([...lifted, change]));
    const expected = FOUND_BY[table]!(column);
    if (!rules.split(' ').includes(expected)) missed.push(`${table}.${column} by ${expected}, but by ${rules}`);
  }
  expect(missed).toEqual([]);
  expect(columns.length).toBeGreaterThan(40);
});

const LAST = 'sequence = (SELECT max(sequence) FROM entries)';
const OF_LAST = 'entry_sequence = (SELECT max(sequence) FROM entries)';
const BOOK = () => `id = '${scene.bookId}'`;

/** Removes the last entry and every trace of it: the journal as it was before. */
const CUT_SHORT = () => [
  `UPDATE accounts SET posted_debits = posted_debits - 40, lines = lines - 1 WHERE id = '${last.from}'`,
  `UPDATE accounts SET posted_credits = posted_credits - 40, lines = lines - 1 WHERE id = '${last.to}'`,
  `DELETE FROM postings WHERE ${OF_LAST}`,
  `DELETE FROM entries WHERE ${LAST}`,
  `UPDATE books SET entry_sequence = entry_sequence - 1, chain_hash = (SELECT hash FROM entries WHERE ${LAST}) WHERE ${BOOK()}`,
];

/** Another amount in the last entry, with matching lines, accounts, hash and head. */
async function writtenAnew(): Promise<string[]> {
  const { before, entry } = await filled.lookAfter([], async (pool) => {
    const { rows } = await pool.query<{ sequence: bigint }>(`SELECT sequence FROM entries WHERE ${LAST}`);
    const { sequence } = rows[0]!;
    const [one, other] = await readEntries(pool, scene.bookId, { after: sequence - 2n, upTo: sequence, limit: 2 });
    return { before: one!, entry: other! };
  });
  const [posting] = entry.postings;
  const changed = {
    ...posting!,
    amount: 41n,
    debitBalanceAfter: posting!.debitBalanceAfter - 1n,
    creditBalanceAfter: posting!.creditBalanceAfter + 1n,
  };
  const hash = `'\\x${entryHash(scene.bookId, before.hash, { ...entry, postings: [changed] })}'`;
  return [
    `UPDATE postings SET amount = 41, debit_balance_after = debit_balance_after - 1, credit_balance_after = credit_balance_after + 1 WHERE ${OF_LAST}`,
    `UPDATE accounts SET posted_debits = posted_debits + 1 WHERE id = '${last.from}'`,
    `UPDATE accounts SET posted_credits = posted_credits + 1 WHERE id = '${last.to}'`,
    `UPDATE entries SET hash = ${hash} WHERE ${LAST}`,
    `UPDATE books SET chain_hash = ${hash} WHERE ${BOOK()}`,
  ];
}

const SWAPPED = () => [
  ...lifted,
  `UPDATE entries SET sequence = 2 * ${scene.transfer} + 1 - sequence WHERE sequence IN (${scene.transfer}, ${scene.transfer} + 1)`,
  `UPDATE postings SET entry_sequence = 2 * ${scene.transfer} + 1 - entry_sequence WHERE entry_sequence IN (${scene.transfer}, ${scene.transfer} + 1)`,
];

const ANOTHER_ACTOR = () => [`UPDATE events SET actor = 'another' WHERE ${rowOf('events', 'actor')}`];
const NO_CHECKPOINTS = ['DELETE FROM checkpoints'];

/** For `alone` and `elsewhere` the attacker deletes the stored checkpoints too. */
test.each<[what: string, alone: string, stored: string, elsewhere: string, () => string[] | Promise<string[]>]>([
  ['the last entry is deleted, by someone thorough', '', 'checkpoint.entries', 'checkpoint.entries', CUT_SHORT],
  ['the last entry is written anew, hash and all', '', 'checkpoint.entries', 'checkpoint.entries', writtenAnew],
  ['who made an event happen', '', 'checkpoint.events', 'checkpoint.events', ANOTHER_ACTOR],
  [
    'two entries change places',
    'journal.chain journal.text',
    'checkpoint.entries journal.chain journal.text',
    'checkpoint.entries journal.chain journal.text',
    SWAPPED,
  ],
])('%s', async (_, alone, stored, elsewhere, tamper) => {
  const statements = await tamper();
  const rules = async (further: string[], trusted: Trusted) =>
    found(await findingsAfter([...statements, ...further], trusted));
  expect({
    alone: await rules(NO_CHECKPOINTS, 'nothing'),
    stored: await rules([], 'nothing'),
    elsewhere: await rules(NO_CHECKPOINTS, 'the kept checkpoint'),
  }).toEqual({ alone, stored, elsewhere });
});

test("a checkpoint signed with an attacker's key is found by the pinned key", async () => {
  const statements = [...CUT_SHORT(), ...NO_CHECKPOINTS];
  const rulesWith = (keys: string[]) =>
    filled.lookAfter(statements, async (pool) => {
      await checkpointNow(pool, scene.bookId, newSigningKey());
      const findings: Finding[] = [];
      const trusted = { checkpoints: [], keys };
      await verifyDatabase(pool, { groups: GROUPS, trusted, onFinding: (finding) => findings.push(finding) });
      return found(findings);
    });
  expect(await rulesWith([])).toBe('');
  expect(await rulesWith([kept.note.key_id])).toBe('checkpoint.signature');
});

/** Replaces our newest checkpoint by the attacker's, optionally under our key and signature. */
async function signAsThief(pool: Pool, copied: boolean): Promise<void> {
  const ofNewest = `tree_size = ${kept.note.tree_size}`;
  const hex = (base64: string) => `'\\x${Buffer.from(base64, 'base64').toString('hex')}'`;
  await pool.query(`DELETE FROM checkpoints WHERE ${ofNewest}`);
  await checkpointNow(pool, scene.bookId, newSigningKey());
  if (!copied) return;
  const { public_key: key, signature } = kept;
  await pool.query(`UPDATE checkpoints SET public_key = ${hex(key)}, signature = ${hex(signature)} WHERE ${ofNewest}`);
}

const NOT_SIGNED: (pool: Pool) => Promise<void> = () => Promise.resolve();
const OWN_KEY = (pool: Pool) => signAsThief(pool, false);
const OUR_SIGNATURE = (pool: Pool) => signAsThief(pool, true);
const ALONE = (pool: Pool) => pool.query('DELETE FROM checkpoints').then(() => OWN_KEY(pool));
/** Gives the next checkpoint something new to cover. */
const ONE_EVENT_MORE = () =>
  `INSERT INTO events SELECT book_id, sequence + 1, gen_random_uuid(), type, object_id, request_id, actor, created_at, payload
   FROM events WHERE sequence = (SELECT max(sequence) FROM events)`;

test.each<
  [
    what: string,
    next: 'signed' | RegExp,
    tamper: () => string[] | Promise<string[]>,
    forge: (pool: Pool) => Promise<void>,
  ]
>([
  ['nothing was touched', 'signed', () => [], NOT_SIGNED],
  ['the last entry is deleted', /covers \d+ entries and \d+ events; the book has/, CUT_SHORT, NOT_SIGNED],
  ['the last entry is written anew', /names another hash than entry/, writtenAnew, NOT_SIGNED],
  ['two entries change places', /Entry \d+ is not what its hash says/, SWAPPED, OUR_SIGNATURE],
  ['an event is changed, signed with another key', /signed other events/, ANOTHER_ACTOR, OWN_KEY],
  ['an event is changed, under our signature', /signed other events/, ANOTHER_ACTOR, OUR_SIGNATURE],
  ['an event is changed, no checkpoint of ours is left', 'signed', ANOTHER_ACTOR, ALONE],
])('the next checkpoint by our key, when %s: %s', async (_, next, tamper, forge) => {
  const statements = await tamper();
  const outcome = filled.lookAfter(statements, async (pool) => {
    await forge(pool);
    await pool.query(ONE_EVENT_MORE());
    await pool.query(`UPDATE books SET event_sequence = event_sequence + 1 WHERE ${BOOK()}`);
    const made = await makeCheckpoint({ pool, clock: systemClock, key: ours }, scene.bookId);
    return made!.made ? 'signed' : 'nothing new';
  });
  if (next instanceof RegExp) await expect(outcome).rejects.toThrow(next);
  else expect(await outcome).toBe(next);
});
