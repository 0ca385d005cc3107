/**
 * While a snapshot is held open, every row version stays. A book and its busiest accounts gain hundreds of versions a
 * second. The index lookups of each batch and each request must not visit them all (src/db/newest.ts).
 */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueApiKey } from '../../../scripts/harness/issue-api-key.ts';
import { findCustomerAccount } from '../../../src/accounts/account/customer-account-store.ts';
import type { Queryable, Transaction } from '../../../src/db/pool.ts';
import { BEGIN_WITH_KEPT_PLANS } from '../../../src/db/transaction.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { loadBook, lockBook, updateBook } from '../../../src/ledger/book/book-store.ts';
import { listEntries, loadAccountCodes } from '../../../src/ledger/journal/journal-read-store.ts';
import { findApiKeysByHash } from '../../../src/organisations/api-key-store.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { stopAutovacuum } from '../../support/statistics.ts';

/** About forty pages for one account, and as many for one book. */
const VERSIONS = 3_000;
/** Enough for one descent of each index used, and the page written last. */
const PAGES = 16;

let database: TestDatabase;
let book: TestBook;
let account: Uuid;
let holder: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  // An analysis in the middle could give a statement another plan.
  await stopAutovacuum(database);
  book = await openBook({ database: database.applicationUrl });
  account = await book.account({ amount: 100n });
  await issueApiKey(book.pool, systemClock, { bookId: book.id, mode: 'test', name: 'any', scopes: ['*'] });
  holder = new pg.Client({ connectionString: database.ownerUrl });
  await holder.connect();
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await holder.query('SELECT pg_current_snapshot()');
  const writer = new pg.Client({ connectionString: database.superuserUrl });
  await writer.connect();
  await writer.query(`DO $$ BEGIN
    FOR version IN 1..${VERSIONS} LOOP
      UPDATE accounts SET floor = COALESCE(floor, 0) WHERE id = '${account}';
      UPDATE books SET time_zone = 'UTC' WHERE id = '${book.id}';
    END LOOP;
  END $$`);
  await writer.end();
});

afterAll(async () => {
  await holder?.end();
  await book?.close();
  await database?.drop();
});

interface Plan {
  'Node Type': string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

/** Pages that the first statement of `work` visits to find its rows, in a transaction like the committer's. */
async function pagesOf(work: (db: Transaction) => Promise<unknown>): Promise<number> {
  const client = await book.pool.connect();
  let pages: number | undefined;
  const query = async (config: { text: string; values: unknown[] } | string, given?: unknown[]) => {
    const { text, values = given } = typeof config === 'string' ? { text: config } : config;
    if (pages === undefined) {
      const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
      const plan = rows[0]['QUERY PLAN'][0].Plan as Plan;
      // Pages of the write itself do not count: on a full page, the uniqueness check looks up the key of the next
      // version.
      const finding = updateIn(plan)?.Plans ?? [plan];
      pages = finding.reduce((sum, node) => sum + node['Shared Hit Blocks'] + node['Shared Read Blocks'], 0);
    }
    return { rows: [] };
  };
  try {
    await client.query(BEGIN_WITH_KEPT_PLANS);
    await work({ query } as unknown as Transaction);
    return pages!;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

function updateIn(plan: Plan): Plan | undefined {
  if (plan['Node Type'] === 'ModifyTable') return plan;
  for (const child of plan.Plans ?? []) {
    const found = updateIn(child);
    if (found) return found;
  }
  return undefined;
}

test('an index lookup by equality visits every version', async () => {
  const byKey = (db: Queryable) => db.query('SELECT id FROM books WHERE id = $1', [book.id]);
  expect(await pagesOf(byKey)).toBeGreaterThan(2 * PAGES);
});

test.each<[string, (db: Transaction) => Promise<unknown>]>([
  ['the lock of a book', (db) => lockBook(db, book.id)],
  ['a book', (db) => loadBook(db, book.id)],
  [
    "a book's new state",
    async (db) => {
      const before = (await loadBook(book.pool, book.id))!;
      await updateBook(db, { ...before, batchId: newId() }, { after: before.batchId });
    },
  ],
  ['accounts', (db) => accounts.load(db, book.id, [account])],
  ["accounts' new balances", async (db) => accounts.update(db, book.id, [await ledgerAccount()])],
  ['an account for its reader', (db) => findCustomerAccount(db, book.id, account)],
  [
    'the codes of accounts, for a page of the journal',
    async (db) => loadAccountCodes(db, book.id, (await listEntries(book.pool, book.id, {}, { limit: 1 })).rows),
  ],
  ['the key of a request', async (db) => findApiKeysByHash(db, [await keyHash()])],
])('%s: visits the newest version and no older one', async (_, work) => {
  expect(await pagesOf(work)).toBeLessThanOrEqual(PAGES);
});

test('and reads the current row, not the row of the snapshot', async () => {
  await book.fund(account, 11n);
  expect((await findCustomerAccount(book.pool, book.id, account))!.account).toMatchObject({ postedCredits: 111n });
  expect(await accounts.load(book.pool, book.id, [account, newId()])).toHaveProperty('size', 1);
  expect(await loadBook(book.pool, newId())).toBeUndefined();
});

const ledgerAccount = async () => (await accounts.load(book.pool, book.id, [account])).get(account)!;
const keyHash = async () => (await book.row<{ hash: Buffer }>('SELECT hash FROM api_keys WHERE book_id = $1')).hash;
