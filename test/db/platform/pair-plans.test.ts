/**
 * Statements over pairs of book and id, as a connection keeps their plans: made while the tables were empty, for any
 * values. Each must find its rows one by one by their whole key. A join, a scan, or the product of the books and the
 * ids would show only once there is much of everything.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool, type Transaction } from '../../../src/db/pool.ts';
import { fillPayloadsOfBooks } from '../../../src/ledger/rows/personal-text-store.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId } from '../../../src/values/ids.ts';
import type { DeliveryResult } from '../../../src/webhooks/deliveries/delivery.ts';
import { loadPendingOfBooks, recordResultsOfBooks } from '../../../src/webhooks/deliveries/delivery-pairs-store.ts';
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

/** The kept plan of each named statement that `work` sends, by name. Every statement answers with `row`. */
async function plansOf(work: (db: Pool) => Promise<unknown>, row: object): Promise<Map<string, string>> {
  const client = await pool.connect();
  try {
    await client.query('SET plan_cache_mode = force_generic_plan');
    const plans = new Map<string, string>();
    let before: Promise<unknown> = Promise.resolve();
    const explain = async (asked: { name: string; text: string; values: unknown[] }) => {
      const statement = asked.name.replace('.', '_');
      await client.query(`PREPARE ${statement} AS ${asked.text}`);
      const { rows } = await client.query(
        `EXPLAIN EXECUTE ${statement} (${asked.values.map(() => 'NULL').join(', ')})`,
      );
      plans.set(asked.name, rows.map((line) => line['QUERY PLAN']).join('\n'));
    };
    const query = async (asked: string | Parameters<typeof explain>[0]) => {
      if (typeof asked === 'string') return { rows: [], command: asked };
      before = before.then(() => explain(asked));
      await before;
      return { rows: [row] };
    };
    const connection = { query, release: () => undefined };
    await work({ query, connect: async () => connection } as unknown as Pool);
    return plans;
  } finally {
    client.release(true);
  }
}

const key = { endpointId: newId(), eventSequence: 1n };
const result: DeliveryResult = {
  ...key,
  attempts: 0,
  status: 'delivered',
  retryAt: null,
  attempt: { startedAt: 0, durationMs: 1, status: 200, error: null, response: null, retryAfterMs: null },
};
const bookId = newId();
const found = {
  ...key,
  ...{ book_id: bookId, id: key.endpointId, endpoint_id: key.endpointId, text_references: null },
  ...{ form: null, first_sequence: null, packed_entry_ids: null },
};

test.each<[string, (db: Pool) => Promise<unknown>, Record<string, string[]>]>([
  [
    'payouts',
    (db) => payouts.pairs.load(db as unknown as Transaction, [{ bookId, row: newId() }]),
    { 'payouts.load_pairs': ['payouts: book_id, id'] },
  ],
  [
    'pending deliveries',
    (db) => loadPendingOfBooks(db, [{ bookId, row: key }]),
    {
      'webhook_deliveries.load_pairs': [
        'webhook_deliveries: book_id, endpoint_id, event_sequence',
        'events: book_id, sequence',
        // The first event of the object.
        'events: book_id, sequence',
      ],
      'webhook_deliveries.endpoints_pairs': ['webhook_endpoints: book_id, id', 'books: id, id'],
    },
  ],
  [
    'personal text',
    (db) => fillPayloadsOfBooks(db, [{ bookId, payload: '{}', textReferences: 'ab' }]),
    { 'personal_texts.load_pairs': ['personal_texts: book_id, reference'] },
  ],
  [
    'results',
    (db) => recordResultsOfBooks(db, [{ bookId, row: result }]),
    {
      'webhook_deliveries.record_pairs': [],
      'webhook_endpoints.lock_health': ['webhook_endpoints: book_id, id'],
      'webhook_endpoints.update_health': ['webhook_endpoints: book_id, id', 'webhook_endpoints: book_id, id'],
    },
  ],
])('%s of several books are found one by one, by their whole keys', async (_, work, expected) => {
  const plans = await plansOf(work, found);
  const scans = Object.fromEntries([...plans].map(([name, plan]) => [name, indexScansOf(plan)]));
  expect(scans, [...plans.values()].join('\n\n')).toEqual(expected);
  for (const plan of plans.values()) expect(plan).not.toMatch(/Seq Scan|Bitmap/);
});

/** Each index scan of a plan with the columns that its condition names. */
function indexScansOf(plan: string): string[] {
  const scans = plan.matchAll(
    /Index (?:Only )?Scan(?: Backward)? using \w+ on (\w+).*\n(?:.*Order By.*\n)?\s+Index Cond: (.*)/g,
  );
  return [...scans].map(([, table, condition]) => {
    const columns = [...condition!.matchAll(/\((\w+) [<>=]+ /g)].map(([, name]) => name);
    return `${table}: ${columns.join(', ')}`;
  });
}

test('results are recorded by an upsert that finds each delivery by its primary key', async () => {
  const plans = await plansOf((db) => recordResultsOfBooks(db, [{ bookId, row: result }]), found);
  expect(plans.get('webhook_deliveries.record_pairs')).toContain('Conflict Arbiter Indexes: webhook_deliveries_pkey');
});
