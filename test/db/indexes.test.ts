/**
 * An index that begins with book_id can answer "the row with this key" by reading a whole book, and a planner that has not
 * yet seen a table grow cannot tell it from the key. migrations/0006 says how that is avoided.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createLogger } from '../../src/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

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

test('no index can stand in for the key of its table', async () => {
  const { rows } = await pool.query<{ name: string }>(`
    SELECT i.indexrelid::regclass::text AS name
    FROM pg_index i
    JOIN pg_index k ON k.indrelid = i.indrelid AND k.indisprimary AND k.indkey[0] = i.indkey[0]
    JOIN pg_class t ON t.oid = i.indrelid
    JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname IN ('public', 'sandbox_rail')
    WHERE NOT i.indisprimary AND i.indpred IS NULL
    ORDER BY 1`);
  expect(rows).toEqual([]);
});

test.each(['accounts', 'holds', 'payouts', 'rail_answers', 'payout_returns'])(
  'rows of an empty table of %s are looked for by their key, whatever is asked of it later',
  async (table) => {
    await pool.query('SET plan_cache_mode = force_generic_plan');
    await pool.query(`PREPARE load_${table} AS SELECT * FROM ${table} WHERE book_id = $1 AND id = ANY ($2::uuid[])`);
    const { rows } = await pool.query(`EXPLAIN EXECUTE load_${table} (gen_random_uuid(), '{}')`);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(`Index Scan using ${table}_pkey`);
  },
);
