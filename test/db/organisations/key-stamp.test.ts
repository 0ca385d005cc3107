/** What moves the stamp of all keys in the database, what waits for it, and the plan of the lookup that reads it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readKeyStamp } from '../../../src/db/installation-store.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { adoptKeys } from '../../../src/organisations/adopt-keys.ts';
import { generateApiKey, hashApiKey } from '../../../src/organisations/api-key.ts';
import {
  expireApiKey,
  findApiKeysByHash,
  recordApiKeyUses,
  revokeApiKey,
} from '../../../src/organisations/api-key-store.ts';
import { issueApiKey, rollApiKey } from '../../../src/organisations/issue-api-key.ts';
import { openOrganisation } from '../../../src/organisations/open-organisation.ts';
import { findBookId } from '../../../src/organisations/organisation-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { systemClock as clock } from '../../../src/values/clock.ts';
import { newId } from '../../../src/values/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = createLogger('silent', 'test');

let database: TestDatabase;
let pool: Pool;
/** The schema's owner, one connection. */
let owner: Pool;
let bookId: string;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 4, log });
  owner = createPool({ url: database.ownerUrl, name: 'test', size: 1, log });
  const { id } = await openOrganisation(pool, { name: 'Acme', clock });
  bookId = (await findBookId(pool, id, 'test'))!;
});

afterEach(async () => {
  await pool.end();
  await owner.end();
  await database.drop();
});

const issue = async () => (await issueApiKey(pool, clock, { bookId, mode: 'test', name: 'key', scopes: ['*'] })).key;

/** A key as release 0.2.0 inserts it. */
async function keyOfLastRelease(): Promise<string> {
  const id = newId();
  await pool.query(
    `INSERT INTO api_keys (book_id, id, name, hash, prefix, last_four, scopes, allowed_ips, created_at)
     VALUES ($1, $2, 'old', $3, 'sk_test_', '0000', '{*}', '{}', now())`,
    [bookId, id, hashApiKey(generateApiKey('test'))],
  );
  return id;
}

async function moves(change: () => Promise<unknown>): Promise<boolean> {
  const before = await readKeyStamp(pool);
  await change();
  return (await readKeyStamp(pool)) !== before;
}

describe('the stamp', () => {
  test.each<[string, (id: string) => Promise<unknown>]>([
    ['a key is made', issue],
    ['release 0.2.0 makes a key', keyOfLastRelease],
    ['a key is revoked', (id) => revokeApiKey(pool, { bookId, id, at: clock.now() })],
    ['release 0.2.0 revokes a key', (id) => pool.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id])],
    ['a key expires sooner', (id) => expireApiKey(pool, { bookId, id, at: clock.now() })],
    ['a key is rolled', (id) => rollApiKey(pool, clock, { id, overlapMs: 1_000 })],
    ['a key is deleted', (id) => owner.query('DELETE FROM api_keys WHERE id = $1', [id])],
    ['all keys are deleted', () => owner.query('TRUNCATE api_keys')],
  ])('moves when %s', async (_, change) => {
    const { id } = await issue();
    expect(await moves(() => change(id))).toBe(true);
  });

  test('moves when keys are adopted', async () => {
    await keyOfLastRelease();
    expect(await moves(() => adoptKeys(pool))).toBe(true);
    expect(await moves(() => adoptKeys(pool))).toBe(false);
  });

  test('does not move with the last use of a key, nor with a change that is rolled back', async () => {
    const { id } = await issue();
    expect(await moves(() => recordApiKeyUses(pool, [{ bookId, id, at: clock.now() }], 60_000))).toBe(false);
    const rolledBack = () => pool.query('BEGIN; DO $$ BEGIN UPDATE api_keys SET name = name; END $$; ROLLBACK');
    await owner.query('GRANT UPDATE (name) ON api_keys TO countinghouse_app');
    expect(await moves(rolledBack)).toBe(false);
  });

  test('moves with every column but the last use', async () => {
    const { rows } = await owner.query<{ name: string; moves: boolean }>(
      `SELECT a.attname AS name, a.attnum = ANY (t.tgattr::int2[]) AS moves
         FROM pg_trigger t JOIN pg_attribute a ON a.attrelid = t.tgrelid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE t.tgname = 'api_keys_move_stamp' AND t.tgenabled = 'O'`,
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter((row) => !row.moves).map((row) => row.name)).toEqual(['last_used_at']);
  });

  test('is seen with every change that was committed before it', async () => {
    const [one, other] = [await issue(), await issue()];
    const [first, second] = [await pool.connect(), await pool.connect()];
    try {
      await first.query('BEGIN');
      await revokeApiKey(first, { bookId, id: one.id, at: clock.now() });
      const later = revokeApiKey(second, { bookId, id: other.id, at: clock.now() });
      await waiting(1);
      const before = await findApiKeysByHash(pool, [one.hash, other.hash]);
      expect(before.keys.map(({ revokedAt }) => revokedAt)).toEqual([null, null]);
      await first.query('COMMIT');
      await later;
      const after = await findApiKeysByHash(pool, [one.hash, other.hash]);
      expect(after.keys.map(({ revokedAt }) => revokedAt)).not.toContain(null);
      expect(after.stamp).not.toBe(before.stamp);
      expect(await readKeyStamp(pool)).toBe(after.stamp);
    } finally {
      first.release();
      second.release();
    }
  });

  test('is not held by a roll that waits for its key', async () => {
    const [rolled, other] = [await issue(), await issue()];
    const holder = await pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM api_keys WHERE book_id = $1 AND id = $2 FOR NO KEY UPDATE', [bookId, rolled.id]);
      const roll = rollApiKey(pool, clock, { id: rolled.id, overlapMs: 1_000 });
      await waiting(1);
      expect(await revokeApiKey(pool, { bookId, id: other.id, at: clock.now() })).toBe(true);
      await holder.query('ROLLBACK');
      expect(await roll).toMatchObject({ key: { bookId } });
    } finally {
      holder.release();
    }
  });

  /** Waits until this many connections wait for a lock. */
  async function waiting(connections: number): Promise<void> {
    await eventually(async () => {
      const { rows } = await owner.query(
        `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()`,
      );
      expect(rows).toHaveLength(connections);
    });
  }
});

