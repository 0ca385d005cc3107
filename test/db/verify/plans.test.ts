/**
 * What `npm run verify` asks is planned once a connection, perhaps while the tables are empty and every join costs the same. It has to find each
 * row by its key all the same: a join that begins with the wrong table reads the book once for each row.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  // One connection, which then has all that was asked.
  book = await openBook({ database: database.applicationUrl, poolSize: 1 });
});
afterAll(async () => {
  await book?.close();
  await database?.drop();
});

/** One row for each closed account, joined with a sum that is made once. */
const JOINED_ONCE = ['verify.closed_accounts'];

test('no statement of a verification joins rows by comparing them all, in a book that was empty', async () => {
  expect(await findingsOf(book)).toEqual([]);
  const asked = await book.pool.query<{ name: string; count: number }>(
    "SELECT name, cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name LIKE 'verify.%' ORDER BY name",
  );
  expect(asked.rows.length).toBeGreaterThan(30);
  await book.pool.query('SET plan_cache_mode = force_generic_plan');
  const comparing: string[] = [];
  for (const { name, count } of asked.rows) {
    const given = count === 0 ? '' : `(${Array(count).fill('NULL').join(', ')})`;
    const { rows } = await book.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE "${name}" ${given}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    if (/Join Filter: .*= /.test(plan) && !JOINED_ONCE.includes(name)) comparing.push(`${name}\n${plan}`);
  }
  expect(comparing).toEqual([]);
});
