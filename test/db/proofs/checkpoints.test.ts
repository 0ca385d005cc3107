/** Checkpoints and proofs of a real book: made while the book grows, and checked without the database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Pool } from '../../../src/db/pool.ts';
import type { Finding } from '../../../src/group/finding.ts';
import { GROUPS } from '../../../src/groups.ts';
import { findEntry } from '../../../src/ledger/journal/journal-read-store.ts';
import { type Checkpoint, checkpointView } from '../../../src/proofs/checkpoint.ts';
import { JournalDoesNotVerify } from '../../../src/proofs/checkpoint-context.ts';
import {
  findBooksToCheckpoint,
  findCheckpointBefore,
  findNewestCheckpoint,
  readCheckpoints,
} from '../../../src/proofs/checkpoint-store.ts';
import { judgeCheckpoint, judgeProof } from '../../../src/proofs/judge-proof.ts';
import { makeCheckpoint } from '../../../src/proofs/make-checkpoint.ts';
import { proveConsistency, proveInclusion } from '../../../src/proofs/prove.ts';
import { KEPT_LEVEL } from '../../../src/proofs/tree-store.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { verifyDatabase } from '../../../src/verify/verify-database.ts';
import { openBook, type TestBook, transfer } from '../../support/book.ts';
import { checkpointNow, newSigningKey, openSignerPool } from '../../support/checkpoints.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { corrupt } from '../../support/verify-scene.ts';

let database: TestDatabase;
let book: TestBook;
let signer: Pool;
let accounts: { from: string; to: string };
const key = newSigningKey();
/** Of several tree sizes, oldest first. */
const checkpoints: Checkpoint[] = [];

const move = (count: number) =>
  Promise.all(Array.from({ length: count }, () => book.submit(transfer({ ...accounts, amount: 1n }))));

async function entryAt(sequence: bigint) {
  const { id } = await book.row<{ id: string }>(
    'SELECT id FROM entries WHERE book_id = $1 AND sequence = $2',
    sequence,
  );
  return (await findEntry(book.pool, book.id, id))!;
}

const holds = (judgements: readonly { isSound: boolean; text: string }[]) =>
  judgements.filter((judgement) => !judgement.isSound).map(({ text }) => text);

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
  signer = openSignerPool(database);
  accounts = { from: await book.account({ amount: 1_000_000n }), to: await book.account() };
  for (const count of [0, 1, 254, 1, 300, 756, 7]) {
    await move(count);
    if (count !== 1) await book.account({ amount: 5n });
    checkpoints.push(await checkpointNow(signer, book.id, key));
  }
});

afterAll(async () => {
  await signer?.end();
  await book?.close();
  await database?.drop();
});

test('each covers the entries of its time, and its signature holds', () => {
  expect(checkpoints.map(({ treeSize }) => treeSize)).toEqual([2n, 3n, 258n, 259n, 560n, 1_317n, 1_325n]);
  for (const checkpoint of checkpoints)
    expect(holds(judgeCheckpoint(checkpointView(checkpoint), [key.keyId]))).toEqual([]);
});

test('subtrees of 256 leaves or more are stored, smaller ones are not', async () => {
  const rows = await book.rows<{ level: number; count: bigint }>(
    "SELECT level, count(*) FROM tree_nodes WHERE book_id = $1 AND tree = 'entries' GROUP BY level ORDER BY level",
  );
  expect(rows).toEqual([
    { level: KEPT_LEVEL, count: 5n },
    { level: 9, count: 2n },
    { level: 10, count: 1n },
  ]);
});

test('every entry has an inclusion proof in every checkpoint that covers it', async () => {
  for (const checkpoint of checkpoints) {
    const known = [checkpointView(checkpoint)];
    const edges = [1n, 2n, 3n, 4n, 255n, 256n, 257n, 512n, 513n, 1_024n, 1_025n, checkpoint.treeSize];
    for (const sequence of new Set(edges.filter((one) => one <= checkpoint.treeSize))) {
      const proof = await proveInclusion(book.pool, { entry: await entryAt(sequence), checkpoint });
      expect(holds(judgeProof(proof, known))).toEqual([]);
    }
  }
});

test('every checkpoint has a consistency proof from every earlier one', async () => {
  const known = checkpoints.map(checkpointView);
  for (const [at, second] of checkpoints.entries()) {
    for (const first of checkpoints.slice(0, at + 1)) {
      expect(holds(judgeProof(await proveConsistency(book.pool, { first, second }), known))).toEqual([]);
    }
  }
});

test('a checkpoint built at once has the same roots as one built in steps', async () => {
  await corrupt(database.superuserUrl, [
    'CREATE TABLE kept_aside AS SELECT * FROM checkpoints',
    'CREATE TABLE nodes_aside AS SELECT * FROM tree_nodes',
    'DELETE FROM checkpoints',
  ]);
  const again = await checkpointNow(signer, book.id, key);
  expect([again.rootHash, again.eventRootHash]).toEqual([
    checkpoints.at(-1)!.rootHash,
    checkpoints.at(-1)!.eventRootHash,
  ]);
  await corrupt(database.superuserUrl, ['DELETE FROM checkpoints', 'INSERT INTO checkpoints SELECT * FROM kept_aside']);
});

test('a book without new entries or events gets no further checkpoint', async () => {
  expect(await makeCheckpoint({ pool: signer, clock: systemClock, key }, book.id)).toMatchObject({
    made: false,
    checkpoint: { id: checkpoints.at(-1)!.id },
  });
});

