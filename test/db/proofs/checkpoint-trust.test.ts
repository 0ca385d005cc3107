/**
 * Which earlier checkpoint the next one continues. An attacker with the owner's rights rewrites a book and replaces our
 * checkpoints by forged or changed ones. The key must not sign a tree built on them.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { entryHash, GENESIS_HASH } from '../../../src/ledger/entry/entry-hash.ts';
import { readEntries } from '../../../src/ledger/journal/journal-read-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import type { Checkpoint } from '../../../src/proofs/checkpoint.ts';
import { JournalDoesNotVerify } from '../../../src/proofs/checkpoint-context.ts';
import { findBooksToCheckpoint } from '../../../src/proofs/checkpoint-store.ts';
import { makeCheckpoint } from '../../../src/proofs/make-checkpoint.ts';
import { planCheckpoint } from '../../../src/proofs/plan-checkpoint.ts';
import type { SigningKey } from '../../../src/proofs/signing-key.ts';
import { TreeContradicted } from '../../../src/proofs/tree-store.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { openBook, type TestBook, transfer } from '../../support/book.ts';
import { checkpointNow, newSigningKey, openSignerPool } from '../../support/checkpoints.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { corrupt } from '../../support/verify-scene.ts';

const ours = newSigningKey();
const thief = newSigningKey();

let database: TestDatabase;
let book: TestBook;
let signer: Pool;
let accounts: { from: string; to: string };
/** Signed by our key, at some 300 and some 600 entries. */
let first: Checkpoint;
let second: Checkpoint;

const move = (count: number) =>
  Promise.all(Array.from({ length: count }, () => book.submit(transfer({ ...accounts, amount: 1n }))));
/** Each account that is opened emits an event. */
const openAccounts = async (count: number) => {
  for (let opened = 0; opened < count; opened++) await book.account();
};
const forge = (...statements: string[]) => corrupt(database.superuserUrl, statements);
const contextOf = (key: SigningKey, formerKeys: readonly SigningKey[] = []) => ({
  pool: signer,
  clock: systemClock,
  key,
  formerKeyIds: new Set(formerKeys.map(({ keyId }) => keyId)),
});
const plan = (formerKeys: readonly SigningKey[] = []) => planCheckpoint(contextOf(ours, formerKeys), book.id);
const sign = (formerKeys: readonly SigningKey[] = []) => makeCheckpoint(contextOf(ours, formerKeys), book.id);
const signed = async () =>
  (await book.rows<{ id: string }>('SELECT id FROM checkpoints WHERE book_id = $1 ORDER BY id')).map(({ id }) => id);

beforeEach(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
  signer = openSignerPool(database);
  accounts = { from: await book.account({ amount: 1_000_000n }), to: await book.account() };
  await move(300);
  first = await checkpointNow(signer, book.id, ours);
  await move(300);
  await openAccounts(2);
  second = await checkpointNow(signer, book.id, ours);
  await move(3);
});

afterEach(async () => {
  await signer?.end();
  await book?.close();
  await database?.drop();
});

/** Changes the request id of an entry and recomputes every later hash. The chain alone does not show the change. */
async function rewriteFrom(sequence: bigint): Promise<void> {
  await forge(`UPDATE entries SET request_id = gen_random_uuid() WHERE sequence = ${sequence}`);
  const entries = await readEntries(book.pool, book.id, { after: 0n, upTo: 10_000n, limit: 10_000 });
  let hash = GENESIS_HASH;
  const changes: string[] = [];
  for (const entry of entries) {
    hash = entryHash(book.id, hash, entry);
    if (hash !== entry.hash) changes.push(`(${entry.sequence}, '\\x${hash}'::bytea)`);
  }
  await forge(
    `UPDATE entries SET hash = v.hash FROM (VALUES ${changes.join(', ')}) AS v (sequence, hash) WHERE entries.sequence = v.sequence`,
    `UPDATE books SET chain_hash = '\\x${hash}' WHERE id = '${book.id}'`,
  );
}

/** Signs a checkpoint with the attacker's key and the product's own code. */
async function forgeCheckpoint(): Promise<Checkpoint> {
  const superuser = createPool({
    url: database.superuserUrl,
    name: 'test',
    size: 1,
    log: createLogger('silent', 'test'),
  });
  try {
    return await checkpointNow(superuser, book.id, thief);
  } finally {
    await superuser.end();
  }
}

const NO_NODES = 'DELETE FROM tree_nodes';
const withoutSecond = () => `DELETE FROM checkpoints WHERE id = '${second.id}'`;
const ANOTHER_ACTOR = "UPDATE events SET actor = 'another' WHERE sequence = 1";