test('a lookup finds keys with their owners, and gives the stamp where there is none', async () => {
  const [own, old] = [await issue(), await keyOfLastRelease()];
  const { rows } = await pool.query<{ hash: Buffer }>('SELECT hash FROM api_keys WHERE id = $1', [old]);
  const hashes = [own.hash, hashApiKey(generateApiKey('test')), rows[0]!.hash];
  const { keys, stamp } = await findApiKeysByHash(pool, hashes);
  expect(keys.map(({ id, owner: { name }, organisationName, mode }) => [id, name, organisationName, mode])).toEqual([
    [own.id, 'key', 'Acme', 'test'],
    [old, 'old', 'Acme', 'test'],
  ]);
  const { id, kind, name } = own.owner;
  expect(keys[0]).toMatchObject({ ...own, owner: { id, kind, name } });
  expect(await findApiKeysByHash(pool, [hashes[1]!])).toEqual({ keys: [], stamp });
  expect(stamp).toBe(await readKeyStamp(pool));
});

test('a lookup is planned on an empty table, keeps that plan, and reads no table with it', async () => {
  const single = createPool({ url: database.applicationUrl, name: 'test', size: 1, log });
  try {
    const unknown = Array.from({ length: 3 }, () => hashApiKey(generateApiKey('test')));
    // Postgres plans the first five anew, and then compares.
    for (let times = 0; times < 12; times++)
      await findApiKeysByHash(single, times % 2 === 0 ? unknown : unknown.slice(0, 1));
    await owner.query(
      `INSERT INTO api_keys (book_id, id, name, hash, prefix, last_four, scopes, created_at)
       SELECT $1, gen_random_uuid(), 'many', sha256(n::text::bytea), 'sk_test_', '0000', '{*}', now()
       FROM generate_series(1, 20000) AS n`,
      [bookId],
    );
    const { rows: plans } = await single.query<{ kept: string; anew: string }>(
      `SELECT generic_plans::text AS kept, custom_plans::text AS anew FROM pg_prepared_statements WHERE name = 'api_keys.by_hash'`,
    );
    expect(plans).toEqual([{ kept: '7', anew: '5' }]);
    const { rows } = await single.query(
      `EXPLAIN (ANALYZE, COSTS off, TIMING off) EXECUTE "api_keys.by_hash" (ARRAY[sha256('7')])`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    for (const index of ['api_keys_hash_key', 'books_pkey', 'organisations_pkey', 'people_pkey', 'installation_pkey'])
      expect(plan).toContain(index);
    expect(plan).not.toMatch(/Seq Scan|Bitmap/);
  } finally {
    await single.end();
  }
});
