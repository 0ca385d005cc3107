import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INSTALLATION_RIGHTS } from '../../../src/db/grants.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { checkApplicationRole } from '../../../src/db/roles.ts';
import { checkSignerRole } from '../../../src/db/signer-role.ts';
import { RIGHTS } from '../../../src/groups.ts';
import { createLogger } from '../../../src/process/log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

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

const withPool = async <T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> => {
  const pool = createPool({ url, name: 'test', size: 1, log });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
};
const check = (url: string) => withPool(url, checkApplicationRole);
const checkSigner = ({ signerUrl, applicationUrl }: Pick<TestDatabase, 'signerUrl' | 'applicationUrl'>) =>
  withPool(signerUrl, (signer) => withPool(applicationUrl, (pool) => checkSignerRole(signer, pool)));
/** The same server and database as another role, with the password p. */
const asRole = (url: string, role: string) => url.replace(/\/\/[^@]+@/, `//${role}:p@`);

test('every table of the schema has its rights declared', async () => {
  const { rows } = await application.query(
    `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v')`,
  );
  expect(rows.map(({ relname }) => relname).sort()).toEqual(Object.keys({ ...INSTALLATION_RIGHTS, ...RIGHTS }).sort());
});

test('a column is updated only where its table declares that it changes', async () => {
  const { rows } = await application.query<{ table: string; columns: string[]; changing: string[] }>(
    `SELECT c.relname AS table, array_agg(a.attname::text ORDER BY a.attname) AS columns,
            coalesce(array_agg(a.attname::text ORDER BY a.attname)
              FILTER (WHERE has_column_privilege(c.oid, a.attnum, 'UPDATE')), '{}') AS changing
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' GROUP BY 1 ORDER BY 1`,
  );
  const rights = { ...INSTALLATION_RIGHTS, ...RIGHTS };
  for (const { table, columns, changing } of rows) {
    const { updates } = rights[table]!;
    expect({ [table]: changing }).toEqual({ [table]: updates === 'all' ? columns : [...updates].sort() });
    for (const column of columns.filter((name) => !changing.includes(name))) {
      const statement = `UPDATE ${table} SET ${column} = ${column}`;
      await expect(application.query(statement), statement).rejects.toMatchObject({ code: '42501' });
    }
    for (const column of changing) await application.query(`UPDATE ${table} SET ${column} = ${column} WHERE false`);
  }
});

test('the migrated roles are accepted', async () => {
  await check(database.applicationUrl);
  await checkSigner(database);
});

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

test('the role owns nothing and cannot create tables', async () => {
  const { rows } = await application.query(
    "SELECT count(*)::int AS n FROM pg_class WHERE pg_has_role(relowner, 'MEMBER')",
  );
  expect(rows[0].n).toBe(0);
  await expect(application.query('CREATE TABLE mine ()')).rejects.toMatchObject({ code: '42501' });
});

test.each(['checkpoints', 'tree_nodes'])('the role may read %s, but not add to or change it', async (table) => {
  await application.query(`SELECT FROM ${table}`);
  for (const statement of [
    `INSERT INTO ${table} SELECT * FROM ${table}`,
    `UPDATE ${table} SET book_id = book_id`,
    `DELETE FROM ${table}`,
  ])
    await expect(application.query(statement), statement).rejects.toMatchObject({ code: '42501' });
});