test('the last checkpoint is continued when one of our keys signed it', async () => {
  expect(await plan()).toMatchObject({ from: { id: second.id }, rows: 3n, distrust: undefined });
});

describe('history is rewritten and', () => {
  test.each<[what: string, attack: () => Promise<unknown>, refused: RegExp]>([
    [
      'a checkpoint of another key covers it: one of ours before it contradicts',
      async () => {
        await rewriteFrom(5n);
        await forge(NO_NODES, withoutSecond());
        await forge(`CREATE TABLE aside AS SELECT * FROM checkpoints`, 'DELETE FROM checkpoints');
        await forgeCheckpoint();
        await forge('INSERT INTO checkpoints SELECT * FROM aside');
      },
      /signed other entries up to number 301/,
    ],
    [
      'a checkpoint of another key covers it, alone: the subtrees contradict',
      async () => {
        await rewriteFrom(5n);
        await forge('CREATE TABLE aside AS SELECT * FROM tree_nodes', NO_NODES, 'DELETE FROM checkpoints');
        await forgeCheckpoint();
        await forge(NO_NODES, 'INSERT INTO tree_nodes SELECT * FROM aside');
      },
      /entries below node 8\/0 of the tree were others before/,
    ],
    [
      'events were changed, of which no chain tells',
      async () => {
        await forge(ANOTHER_ACTOR, NO_NODES, 'CREATE TABLE aside AS SELECT * FROM checkpoints');
        await forge('DELETE FROM checkpoints');
        await forgeCheckpoint();
        await forge(`INSERT INTO checkpoints SELECT * FROM aside WHERE id = '${first.id}'`);
      },
      /signed other events up to number/,
    ],
    [
      'our last checkpoint says so under the signature that it had',
      async () => {
        await rewriteFrom(5n);
        await forge(NO_NODES, 'CREATE TABLE aside AS SELECT * FROM checkpoints', 'DELETE FROM checkpoints');
        await forgeCheckpoint();
        await forge(
          `UPDATE checkpoints SET public_key = aside.public_key, signature = aside.signature FROM aside WHERE aside.id = '${second.id}'`,
          `INSERT INTO checkpoints SELECT * FROM aside WHERE id = '${first.id}'`,
        );
      },
      /signed other entries up to number 301/,
    ],
  ])('%s', async (_, attack, refused) => {
    await attack();
    const before = await signed();
    await move(2);
    const attempt = sign();
    await expect(attempt).rejects.toThrow(TreeContradicted);
    await expect(attempt).rejects.toThrow(refused);
    expect(await signed()).toEqual(before);
  });

  test('our checkpoint comes before the change: the chain does not continue it', async () => {
    await rewriteFrom(5n);
    await expect(sign()).rejects.toThrow(/Entry \d+ is not what its hash says, or its predecessor is not/);
  });
});

describe('a checkpoint of another key', () => {
  beforeEach(() => forge('DELETE FROM checkpoints'));

  test('is not continued: both trees are rebuilt from their first leaf and agree with it', async () => {
    const theirs = await forgeCheckpoint();
    await move(1);
    const rows = BigInt(
      await book
        .row<{ n: number }>('SELECT (entry_sequence + event_sequence)::int AS n FROM books WHERE id = $1')
        .then(({ n }) => n),
    );
    expect(await plan()).toMatchObject({
      from: undefined,
      rows,
      distrust: expect.stringMatching(/is signed by ed25519:[0-9a-f]{64}, which is neither/),
    });
    expect(await sign()).toMatchObject({ made: true, checkpoint: { treeSize: theirs.treeSize + 1n } });
    expect(await plan()).toMatchObject({ rows: 0n, distrust: undefined });
  });

  test('is continued when its key is one of our former keys', async () => {
    const theirs = await forgeCheckpoint();
    await move(1);
    expect(await plan([thief])).toMatchObject({ from: { id: theirs.id }, rows: 1n, distrust: undefined });
    expect(await sign([thief])).toMatchObject({ made: true });
  });

  test('of the same size replaces ours when its hashes agree, and is refused otherwise', async () => {
    const theirs = await forgeCheckpoint();
    expect(await sign()).toMatchObject({ made: false, checkpoint: { id: theirs.id } });
    await forge("UPDATE checkpoints SET root_hash = sha256('x')");
    await expect(sign()).rejects.toThrow(/covers the same entries and events, and names other hashes/);
  });
});

