/**
 * An index that begins with book_id can find the row of a key by reading a whole book. Before the table has grown, the
 * planner cannot tell its cost from that of the primary key. migrations/0006 says how this is avoided.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAccounts } from '../../../src/accounts/account/account-list-store.ts';
import { createPool, type Pool, type Queryable } from '../../../src/db/pool.ts';
import { type ExceptionFilter, listExceptions } from '../../../src/exceptions/exception-list-store.ts';
import { readManualEntriesById } from '../../../src/journal/entries/checks/manual-entry-check-store.ts';
import { FIRST_EVENT, KEPT_COLUMNS, readEvents } from '../../../src/ledger/events/event-read-store.ts';
import { listEntries } from '../../../src/ledger/journal/journal-read-store.ts';
import { findInBooks } from '../../../src/outside/credits/credit-store.ts';
import { findAgedForeignNotices, partiesOfAgedNotices } from '../../../src/outside/notices/foreign-notice-store.ts';
import { listOperations, listRefunds } from '../../../src/payments/operations/operation-store.ts';
import { listUnanswered } from '../../../src/payments/operations/under-way-store.ts';
import { listSettlements } from '../../../src/payments/settlements/settlement-store.ts';
import { listReleases } from '../../../src/payments/shares/release-store.ts';
import { readBankFiles } from '../../../src/payouts/payout/bank-files-of-payout-store.ts';
import { listPayouts } from '../../../src/payouts/payout/payout-store.ts';
import { listReturns } from '../../../src/payouts/returns/payout-return-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { loadObjectEvents } from '../../../src/timeline/timeline-store.ts';
import { newId } from '../../../src/values/ids.ts';
import { readLines } from '../../../src/verify/account-check-store.ts';
import { readSteps } from '../../../src/verify/journal-check-store.ts';
import { readStepsTwice } from '../../../src/verify/window-store.ts';
import { listDeliveries } from '../../../src/webhooks/deliveries/delivery-list-store.ts';
import { loadPendingDeliveries } from '../../../src/webhooks/deliveries/delivery-store.ts';
import { getEvent, listEvents } from '../../../src/webhooks/events/event-store.ts';
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

test('no other index can replace the primary key', async () => {
  const { rows } = await pool.query<{ name: string }>(`
    SELECT i.indexrelid::regclass::text AS name
    FROM pg_index i
    JOIN pg_index k ON k.indrelid = i.indrelid AND k.indisprimary AND k.indkey[0] = i.indkey[0]
    JOIN pg_class t ON t.oid = i.indrelid
    JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname IN ('public', 'sandbox_rail', 'sandbox_processor')
    WHERE NOT i.indisprimary AND i.indpred IS NULL
    ORDER BY 1`);
  expect(rows).toEqual([]);
});

test.each(['accounts', 'holds', 'payouts', 'rail_answers', 'payout_returns'])(
  'rows of an empty table of %s are found by primary key, in every later plan too',
  async (table) => {
    await pool.query('SET plan_cache_mode = force_generic_plan');
    await pool.query(`PREPARE load_${table} AS SELECT * FROM ${table} WHERE book_id = $1 AND id = ANY ($2::uuid[])`);
    const { rows } = await pool.query(`EXPLAIN EXECUTE load_${table} (gen_random_uuid(), '{}')`);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(`Index Scan using ${table}_pkey`);
  },
);

/** The plan of the first statement of `work`, independent of its values. */
async function planOf(work: (db: Queryable) => Promise<unknown>): Promise<string> {
  const client = await pool.connect();
  try {
    // A generic plan, with index scans as the only choice: an index that is unused here is never used.
    await client.query(
      'SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off',
    );
    let plan = '';
    let queries = 0;
    const query = async (asked: string | { text: string; values: unknown[] }, listed: unknown[] = []) => {
      const { text, values } = typeof asked === 'string' ? { text: asked, values: listed } : asked;
      // Statements that are sent together are prepared together.
      const name = `asked_${++queries}`;
      await client.query(`PREPARE ${name} AS ${text}`);
      const { rows } = await client.query(`EXPLAIN EXECUTE ${name} (${values.map(() => 'NULL').join(', ')})`);
      plan ||= rows.map((row) => row['QUERY PLAN']).join('\n');
      await client.query(`DEALLOCATE ${name}`);
      return { rows: [] };
    };
    await work({ query } as unknown as Queryable);
    return plan;
  } finally {
    client.release(true);
  }
}

