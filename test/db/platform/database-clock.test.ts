/** The database clock: this machine's time while it agrees with Postgres, and Postgres' time otherwise. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabaseClock, type DatabaseClock } from '../../../src/db/database-clock.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createLogger } from '../../../src/process/log.ts';
import { openBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const HOUR = 3_600_000;

let database: TestDatabase;
let pool: Pool;
let aheadMs = 0;
let clock: DatabaseClock;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 2, log: createLogger('silent', 'test') });
  clock = createDatabaseClock(pool, { machine: { now: () => Date.now() + aheadMs }, onFailure: () => undefined });
});

afterAll(async () => {
  clock?.close();
  await pool?.end();
  await database?.drop();
});

/** Postgres runs on this machine: the error of the clock in whole minutes. */
const minutesOff = () => Math.round((clock.now() - Date.now()) / 60_000) + 0;

test("before the first reading the machine's clock is used", () => {
  aheadMs = HOUR;
  expect(minutesOff()).toBe(60);
  aheadMs = 0;
});

test.each([HOUR, -HOUR, 10 * 365 * 24 * HOUR, 5_000])('a machine clock that is %s ms ahead is not used', async (ms) => {
  const first = await readingTook();
  aheadMs = ms;
  expectRightWithin(first);
  expectRightWithin(await readingTook());
  aheadMs = 0;
});

/** As long as a reading is under way, its time may be off. In milliseconds. */
async function readingTook(): Promise<number> {
  const began = Date.now();
  await clock.read();
  return Date.now() - began;
}

function expectRightWithin(toleranceMs: number): void {
  const before = Date.now();
  const now = clock.now();
  const roundingMs = 10;
  expect(now).toBeGreaterThanOrEqual(before - toleranceMs - roundingMs);
  expect(now).toBeLessThanOrEqual(Date.now() + toleranceMs + roundingMs);
}

test('a machine clock that agrees is used', async () => {
  await clock.read();
  aheadMs = 300;
  const before = Date.now() + aheadMs;
  const now = clock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now() + aheadMs);
  aheadMs = 0;
});

test('a book written by a process with a wrong clock keeps the right time', async () => {
  await clock.read();
  const book = await openBook({ database: pool, clock });
  aheadMs = HOUR;
  await book.account({ amount: 5n });
  aheadMs = 0;
  const { off } = await book.row<{ off: number }>(
    'SELECT round(extract(epoch FROM last_posted_at - now()) / 60)::int AS off FROM books WHERE id = $1',
  );
  expect(off).toBe(0);
  await book.committer.close();
});

test('while Postgres does not answer, its last reading continues', async () => {
  await clock.read();
  const away = createDatabaseClock({ query: () => Promise.reject(new Error('away')) } as unknown as Pool, {
    machine: { now: () => Date.now() + HOUR },
    onFailure: () => undefined,
  });
  await expect(away.read()).rejects.toThrow('away');
  expect(Math.round((away.now() - Date.now()) / 60_000)).toBe(60);
  away.close();
});
