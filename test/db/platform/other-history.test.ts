/** `npm run migrate` on databases that this release does not continue, and on one of the release before. */
import knex from 'knex';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { knexConfig } from '../../../knexfile.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { DatabaseRoleError } from '../../../src/db/roles.ts';
import { RIGHTS } from '../../../src/groups.ts';
import { createLogger } from '../../../src/process/log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { schemaOf } from '../../support/schema.ts';

const log = createLogger('silent', 'test');
/** The last one of 0.3.0 is 0035. */
const FIRST_OF_THIS_RELEASE = '0036-sandbox-processor';

let database: TestDatabase;
let owner: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});
afterEach(async () => {
  await owner.end();
  await database.drop();
});

const migrated = () => migrate({ rights: RIGHTS, ...database, log });
const names = async () =>
  (await owner.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY id')).rows.map(({ name }) => name);

/** The schema of release 0.3.0, which is not contracted to it yet. */
async function asOfTheReleaseBefore(): Promise<void> {
  // As a new database of that release, without the rows that every installation of this one has.
  await owner.query('DELETE FROM books; DELETE FROM organisations');
  const schema = knex(knexConfig(database.ownerUrl));
  try {
    while ((await names()).includes(FIRST_OF_THIS_RELEASE)) await schema.migrate.down();
  } finally {
    await schema.destroy();
  }
  await owner.query("UPDATE installation SET contracted_to = '0.2.0', contract_done = true");
}

async function useIt(): Promise<void> {
  await owner.query("INSERT INTO organisations (id, name, created_at) VALUES (gen_random_uuid(), 'Shop', now())");
}

test('each migration of this release can be taken back and run again, and leaves the same schema', async () => {
  const before = await schemaOf(owner);
  await asOfTheReleaseBefore();
  const { applied } = await migrated();
  expect(applied[0]).toBe(FIRST_OF_THIS_RELEASE);
  expect(await schemaOf(owner)).toEqual(before);
  const { rows } = await owner.query('SELECT contracted_to, contract_done FROM installation');
  expect(rows).toEqual([{ contracted_to: '0.3.0', contract_done: true }]);
});

test('one of the release before is migrated once it is contracted to it, and refused until then', async () => {
  await asOfTheReleaseBefore();
  await useIt();
  const before = await names();
  const refusal = await migrated().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DatabaseRoleError);
  expect(String(refusal)).toMatch(
    /not contracted to release 0\.3\.0.*`npm run migrate -- --contract` of release 0\.3\.0 first/s,
  );
  expect(await names()).toEqual(before);
  await owner.query("UPDATE installation SET contracted_to = '0.3.0', contracted_at = now()");
  expect((await migrated()).applied[0]).toBe(FIRST_OF_THIS_RELEASE);
});

test('one whose contract was killed under way is refused as one that is not contracted', async () => {
  await asOfTheReleaseBefore();
  await useIt();
  await owner.query(
    "UPDATE installation SET contracted_to = '0.3.0', contracted_from = '0.2.0', contract_done = false",
  );
  await expect(migrated()).rejects.toThrow(/not contracted to release 0\.3\.0/);
});

test('one that is older still is refused too', async () => {
  await asOfTheReleaseBefore();
  await useIt();
  await owner.query(
    "ALTER TABLE installation RENAME TO no_installation; DELETE FROM schema_migrations WHERE name >= '0016'",
  );
  await expect(migrated()).rejects.toThrow(/not contracted to release 0\.3\.0/);
});

test('one of a development build is refused, by the name of its migration', async () => {
  await owner.query(
    "INSERT INTO schema_migrations (name, batch, migration_time) VALUES ('0048-erased-texts', 99, now())",
  );
  await expect(migrated()).rejects.toThrow(/development build \(0048-erased-texts\).*new data folder/s);
});
