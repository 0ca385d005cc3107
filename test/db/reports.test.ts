/** The reports pool: which books get a checkpoint, when, and what happens to one that does not verify. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../scripts/faults/client.ts';
import type { Instant } from '../../src/clock.ts';
import type { Pool } from '../../src/db/pool.ts';
import { createLogger } from '../../src/log.ts';
import { findNewestCheckpoint } from '../../src/proofs/checkpoint-store.ts';
import { createReports, startReports } from '../../workers/reports.ts';
import { openBook, type TestBook } from '../support/book.ts';
import { newSigningSeed, openSignerPool } from '../support/checkpoints.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { corrupt } from '../support/verify-scene.ts';

let database: TestDatabase;
let books: TestBook[];
let signer: Pool;
let now: Instant;

const key = newSigningSeed();
const counted = { made: 0, distrusted: 0, refused: [] as number[] };
const runtime = (change: { key?: string; seconds?: number; signer?: undefined } = {}) => ({
  signer: 'signer' in change ? change.signer : signer,
  clock: { now: () => now },
  log: createLogger('silent', 'test'),
  metrics: {
    checkpoints: {
      made: () => counted.made++,
      distrusted: () => counted.distrusted++,
      round: (refused: number) => counted.refused.push(refused),
    },
  },
  config: {
    CHECKPOINT_SIGNING_KEY: 'key' in change ? change.key : key,
    CHECKPOINT_FORMER_KEYS: [],
    CHECKPOINT_INTERVAL_SECONDS: change.seconds ?? 60,
  },
});
const sizes = () =>
  Promise.all(books.map(async ({ pool, id }) => (await findNewestCheckpoint(pool, id))?.treeSize ?? null));

beforeAll(async () => {
  database = await createTestDatabase();
  signer = openSignerPool(database);
  const first = await openBook({ database: database.applicationUrl });
  books = [first, await openBook({ database: first.pool }), await openBook({ database: first.pool })];
  now = Date.now() + 60_000;
  for (const book of books.slice(0, 2)) await book.account({ amount: 10n });
});

afterAll(async () => {
  await signer?.end();
  await Promise.all(books.slice(1).map((book) => book.close()));
  await books[0]?.close();
  await database?.drop();
});

test('books that have gone on get one, the others none', async () => {
  expect(await createReports(runtime()).round()).toBe(2);
  expect(await sizes()).toEqual([1n, 1n, null]);
  expect(await createReports(runtime()).round()).toBe(0);
});

test('and the next one when the interval is over', async () => {
  await books[0]!.account({ amount: 10n });
  now += 59_999;
  expect(await createReports(runtime()).round()).toBe(0);
  now += 1;
  expect(await createReports(runtime()).round()).toBe(1);
  expect(await sizes()).toEqual([2n, 1n, null]);
});

test('several processes make one together', async () => {
  await books[1]!.account({ amount: 10n });
  now += 60_000;
  const rounds = await Promise.all([createReports(runtime()).round(), createReports(runtime()).round()]);
  expect(rounds.toSorted()).toEqual([0, 1]);
});

test('a book that does not verify gets none, and does not keep the others waiting', async () => {
  for (const book of books.slice(0, 2)) await book.account({ amount: 10n });
  await corrupt(database.superuserUrl, [
    `UPDATE postings SET amount = amount + 1 WHERE book_id = '${books[0]!.id}' AND entry_sequence = 3`,
  ]);
  now += 60_000;
  expect(await createReports(runtime()).round()).toBe(1);
  expect(await sizes()).toEqual([2n, 3n, null]);
  expect(counted).toMatchObject({ made: 5, refused: expect.arrayContaining([0]) });
  expect(counted.refused.at(-1)).toBe(1);
});

test('what a thief put in the place of a checkpoint is not believed, told, and refused where it contradicts', async () => {
  const book = books[2]!;
  for (let round = 0; round < 2; round++) {
    await book.account({ amount: 10n });
    now += 60_000;
    expect(await createReports(runtime()).round()).toBe(1);
  }
  const thief = createReports(runtime({ key: newSigningSeed() }));
  await corrupt(database.superuserUrl, [
    `UPDATE events SET actor = 'another' WHERE book_id = '${book.id}' AND sequence = 1`,
    `DELETE FROM checkpoints WHERE book_id = '${book.id}' AND tree_size = 2`,
    `CREATE TABLE aside AS SELECT * FROM checkpoints WHERE book_id = '${book.id}'`,
    `DELETE FROM checkpoints WHERE book_id = '${book.id}'`,
  ]);
  expect(await thief.round()).toBe(1);
  await corrupt(database.superuserUrl, ['INSERT INTO checkpoints SELECT * FROM aside']);
  await book.account({ amount: 10n });
  now += 60_000;
  counted.distrusted = 0;
  expect(await createReports(runtime()).round()).toBe(0);
  expect(counted).toMatchObject({ distrusted: 1 });
  // The book of the test before does not verify either.
  expect(counted.refused.at(-1)).toBe(2);
});

test('what takes long goes on beside the rounds, once, and is tried again after the interval when it is refused', async () => {
  const book = await openBook({ database: books[0]!.pool });
  books.push(book);
  await book.account({ amount: 10n });
  now += 60_000;
  const reports = createReports(runtime(), { longRows: 0n });
  expect(await reports.round()).toBe(0);
  await until(sizes, (found) => found[3] === 1n);
  // The two that do not verify were found so beside the rounds as well.
  await until(
    async () => {
      await reports.round();
      return counted.refused.at(-1);
    },
    (refused) => refused === 2,
  );
  await reports.close();
});

test('it goes round by itself, and not any more once it is closed', async () => {
  await books[3]!.account({ amount: 10n });
  now += 60_000;
  const reports = startReports(runtime({ seconds: 1 }));
  await until(sizes, (found) => found[3] === 2n);
  await reports.close();
  await books[2]!.account({ amount: 10n });
  now += 60_000;
  expect(await reports.round()).toBe(0);
});

test.each([{ key: undefined }, { signer: undefined }])('without %o it makes none', async (without) => {
  const reports = startReports(runtime(without));
  expect(await reports.round()).toBe(0);
  await reports.close();
});