const SIGNED = ['checkpoints', 'tree_nodes'];
test('the signer may add checkpoints and nodes, read what it signs, and nothing else', async () => {
  const rights = await withPool(database.signerUrl, (signer) =>
    signer.query<{ name: string; rights: string[] }>(
      `SELECT n.nspname || '.' || c.relname AS name, array_agg(p.privilege ORDER BY p.privilege) AS rights
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
              unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS p (privilege)
        WHERE n.nspname IN ('public', 'sandbox_rail', 'sandbox_acquirer', 'sandbox_bank', 'sandbox_processor', 'bullmq') AND c.relkind IN ('r', 'p')
          AND has_table_privilege(c.oid, p.privilege)
        GROUP BY 1`,
    ),
  );
  expect(Object.fromEntries(rights.rows.map(({ name, rights }) => [name, rights]))).toEqual({
    ...Object.fromEntries(SIGNED.map((table) => [`public.${table}`, ['INSERT', 'SELECT']])),
    ...Object.fromEntries(['books', 'entries', 'postings', 'events'].map((table) => [`public.${table}`, ['SELECT']])),
  });
});

test.each`
  schema                 | tables                                      | sequences
  ${'sandbox_rail'}      | ${['INSERT', 'SELECT', 'UPDATE']}           | ${[]}
  ${'sandbox_acquirer'}  | ${['INSERT', 'SELECT', 'UPDATE']}           | ${[]}
  ${'sandbox_bank'}      | ${['INSERT', 'SELECT', 'UPDATE']}           | ${[]}
  ${'sandbox_processor'} | ${['INSERT', 'SELECT', 'UPDATE']}           | ${[]}
  ${'bullmq'}            | ${['DELETE', 'INSERT', 'SELECT', 'UPDATE']} | ${['USAGE']}
`('in $schema the role may $tables and no more, also in later tables', async ({ schema, tables, sequences }) => {
  const own = await createTestDatabase();
  try {
    await run(own.ownerUrl, `GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO countinghouse_app`);
    await migrate({ rights: RIGHTS, ...own, log });
    await run(own.ownerUrl, `CREATE TABLE ${schema}.added_later (n integer)`);
    const { rows } = await withPool(own.applicationUrl, (pool) =>
      pool.query<{ name: string; kind: string; rights: string[] }>(
        `SELECT c.relname AS name, c.relkind AS kind, ARRAY(
           SELECT p FROM unnest(ARRAY['DELETE', 'INSERT', 'REFERENCES', 'SELECT', 'TRIGGER', 'TRUNCATE', 'UPDATE', 'USAGE']) AS p
           WHERE CASE WHEN c.relkind = 'S' THEN p IN ('SELECT', 'UPDATE', 'USAGE') AND has_sequence_privilege(c.oid, p)
                      ELSE p <> 'USAGE' AND has_table_privilege(c.oid, p) END) AS rights
         FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'S')`,
        [schema],
      ),
    );
    expect(rows.length).toBeGreaterThan(2);
    for (const { name, kind, rights } of rows)
      expect([name, rights]).toEqual([name, kind === 'S' ? sequences : tables]);
  } finally {
    await own.drop();
  }
});

test('the role has its timeouts and uses UTC', async () => {
  const { rows } = await application.query(
    `SELECT current_setting(name) AS value
       FROM unnest(ARRAY['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout', 'timezone']) AS t (name)`,
  );
  expect(rows.map(({ value }) => value)).toEqual(['5s', '5s', '15s', 'UTC']);
});

test('migrating again applies nothing', async () => {
  expect(await migrate({ rights: RIGHTS, ...database, log })).toEqual({ applied: [], leftToDo: [] });
});

test('concurrent migrations all succeed', async () => {
  const results = await Promise.all(Array.from({ length: 4 }, () => migrate({ rights: RIGHTS, ...database, log })));
  expect(results).toEqual(Array(4).fill({ applied: [], leftToDo: [] }));
});

test('a migration continues past the lock that a killed one left', async () => {
  await run(database.ownerUrl, 'UPDATE schema_migrations_lock SET is_locked = 1');
  expect(await migrate({ rights: RIGHTS, ...database, log })).toEqual({ applied: [], leftToDo: [] });
});

test('the owner role as application role is refused', async () => {
  await expect(
    migrate({ rights: RIGHTS, ownerUrl: database.ownerUrl, applicationUrl: database.ownerUrl, log }),
  ).rejects.toThrow(/name the same role/);
  await expect(check(database.ownerUrl)).rejects.toThrow(/owns|may create objects/);
});

