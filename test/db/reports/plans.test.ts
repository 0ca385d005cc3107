/**
 * Statements that read the log of other days and totals behind the journal, as a connection keeps their plans: made while the tables were empty. Each
 * reads a range of one index, whatever the planner believes of a book with a million lines of one account and day.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool, type Queryable } from '../../../src/db/pool.ts';
import { findBalanceAt } from '../../../src/ledger/balances/balance-at-store.ts';
import { loadPostedAt } from '../../../src/ledger/balances/balances-at-store.ts';
import { sumBlocksOfAccounts } from '../../../src/ledger/balances/totals/folded-store.ts';
import { sumLog, sumLogBehind } from '../../../src/ledger/journal/effective-log-store.ts';
import { findLinesUpTo, findSequenceAt } from '../../../src/ledger/journal/sequence-at-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { sumEffectiveLines } from '../../../src/reports/figures/activity-store.ts';
import { findWithOtherDays, readOtherLines } from '../../../src/reports/figures/ledger-lines-store.ts';
import { newId } from '../../../src/values/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let pool: Pool;
const bookId = newId();
const id = newId();
const at = { ids: [id], day: '2026-10-31', from: '2026-10-01', to: '2026-10-31', sequence: 1n, most: 10 };

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** The kept plan of the one statement that `work` sends. */
async function keptPlan(work: (db: Queryable) => Promise<unknown>): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query('SET plan_cache_mode = force_generic_plan');
    let plan = '';
    const query = async (asked: { text: string; values: unknown[] } | string, unnamed: unknown[] = []) => {
      const { text, values } = typeof asked === 'string' ? { text: asked, values: unnamed } : asked;
      await client.query(`PREPARE kept AS ${text}`);
      const { rows } = await client.query(`EXPLAIN EXECUTE kept (${values.map(() => 'NULL').join(', ')})`);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return { rows: [{}] };
    };
    await work({ query } as unknown as Queryable);
    return plan;
  } finally {
    client.release(true);
  }
}

test('each line of a page of lines of other days is a look into the index in their order', async () => {
  const after = { day: '2026-10-02', line: 7n };
  const plan = await keptPlan((db) => readOtherLines(db, bookId, { ...at, id, after, limit: 2_000 }));
  expect(plan.match(/->\s+Limit.*\n\s+->\s+Index Scan using effective_lines_in_order/g)).toHaveLength(2);
  expect(plan.match(/ROW\(effective_on, line\) > ROW\(/g)).toHaveLength(2);
  expect(plan).not.toContain('Seq Scan');
});

test('accounts with lines of other days are found by one look into that index', async () => {
  const plan = await keptPlan((db) => findWithOtherDays(db, bookId, at));
  expect(plan).toContain('using effective_lines_in_order');
  expect(plan).not.toContain('Seq Scan');
});

test.each([
  ['the log of an account up to a bound', (db: Queryable) => sumLog(db, bookId, at), 'account_id = w.id'],
  ['the log behind a line', (db: Queryable) => sumLogBehind(db, bookId, [{ id, line: 1n }], at), 'line > w.line'],
  ['what it moved', (db: Queryable) => sumEffectiveLines(db, bookId, [{ id, line: 1n }], at), 'line > w.line'],
])('%s is read by line', async (_, work, condition) => {
  const plan = await keptPlan(work);
  expect(plan).toMatch(/Index (Only )?Scan using effective_lines_pkey/);
  expect(plan).toMatch(new RegExp(`Index Cond: .*${condition.replace('.', '\\.')}`));
  expect(plan).not.toContain('Seq Scan');
});

test.each([
  ['the line of a moment', (db: Queryable) => findBalanceAt(db, bookId, { id, lines: 9n }, 0), 3],
  ['the entry of a moment', (db: Queryable) => findSequenceAt(db, bookId, { head: 9n, before: 0 }), 1],
  ['the lines up to an entry', (db: Queryable) => findLinesUpTo(db, bookId, { accountId: id, sequence: 9n }), 1],
  ['balances of accounts', (db: Queryable) => loadPostedAt(db, bookId, 9n, [id]), 2],
])('by halves, for %s, each row is looked up by its key', async (_, work, looks) => {
  const plan = await keptPlan(work);
  // A limit on the right side of a join leaves the planner no other way.
  expect(plan.match(/-> {2}Limit/g)).toHaveLength(looks);
  expect(plan).not.toMatch(/Seq Scan on (entries|postings|accounts)/);
});

test('totals of an account are looked up block by block', async () => {
  const blocks = [{ level: 0, block: 1n }];
  const plan = await keptPlan((db) => sumBlocksOfAccounts(db, bookId, { ...at, blocks }));
  expect(plan).toContain('using journal_totals_pkey');
  expect(plan).toMatch(/Index Cond: .*level = .*block = .*account_id = /);
  expect(plan).not.toContain('Seq Scan');
});