describe('a checkpoint of ours', () => {
  test.each<[what: string, statement: () => string, words: RegExp]>([
    [
      'whose time was changed',
      () => "UPDATE checkpoints SET created_at = created_at + interval '1 ms'",
      /is not as it was signed/,
    ],
    ['with other peaks', () => "UPDATE checkpoints SET peaks = overlay(peaks PLACING '\\xff00ff' FROM 1)", /peaks/],
    ['whose subtrees are gone', () => NO_NODES, /Subtrees that are kept are not those of/],
  ])('%s is not continued, and the rebuilt trees are sound', async (_, statement, words) => {
    await forge(statement());
    expect(await plan()).toMatchObject({ from: undefined, distrust: expect.stringMatching(words) });
    expect(await sign()).toMatchObject({ made: true, checkpoint: { treeSize: second.treeSize + 3n } });
    expect(await plan()).toMatchObject({ rows: 0n, distrust: undefined });
  });

  test('with forged subtrees is not continued, and the rebuilt tree contradicts it', async () => {
    await forge("UPDATE tree_nodes SET hash = sha256('x') WHERE tree = 'entries' AND level = 9");
    await expect(sign()).rejects.toThrow(TreeContradicted);
  });

  test('with forged subtrees and forged peaks is contradicted too', async () => {
    await forge(
      "UPDATE tree_nodes SET hash = sha256('x') WHERE tree = 'entries' AND level = 9",
      `UPDATE checkpoints SET peaks = overlay(peaks PLACING sha256('x') FROM 1) WHERE id = '${second.id}'`,
    );
    await expect(sign()).rejects.toThrow(TreeContradicted);
  });
});

describe('a truncated book', () => {
  const cut = () =>
    forge(
      'DELETE FROM entries WHERE sequence > 400',
      'DELETE FROM postings WHERE entry_sequence > 400',
      'UPDATE books SET entry_sequence = 400, chain_hash = (SELECT hash FROM entries WHERE sequence = 400) WHERE entry_sequence > 400',
    );

  test.each<[what: string, attack: () => Promise<unknown>]>([
    ['is refused', () => Promise.resolve()],
    [
      'is refused behind a checkpoint of another key',
      () =>
        forge(
          `INSERT INTO checkpoints SELECT book_id, tree_size + 1000, event_tree_size + 1000, gen_random_uuid(), root_hash, chain_hash,
         event_root_hash, peaks, event_peaks, sha256('x'), signature, created_at FROM checkpoints WHERE id = '${second.id}'`,
        ),
    ],
  ])('%s, and is due at once', async (_, attack) => {
    await cut();
    const due = { madeBefore: 0, now: systemClock.now(), keyIds: [ours.keyId], after: undefined, limit: 10 };
    expect(await findBooksToCheckpoint(signer, due)).toEqual([book.id]);
    await attack();
    const attempt = sign();
    await expect(attempt).rejects.toThrow(JournalDoesNotVerify);
    await expect(attempt).rejects.toThrow(/covers 60\d entries and \d+ events; the book has 400 and/);
  });
});

test('a forged checkpoint beyond the end or in the future neither stops nor delays the next one', async () => {
  const copy = (treeSize: string, createdAt: string) =>
    `INSERT INTO checkpoints SELECT book_id, ${treeSize}, event_tree_size, gen_random_uuid(), root_hash, chain_hash,
       event_root_hash, peaks, event_peaks, sha256('x'), signature, ${createdAt} FROM checkpoints WHERE id = '${second.id}'`;
  const due = {
    madeBefore: systemClock.now() + 1,
    now: systemClock.now(),
    keyIds: [ours.keyId],
    after: undefined,
    limit: 10,
  };
  await forge(copy('tree_size + 1000', 'created_at'));
  expect(await findBooksToCheckpoint(signer, due)).toEqual([book.id]);
  expect(await plan()).toMatchObject({
    from: { id: second.id },
    rows: 3n,
    distrust: expect.stringMatching(/covers more than the book has/),
  });
  await forge(copy('tree_size + 1', "'3000-01-01'"));
  expect(await findBooksToCheckpoint(signer, due)).toEqual([book.id]);
  expect(await plan()).toMatchObject({ from: undefined });
  expect(await sign()).toMatchObject({ made: true });
});

test('the application role cannot insert a checkpoint or a tree node', async () => {
  for (const statement of [
    'INSERT INTO checkpoints SELECT * FROM checkpoints',
    'INSERT INTO tree_nodes SELECT * FROM tree_nodes',
  ])
    await expect(book.pool.query(statement)).rejects.toMatchObject({ code: '42501' });
});

test('rebuilding the trees rests between pages, and stops when it is aborted', async () => {
  await forge('DELETE FROM checkpoints');
  const closing = new AbortController();
  const rested: number[] = [];
  const context = {
    ...contextOf(ours),
    signal: closing.signal,
    rest: async (tookMs: number) => {
      rested.push(tookMs);
      closing.abort();
    },
  };
  await expect(makeCheckpoint(context, book.id)).rejects.toThrow(/aborted/);
  expect(rested).toEqual([expect.any(Number)]);
});
