/**
 * The plans of the statements of a shared batch. A plan is made when its table is young, and kept while the table grows to
 * millions of rows: so each row must be found by its key from the beginning, whatever the planner believes of the table.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool, type Transaction } from '../../../src/db/pool.ts';
import { BEGIN_SHARED } from '../../../src/db/transaction.ts';
import { DECLARED_TABLES } from '../../../src/groups.ts';
import { lockBooks, updateBooks } from '../../../src/ledger/commit/shared-book-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import { subscribersOf } from '../../../src/webhooks/endpoints/endpoint-store.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** The plan that a shared batch keeps of the one statement of `work`. */
async function keptPlan(work: (trx: Transaction) => Promise<unknown>): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN_SHARED);
    let plan = '';
    const query = async ({ text, values }: { text: string; values: unknown[] }) => {
      await client.query(`PREPARE kept AS ${text}`);
      const { rows } = await client.query(`EXPLAIN EXECUTE kept (${values.map(() => 'NULL').join(', ')})`);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return { rows: [] };
    };
    await work({ query } as unknown as Transaction);
    return plan;
  } finally {
    client.release(true);
  }
}

const book = { bookId: newId(), row: newId() };

test.each(DECLARED_TABLES.map((table) => [table.name, table] as const))(
  'rows of %s are found one by one by their primary key',
  async (name, { key, pairs }) => {
    const plan = await keptPlan((trx) => pairs.load(trx, [book]));
    expect(plan).toContain(`Index Scan using ${name}_pkey on ${name}`);
    expect(plan).toMatch(new RegExp(`Index Cond: \\(\\(book_id = wanted.book_id\\) AND \\(${key} = wanted.id\\)\\)`));
    expect(plan).not.toContain(`Seq Scan on ${name}`);
  },
);

/** Erasures are the owner's to change. */
const CHANGING = DECLARED_TABLES.filter(
  ({ name, columns }) => name !== 'erasures' && columns.some(({ changes }) => changes),
);

test.each(CHANGING.map((table) => [table.name, table] as const))(
  'rows of %s are updated where their key was found',
  async (name, { pairs }) => {
    const plan = await keptPlan((trx) => pairs.update(trx, []));
    expect(plan).toContain(`Tid Scan on ${name}`);
    expect(plan).toContain(`Index Scan using ${name}_pkey on ${name}`);
    expect(plan).not.toContain(`Seq Scan on ${name}`);
  },
);

test.each([true, false])('books are locked by their primary key (wait: %s)', async (wait) => {
  const plan = await keptPlan((trx) => lockBooks(trx, [newId()], { wait }));
  expect(plan).toContain('Index Scan Backward using books_pkey on books');
  expect(plan).toContain('LockRows');
  expect(plan).not.toContain('Seq Scan on books');
});

test('books are written where their key was found', async () => {
  const plan = await keptPlan((trx) => updateBooks(trx, []));
  expect(plan).toContain('Tid Scan on books');
  expect(plan).toContain('Index Scan Backward using books_pkey on books');
  expect(plan).not.toContain('Seq Scan on books');
});

test('subscribers are found by book', async () => {
  const plan = await keptPlan((trx) => subscribersOf(trx, [newId()]));
  expect(plan).toMatch(/Index Scan using webhook_endpoints_\w+ on webhook_endpoints/);
  expect(plan).toMatch(/Index Cond: \(book_id = wanted.book_id\)/);
});