test('a signer with one of the other roles is refused', async () => {
  const { ownerUrl, applicationUrl, superuserUrl } = database;
  for (const signerUrl of [ownerUrl, applicationUrl])
    await expect(migrate({ rights: RIGHTS, ownerUrl, applicationUrl, signerUrl, log })).rejects.toThrow(
      /name the same role/,
    );
  await expect(migrate({ rights: RIGHTS, ownerUrl, applicationUrl, signerUrl: superuserUrl, log })).rejects.toThrow(
    /is a superuser/,
  );
  await expect(checkSigner({ applicationUrl, signerUrl: superuserUrl })).rejects.toThrow(/is a superuser/);
  await expect(checkSigner({ applicationUrl, signerUrl: applicationUrl })).rejects.toThrow(/is the application's role/);
  await expect(checkSigner({ applicationUrl, signerUrl: ownerUrl })).rejects.toThrow(/owns|may create objects/);
});

test.each`
  fault                              | statement                                                                   | words
  ${'DELETE of the journal granted'} | ${'GRANT DELETE ON postings TO countinghouse_signer'}                       | ${/may DELETE postings/}
  ${'UPDATE of one column granted'}  | ${'GRANT UPDATE (hash) ON tree_nodes TO countinghouse_signer'}              | ${/may UPDATE tree_nodes/}
  ${'INSERT of entries granted'}     | ${'GRANT INSERT ON entries TO countinghouse_signer'}                        | ${/may INSERT entries/}
  ${'UPDATE granted to everyone'}    | ${'GRANT UPDATE ON accounts TO PUBLIC'}                                     | ${/may UPDATE accounts/}
  ${'a table of its own'}            | ${'ALTER TABLE entry_texts OWNER TO countinghouse_signer'}                  | ${/owns entry_texts/}
  ${'no right to insert'}            | ${'REVOKE INSERT ON checkpoints FROM countinghouse_signer'}                 | ${/may not read and insert checkpoints/}
  ${'times in another form'}         | ${"ALTER ROLE countinghouse_signer IN DATABASE NAME SET datestyle = 'SQL'"} | ${/of SIGNER_DATABASE_URL has DateStyle = SQL, MDY/}
  ${'no timeout'}                    | ${'ALTER ROLE countinghouse_signer IN DATABASE NAME SET lock_timeout = 0'}  | ${/countinghouse_signer of SIGNER_DATABASE_URL lacks lock_timeout/}
`('a signer with $fault is refused', async ({ statement, words }) => {
  const own = await createTestDatabase();
  try {
    await run(own.superuserUrl, statement.replace('NAME', own.name));
    await expect(checkSigner(own)).rejects.toThrow(words);
  } finally {
    await own.drop();
  }
});

test('a signer of any name gets its rights and settings from the migration', async () => {
  const own = await createTestDatabase();
  const role = `signer_${own.name}`;
  try {
    await run(own.superuserUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
    const signerUrl = asRole(own.signerUrl, role);
    expect(await migrate({ rights: RIGHTS, ...own, signerUrl, log })).toEqual({ applied: [], leftToDo: [] });
    await checkSigner({ ...own, signerUrl });
  } finally {
    await run(own.superuserUrl, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`);
    await own.drop();
  }
});

test('a superuser as application role is refused', async () => {
  await expect(check(database.superuserUrl)).rejects.toThrow(/is a superuser/);
  await expect(
    migrate({ rights: RIGHTS, ownerUrl: database.ownerUrl, applicationUrl: database.superuserUrl, log }),
  ).rejects.toThrow(/is a superuser/);
});

test.each`
  fault                                    | statement                                                             | words
  ${'UPDATE granted'}                      | ${'GRANT UPDATE ON postings TO countinghouse_app'}                    | ${/may UPDATE the journal \(postings\)/}
  ${'UPDATE of one column granted'}        | ${'GRANT UPDATE (posted_at) ON entries TO countinghouse_app'}         | ${/may UPDATE the journal \(entries\)/}
  ${'DELETE granted to everyone'}          | ${'GRANT DELETE ON events TO PUBLIC'}                                 | ${/may DELETE the journal \(events\)/}
  ${'TRUNCATE granted'}                    | ${'GRANT TRUNCATE ON hold_steps TO countinghouse_app'}                | ${/may TRUNCATE the journal \(hold_steps\)/}
  ${'TRIGGER granted'}                     | ${'GRANT TRIGGER ON entries TO countinghouse_app'}                    | ${/may TRIGGER the journal \(entries\)/}
  ${'INSERT of checkpoints granted'}       | ${'GRANT INSERT ON checkpoints TO countinghouse_app'}                 | ${/may INSERT checkpoints[\s\S]*the signer's alone/}
  ${'INSERT of nodes granted to everyone'} | ${'GRANT INSERT ON tree_nodes TO PUBLIC'}                             | ${/may INSERT tree_nodes/}
  ${'CREATE in the schema'}                | ${'GRANT CREATE ON SCHEMA public TO PUBLIC'}                          | ${/may create objects/}
  ${'no right to insert'}                  | ${'REVOKE INSERT ON postings FROM countinghouse_app'}                 | ${/may not read and insert postings/}
  ${'a migration missing'}                 | ${"DELETE FROM schema_migrations WHERE name = '0005-sandbox-rail'"}   | ${/older than this code: 0005-sandbox-rail/}
  ${'no rights at all'}                    | ${'REVOKE ALL ON ALL TABLES IN SCHEMA public FROM countinghouse_app'} | ${/no rights in the database yet/}
`('$fault is refused at start', async ({ statement, words }) => {
  const own = await createTestDatabase();
  try {
    await run(own.ownerUrl, statement);
    await expect(check(own.applicationUrl)).rejects.toThrow(words);
  } finally {
    await own.drop();
  }
});

test('membership in a role that may change the journal is refused, even when not inherited', async () => {
  const own = await createTestDatabase();
  const [role, group] = [`app_${own.name}`, `group_${own.name}`];
  try {
    await run(
      own.superuserUrl,
      `CREATE ROLE ${group} NOLOGIN`,
      `GRANT DELETE ON postings TO ${group}`,
      `CREATE ROLE ${role} LOGIN NOINHERIT PASSWORD 'p' IN ROLE ${group}`,
    );
    const url = asRole(own.applicationUrl, role);
    await migrate({ rights: RIGHTS, ownerUrl: own.ownerUrl, applicationUrl: url, log });
    await expect(check(url)).rejects.toThrow(/may DELETE the journal \(postings\)/);
  } finally {
    await run(own.superuserUrl, `DROP OWNED BY ${role}, ${group}`, `DROP ROLE ${role}, ${group}`);
    await own.drop();
  }
});

test('a role of any name gets its settings from the migration, and is refused when they are reset', async () => {
  const own = await createTestDatabase();
  const role = `other_${own.name}`;
  try {
    await run(own.superuserUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
    const url = asRole(own.applicationUrl, role);
    await expect(check(url)).rejects.toThrow(/no rights in the database yet/);
    expect(await migrate({ rights: RIGHTS, ownerUrl: own.ownerUrl, applicationUrl: url, log })).toEqual({
      applied: [],
      leftToDo: [],
    });
    await check(url);
    await run(own.superuserUrl, `ALTER ROLE ${role} SET lock_timeout = 0`);
    await expect(check(url)).rejects.toThrow(/lacks lock_timeout/);
  } finally {
    await run(own.superuserUrl, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`);
    await own.drop();
  }
});

test('an empty database is refused, and the error names the command that migrates it', async () => {
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