test('of several processes at once, one makes the checkpoint', async () => {
  await move(300);
  const made = await Promise.all(
    Array.from({ length: 4 }, () => makeCheckpoint({ pool: signer, clock: systemClock, key }, book.id)),
  );
  expect(made.filter((one) => one!.made)).toHaveLength(1);
  expect(new Set(made.map((one) => one!.checkpoint.id)).size).toBe(1);
});

test('new events without new entries are covered', async () => {
  const before = await findNewestCheckpoint(book.pool, book.id);
  await book.account();
  const after = await checkpointNow(signer, book.id, key);
  expect(after).toMatchObject({ treeSize: before!.treeSize, eventTreeSize: before!.eventTreeSize + 1n });
  expect((await findCheckpointBefore(book.pool, after))!.id).toBe(before!.id);
});

test('are read in order, page by page', async () => {
  const first = await readCheckpoints(book.pool, book.id, { after: undefined, limit: 4 });
  const second = await readCheckpoints(book.pool, book.id, { after: first.at(-1), limit: 100 });
  expect([...first, ...second].map(({ id }) => id).slice(0, 7)).toEqual(checkpoints.map(({ id }) => id));
  expect(second).toHaveLength(5);
});

test('a book is due when it has grown and its last checkpoint is old enough', async () => {
  const page = { after: undefined, limit: 10, now: systemClock.now(), keyIds: [key.keyId] };
  const due = async (madeBefore: number) => findBooksToCheckpoint(signer, { ...page, madeBefore });
  expect(await due(systemClock.now())).toEqual([]);
  await move(1);
  expect(await due(0)).toEqual([]);
  expect(await due(systemClock.now())).toEqual([book.id]);
});

test('an empty book gets no checkpoint', async () => {
  const empty = await openBook({ database: book.pool });
  expect(await makeCheckpoint({ pool: signer, clock: systemClock, key }, empty.id)).toBeUndefined();
  await empty.close();
});

describe('what does not verify is not signed', () => {
  type Case = [what: string, message: RegExp, statements: string[], undo: string[]];
  const LAST = 'sequence = (SELECT max(sequence) FROM entries)';

  test.each<Case>([
    [
      'a new entry that was changed',
      /Entry \d+ is not what its hash says/,
      [`UPDATE entries SET effective_at = effective_at + interval '1 ms' WHERE ${LAST}`],
      [`UPDATE entries SET effective_at = effective_at - interval '1 ms' WHERE ${LAST}`],
    ],
    [
      'a new entry that is gone',
      /Number \d+ of the entries is missing/,
      [`CREATE TABLE aside AS SELECT * FROM entries WHERE ${LAST}`, `DELETE FROM entries WHERE ${LAST}`],
      ['INSERT INTO entries SELECT * FROM aside', 'DROP TABLE aside'],
    ],
    [
      "a book's row that names another hash",
      /names another hash/,
      ['CREATE TABLE aside AS SELECT id, chain_hash FROM books', "UPDATE books SET chain_hash = sha256('x')"],
      ['UPDATE books SET chain_hash = aside.chain_hash FROM aside WHERE aside.id = books.id', 'DROP TABLE aside'],
    ],
    [
      'a book that is shorter than its checkpoint',
      /covers \d+ entries/,
      ['UPDATE books SET entry_sequence = entry_sequence - 100 WHERE entry_sequence > 100'],
      ['UPDATE books SET entry_sequence = entry_sequence + 100 WHERE entry_sequence > 100'],
    ],
  ])('%s', async (_, message, statements, undo) => {
    await move(1);
    await corrupt(database.superuserUrl, statements);
    const attempt = checkpointNow(signer, book.id, key);
    await expect(attempt).rejects.toThrow(JournalDoesNotVerify);
    await expect(attempt).rejects.toThrow(message);
    await corrupt(database.superuserUrl, undo);
    await checkpointNow(signer, book.id, key);
  });

  test('neither the application nor the signer can change or remove checkpoints and tree nodes', async () => {
    for (const statement of [
      'UPDATE checkpoints SET created_at = now()',
      'DELETE FROM tree_nodes',
      'TRUNCATE checkpoints',
    ])
      for (const pool of [book.pool, signer])
        await expect(pool.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});

test('a book that grows while it is verified and checkpoints are made has no false findings', async () => {
  let stop = false;
  const going = (async () => {
    while (!stop) await move(50);
  })();
  const signing = (async () => {
    while (!stop) await checkpointNow(signer, book.id, key);
  })();
  const findings: Finding[] = [];
  for (let round = 0; round < 4; round++) {
    const given = checkpointView((await findNewestCheckpoint(book.pool, book.id))!);
    const trusted = { checkpoints: [given], keys: [key.keyId] };
    await verifyDatabase(book.pool, { groups: GROUPS, trusted, onFinding: (finding) => findings.push(finding) });
  }
  stop = true;
  await Promise.all([going, signing]);
  expect(findings).toEqual([]);
});

test('a changed or missing stored subtree is found', async () => {
  await corrupt(database.superuserUrl, [
    `UPDATE tree_nodes SET hash = sha256('x') WHERE tree = 'entries' AND level = 8 AND position = 1`,
    `DELETE FROM tree_nodes WHERE tree = 'entries' AND level = 9 AND position = 0`,
  ]);
  const findings: Finding[] = [];
  await verifyDatabase(book.pool, { groups: GROUPS, bookId: book.id, onFinding: (finding) => findings.push(finding) });
  expect(findings.map(({ check, ids, actual }) => [check, ids.node, actual])).toEqual([
    ['checkpoint.nodes', 'entries 8/1', expect.stringMatching(/^[0-9a-f]{64}$/)],
    ['checkpoint.nodes', 'entries 9/0', 'none'],
  ]);
});
