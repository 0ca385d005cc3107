import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TABLE_RIGHTS } from '../../src/db/grants.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createPool } from '../../src/db/pool.ts';
import { checkApplicationRole } from '../../src/db/roles.ts';
import { createLogger } from '../../src/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const log = createLogger('silent', 'test');
let database: TestDatabase;
let application: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  application = new pg.Client(database.applicationUrl);
  await application.connect();
});

afterAll(async () => {
  await application?.end();
  await database?.drop();
});

const run = async (url: string, ...statements: string[]) => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

const check = async (url: string) => {
  const pool = createPool({ url, name: 'test', size: 1, log });
  try {
    await checkApplicationRole(pool);
  } finally {
    await pool.end();
  }
};

test('every table of the schema has its rights decided', async () => {
  const { rows } = await application.query(
    `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v')`,
  );
  expect(rows.map(({ relname }) => relname).sort()).toEqual(Object.keys(TABLE_RIGHTS).sort());
});

test('the role as migrated is accepted', () => check(database.applicationUrl));

test.each(['entries', 'postings', 'hold_steps', 'events', 'entry_texts'])(
  'the role can neither update, delete nor truncate %s',
  async (table) => {
    for (const statement of [
      `UPDATE ${table} SET book_id = book_id`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table} CASCADE`,
      `DROP TABLE ${table}`,
      `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
    ]) {
      await expect(application.query(statement), statement).rejects.toMatchObject({ code: '42501' });
    }
  },
);

test('the role owns nothing and creates nothing', async () => {
  const { rows } = await application.query(
    "SELECT count(*)::int AS n FROM pg_class WHERE pg_has_role(relowner, 'MEMBER')",
  );
  expect(rows[0].n).toBe(0);
  await expect(application.query('CREATE TABLE mine ()')).rejects.toMatchObject({ code: '42501' });
});

test('the role has timeouts and writes in UTC', async () => {
  const { rows } = await application.query(
    `SELECT current_setting(name) AS value
       FROM unnest(ARRAY['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout', 'timezone']) AS t (name)`,
  );
  expect(rows.map(({ value }) => value)).toEqual(['5s', '5s', '15s', 'UTC']);
});

test('migrating again applies nothing and leaves nothing to do', async () => {
  expect(await migrate({ ...database, log })).toEqual({ applied: [], leftToDo: [] });
});

test('migrations of several processes at once all succeed', async () => {
  const results = await Promise.all(Array.from({ length: 4 }, () => migrate({ ...database, log })));
  expect(results).toEqual(Array(4).fill({ applied: [], leftToDo: [] }));
});

test('a migration goes on where a killed one left its mark', async () => {
  await run(database.ownerUrl, 'UPDATE schema_migrations_lock SET is_locked = 1');
  expect(await migrate({ ...database, log })).toEqual({ applied: [], leftToDo: [] });
});

test('the owner role as application role is refused', async () => {
  await expect(migrate({ ownerUrl: database.ownerUrl, applicationUrl: database.ownerUrl, log })).rejects.toThrow(
    /name the same role/,
  );
  await expect(check(database.ownerUrl)).rejects.toThrow(/owns|may create objects/);
});

test('a superuser as application role is refused', async () => {
  await expect(check(database.superuserUrl)).rejects.toThrow(/is a superuser/);
  await expect(migrate({ ownerUrl: database.ownerUrl, applicationUrl: database.superuserUrl, log })).rejects.toThrow(
    /is a superuser/,
  );
});

test.each`
  fault                             | statement                                                             | words
  ${'UPDATE granted'}               | ${'GRANT UPDATE ON postings TO countinghouse_app'}                    | ${/may UPDATE the journal \(postings\)/}
  ${'UPDATE of one column granted'} | ${'GRANT UPDATE (posted_at) ON entries TO countinghouse_app'}         | ${/may UPDATE the journal \(entries\)/}
  ${'DELETE granted to everyone'}   | ${'GRANT DELETE ON events TO PUBLIC'}                                 | ${/may DELETE the journal \(events\)/}
  ${'TRUNCATE granted'}             | ${'GRANT TRUNCATE ON hold_steps TO countinghouse_app'}                | ${/may TRUNCATE the journal \(hold_steps\)/}
  ${'TRIGGER granted'}              | ${'GRANT TRIGGER ON entries TO countinghouse_app'}                    | ${/may TRIGGER the journal \(entries\)/}
  ${'CREATE in the schema'}         | ${'GRANT CREATE ON SCHEMA public TO PUBLIC'}                          | ${/may create objects/}
  ${'no right to insert'}           | ${'REVOKE INSERT ON postings FROM countinghouse_app'}                 | ${/may not read and insert postings/}
  ${'a migration missing'}          | ${"DELETE FROM schema_migrations WHERE name = '0005-sandbox-rail'"}   | ${/older than this code: 0005-sandbox-rail/}
  ${'no rights at all'}             | ${'REVOKE ALL ON ALL TABLES IN SCHEMA public FROM countinghouse_app'} | ${/no rights in the database yet/}
`('$fault is refused at start', async ({ statement, words }) => {
  const own = await createTestDatabase();
  try {
    await run(own.ownerUrl, statement);
    await expect(check(own.applicationUrl)).rejects.toThrow(words);
  } finally {
    await own.drop();
  }
});

test('membership in a role that may change the journal is refused, also when it is not inherited', async () => {
  const own = await createTestDatabase();
  const [role, group] = [`app_${own.name}`, `group_${own.name}`];
  try {
    await run(
      own.superuserUrl,
      `CREATE ROLE ${group} NOLOGIN`,
      `GRANT DELETE ON postings TO ${group}`,
      `CREATE ROLE ${role} LOGIN NOINHERIT PASSWORD 'p' IN ROLE ${group}`,
    );
    const url = own.applicationUrl.replace(/\/\/[^@]+@/, `//${role}:p@`);
    await migrate({ ownerUrl: own.ownerUrl, applicationUrl: url, log });
    await expect(check(url)).rejects.toThrow(/may DELETE the journal \(postings\)/);
  } finally {
    await run(own.superuserUrl, `DROP OWNED BY ${role}, ${group}`, `DROP ROLE ${role}, ${group}`);
    await own.drop();
  }
});

test('a role of any name gets its settings from the migration, without a superuser, and is refused when they are reset', async () => {
  const own = await createTestDatabase();
  const role = `other_${own.name}`;
  try {
    await run(own.superuserUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
    const url = own.applicationUrl.replace(/\/\/[^@]+@/, `//${role}:p@`);
    await expect(check(url)).rejects.toThrow(/no rights in the database yet/);
    expect(await migrate({ ownerUrl: own.ownerUrl, applicationUrl: url, log })).toEqual({ applied: [], leftToDo: [] });
    await check(url);
    await run(own.superuserUrl, `ALTER ROLE ${role} SET lock_timeout = 0`);
    await expect(check(url)).rejects.toThrow(/lacks lock_timeout/);
  } finally {
    await run(own.superuserUrl, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`);
    await own.drop();
  }
});

test('an empty database is refused with the command that fills it', async () => {
  const own = await createTestDatabase();
  try {
    await run(
      own.superuserUrl,
      'DROP SCHEMA public CASCADE',
      'CREATE SCHEMA public',
      'GRANT USAGE ON SCHEMA public TO PUBLIC',
    );
    await expect(check(own.applicationUrl)).rejects.toThrow(/has no schema yet[\s\S]*npm run migrate/);
  } finally {
    await own.drop();
  }
});