const page = { after: undefined, upTo: 1_000_000n, limit: 2_000 };

/** The lines of a plan that read this table or its indexes, each with the condition of its index. */
const readsOf = (plan: string, table: string) =>
  [...plan.matchAll(/Scan using (\S+) on (\S+).*\n\s*Index Cond: (.*)/g)]
    .filter(([, , on]) => on === table)
    .map(
      ([, index, , condition]) =>
        `${index}: ${[...condition!.matchAll(/\((\w+) =/g)].map(([, column]) => column).join(' ')}`,
    );

// Planned while the book was empty, these once read it whole for each entry of a period that was closed.
test('what a close verifies finds the rows of each entry by their keys', async () => {
  const steps = await planOf((db) => readStepsTwice(db, newId(), { after: 0n, upTo: 1_000n }));
  expect(readsOf(steps, 'entries')).toContain('entries_book_id_resource_id_step_key: book_id resource_id step');
  const manual = await planOf((db) => readManualEntriesById(db, newId(), []));
  expect(new Set(readsOf(manual, 'effective_lines'))).toEqual(
    new Set(['effective_lines_pkey: book_id account_id line']),
  );
  expect(new Set(readsOf(manual, 'accounts'))).toEqual(new Set(['accounts_pkey: book_id id']));
  expect(new Set(readsOf(manual, 'postings'))).toEqual(new Set(['postings_pkey: book_id entry_sequence']));
});

// These queries once read the whole book for each page, which showed only at five million entries.
test.each([
  ['entries_book_id_resource_id_step_key', (db: Queryable) => readSteps(db, newId(), page)],
  [
    'postings_book_id_debit_account_id_debit_line_key',
    (db: Queryable) => readLines(db, newId(), { ...page, direction: 'debit' }),
  ],
  [
    'postings_book_id_credit_account_id_credit_line_key',
    (db: Queryable) => readLines(db, newId(), { ...page, direction: 'credit' }),
  ],
])('a page of verify is read by %s', async (index, work) => {
  expect(await planOf(work)).toContain(`Index Scan using ${index}`);
});

test('credits that may be the same money are looked up by account and amount', async () => {
  const credit = { bankAccount: 'JO71', amount: 1n, currency: 'JOD', createdAt: 0 };
  const plan = await planOf((db) => findInBooks(db, newId(), credit, { named: false, accountId: null }));
  expect(plan).toContain('Index Scan Backward using inbound_credits_in_books');
});

test('files of banks about a payout are read from a bounded number of its answers', async () => {
  const plan = await planOf((db) => readBankFiles(db, newId(), { id: newId(), events: [newId()] }));
  expect(plan).toContain('Index Scan Backward using rail_answers_by_payout');
  expect(plan).toContain('Index Scan Backward using rail_answers_by_resource');
});

test('notices that nobody claims are found among those that are open', async () => {
  const pages = { parties: ['one'], before: 0, limit: 1 };
  const open = 'using foreign_notices_open';
  expect(await planOf((db) => findAgedForeignNotices(db as Pool, pages))).toContain(open);
  expect(await planOf((db) => partiesOfAgedNotices(db as Pool, 0))).toContain(open);
});

test('operations that nobody has answered are read by what is due and what is stuck, and not with the whole book', async () => {
  // No row answers a statement that is only explained.
  const plan = await planOf((db) => listUnanswered(db, newId()).catch(() => undefined));
  expect(plan).toContain('Index Scan using payment_operations_due_by_book');
  expect(plan).toContain('Index Scan using payment_operations_stuck');
});

test('the first event of an object is looked up by the primary key, in every later plan of an empty table too', async () => {
  await pool.query('SET plan_cache_mode = force_generic_plan');
  await pool.query(
    `PREPARE load_whole AS SELECT ${KEPT_COLUMNS} FROM events ${FIRST_EVENT} WHERE book_id = $1 AND sequence > $2 LIMIT 100`,
  );
  const { rows } = await pool.query('EXPLAIN EXECUTE load_whole (gen_random_uuid(), 0)');
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('Index Scan using events_pkey on events begun');
});

