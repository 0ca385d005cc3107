/** Connections of lists: read only, limited in time, and never all for one book. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createListReads, type ListReads } from '../../../src/db/list-reads.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let pool: Pool;
let lists: ListReads;
const book = newId();

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'lists', size: 2, log: createLogger('silent', 'test') });
  lists = createListReads(pool);
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

test('a read cannot write, and sees one snapshot', async () => {
  const writing = lists.read(book, (db) =>
    db.query(`INSERT INTO metadata_index VALUES ($1, 'payout', 'a', 'b', $1)`, [book]),
  );
  await expect(writing).rejects.toMatchObject({ code: '25006' });
  const { rows } = await lists.read(book, (db) =>
    db.query(
      `SELECT current_setting('transaction_isolation') AS isolation, current_setting('statement_timeout') AS timeout`,
    ),
  );
  expect(rows).toEqual([{ isolation: 'repeatable read', timeout: '2s' }]);
});

test('Postgres ends a read after two seconds, and the error says what to narrow', async () => {
  const slow = lists.read(book, (db) => db.query('SELECT pg_sleep(30)'), 'Narrow status.');
  await expect(slow).rejects.toMatchObject({
    code: 'service_unavailable',
    message: 'This could not be read within 2 s. Narrow status.',
    headers: { 'Retry-After': '1' },
  });
  const { rows } = await pool.query(`SELECT current_setting('statement_timeout') AS timeout`);
  expect(rows).toEqual([{ timeout: '15s' }]);
});

test('a read of many statements ends between two of them', async () => {
  const long = lists.read(book, async (db) => {
    for (;;) await db.query('SELECT pg_sleep(0.3)');
  });
  await expect(long).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(lists.read(book, (db) => db.query('SELECT 1 AS one'))).resolves.toMatchObject({ rows: [{ one: 1 }] });
});

test('a book with slow reads leaves a connection for other books', async () => {
  // After the reads of other tests a connection rests for a while.
  const slow = newId();
  const ends: (() => void)[] = [];
  const held = Array.from({ length: 3 }, () =>
    lists.read(slow, () => new Promise<string>((resolve) => ends.push(() => resolve('done')))),
  );
  await expect(lists.read(newId(), (db) => db.query('SELECT 1 AS one'))).resolves.toMatchObject({ rows: [{ one: 1 }] });
  expect(ends.length).toBe(1);
  for (const promise of held) {
    ends.shift()!();
    expect(await promise).toBe('done');
    await expect.poll(() => ends.length).toBe(promise === held.at(-1) ? 0 : 1);
  }
});
