/** The reports pool: which books get a checkpoint, when, and what happens when a book does not verify. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../scripts/harness/client.ts';
import type { Pool } from '../../../src/db/pool.ts';
import { createLogger } from '../../../src/process/log.ts';
import { findNewestCheckpoint } from '../../../src/proofs/checkpoint-store.ts';
import type { Instant } from '../../../src/values/clock.ts';
import { createReports, startReports } from '../../../workers/reports.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { newSigningSeed, openSignerPool } from '../../support/checkpoints.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { corrupt } from '../../support/verify-scene.ts';

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

test('books that have grown get a checkpoint, others do not', async () => {
  expect(await createReports(runtime()).round()).toBe(2);
  expect(await sizes()).toEqual([1n, 1n, null]);
  expect(await createReports(runtime()).round()).toBe(0);
});

test('and the next one after the interval', async () => {
  await books[0]!.account({ amount: 10n });
  now += 59_999;
  expect(await createReports(runtime()).round()).toBe(0);
  now += 1;
  expect(await createReports(runtime()).round()).toBe(1);
  expect(await sizes()).toEqual([2n, 1n, null]);
});

test('several processes make one checkpoint', async () => {
  await books[1]!.account({ amount: 10n });
  now += 60_000;
  const rounds = await Promise.all([createReports(runtime()).round(), createReports(runtime()).round()]);
  expect(rounds.toSorted()).toEqual([0, 1]);
});

test('a book that does not verify gets none, and does not delay the others', async () => {
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

test('a checkpoint of another key is counted as distrusted, and a contradicted one is refused', async () => {
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
  // The corrupted book of the test before is refused as well.
  expect(counted.refused.at(-1)).toBe(2);
});

test('a long check runs beside the rounds, once, and runs again after the interval when it is refused', async () => {
  const book = await openBook({ database: books[0]!.pool });
  books.push(book);
  await book.account({ amount: 10n });
  now += 60_000;
  const reports = createReports(runtime(), { longRows: 0n });
  expect(await reports.round()).toBe(0);
  await until(sizes, (found) => found[3] === 1n);
  // The two books that do not verify were refused beside the rounds as well.
  await until(
    async () => {
      await reports.round();
      return counted.refused.at(-1);
    },
    (refused) => refused === 2,
  );
  await reports.close();
});

test('runs rounds until it is closed', async () => {
  await books[3]!.account({ amount: 10n });
  now += 60_000;
  const reports = startReports(runtime({ seconds: 1 }));
  await until(sizes, (found) => found[3] === 2n);
  await reports.close();
  await books[2]!.account({ amount: 10n });
  now += 60_000;
  expect(await reports.round()).toBe(0);
});

test.each([{ key: undefined }, { signer: undefined }])('without %o makes no checkpoint', async (without) => {
  const reports = startReports(runtime(without));
  expect(await reports.round()).toBe(0);
  await reports.close();
});