test.each<[string, (db: Queryable) => Promise<unknown>]>([
  ['an event', (db) => getEvent(db, newId(), newId())],
  ['a page of events', (db) => readEvents(db, newId(), { after: 0n, upTo: 1_000n, limit: 1_000 })],
  ['a list of events', (db) => listEvents(db, { bookId: newId() }, { limit: 20 })],
  ['a timeline', (db) => loadObjectEvents(db, { bookId: newId(), objectId: newId() }, { limit: 20 })],
  ['deliveries', (db) => loadPendingDeliveries(db, newId(), [{ endpointId: newId(), eventSequence: 1n }])],
])('%s is read with the first events of its objects by their key', async (_, work) => {
  expect(await planOf(work)).toContain('Index Scan using events_pkey on events begun');
});

/** A page that matches no row: none of its statements may walk the book. */
test.each<[string, (db: Queryable) => Promise<unknown>]>([
  ['events_by_type', (db) => listEvents(db, { bookId: newId(), types: ['card.frozen'] }, { limit: 20 })],
  ['events_by_type', (db) => listEvents(db, { bookId: newId(), types: ['card.*', 'payout.paid'] }, { limit: 20 })],
  ['events_by_object', (db) => listEvents(db, { bookId: newId(), objectId: newId() }, { limit: 20 })],
  [
    'events_by_object',
    (db) => listEvents(db, { bookId: newId(), objectId: newId(), types: ['card.frozen'] }, { limit: 20 }),
  ],
  ['events_by_object', (db) => loadObjectEvents(db, { bookId: newId(), objectId: newId() }, { limit: 20 })],
  ['entries_book_id_resource_id_step_key', (db) => listEntries(db, newId(), { resourceId: newId() }, { limit: 20 })],
  ['accounts_by_status', (db) => listAccounts(db, newId(), { statuses: ['frozen'] }, { limit: 20 })],
  ['account_profiles_by_currency', (db) => listAccounts(db, newId(), { currency: 'EUR' }, { limit: 20 })],
  ['account_profiles_by_external_id', (db) => listAccounts(db, newId(), { externalId: 'x' }, { limit: 20 })],
  ['account_profiles_pkey', (db) => listAccounts(db, newId(), { statuses: ['open'] }, { limit: 20 })],
  ['payout_returns_by_time', (db) => listReturns(db, { bookId: newId(), payoutId: newId() }, { limit: 20 })],
  ['payouts_by_status', (db) => listPayouts(db, newId(), { statuses: ['failed', 'paid'] }, { limit: 20 })],
  ['payouts_by_account', (db) => listPayouts(db, newId(), { accountId: newId() }, { limit: 20 })],
  ['payouts_by_external_id', (db) => listPayouts(db, newId(), { externalId: 'x' }, { limit: 20 })],
  ['payment_refunds ', (db) => listRefunds(db, newId(), {}, { limit: 20 })],
  ['payment_refunds ', (db) => listRefunds(db, newId(), { statuses: ['failed'] }, { limit: 20 })],
  ['payment_refunds_by_account', (db) => listRefunds(db, newId(), { accountId: newId() }, { limit: 20 })],
  ['payment_refunds_by_created', (db) => listRefunds(db, newId(), { created: { gte: 0 } }, { limit: 20 })],
  [
    'payment_operations_by_payment',
    (db) => listOperations(db, { bookId: newId(), paymentId: newId(), kind: 'capture' }, { limit: 20 }),
  ],
  ['payment_releases_by_created', (db) => listReleases(db, newId(), { created: { gte: 0 } }, { limit: 20 })],
  ['settlements_by_created', (db) => listSettlements(db, newId(), { gte: 0 }, { limit: 20 })],
  ['metadata_index_pkey', (db) => listPayouts(db, newId(), { metadata: { a: 'b' } }, { limit: 20 })],
  [
    'webhook_deliveries_open',
    (db) => listDeliveries(db, { bookId: newId(), endpointId: newId(), statuses: ['failed'] }, { limit: 20 }),
  ],
])('a list is read by %s', async (index, work) => {
  const plan = await planOf(work);
  expect(plan).toMatch(new RegExp(`Index (Only )?Scan( Backward)? using ${index}`));
});

// The index is partial: an index lookup that leaves its condition out reads all exceptions of the book, for each of a page.
test.each<[string, ExceptionFilter]>([
  ['no filter', {}],
  ['a time', { created: { gte: 0 } }],
  ['a status', { statuses: ['open'] }],
  ['a kind', { kinds: ['paid_after_failed'] }],
  ['a resource', { resourceId: newId() }],
])('exceptions with %s are looked up by their place', async (_, filter) => {
  const plan = await planOf((db) => listExceptions(db, newId(), filter, { limit: 20 }));
  expect(plan).toMatch(/Index Cond: .*\(place = /);
});
