/**
 * The settings of the database role: set by the migration over those of the database, checked at start, and read regularly
 * while the product runs, when somebody may reset them.
 */
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeOrganisation } from '../../../scripts/harness/organisation.ts';
import { checkDurability } from '../../../src/db/durability.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { readUnfitSettings } from '../../../src/db/role-settings.ts';
import { checkApplicationRole } from '../../../src/db/roles.ts';
import { type RoleSettingsWatch, watchRoleSettings } from '../../../src/db/watch-role-settings.ts';
import { RIGHTS } from '../../../src/groups.ts';
import { install } from '../../../src/operations/install.ts';
import { anyKeyOpensLive } from '../../../src/organisations/api-key-store.ts';
import { createLogger, type Logger } from '../../../src/process/log.ts';
import { describeWithPgBouncer, startPgBouncer, type TestPgBouncer } from '../../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const silent = createLogger('silent', 'test');
let database: TestDatabase;
let pool: Pool | undefined;
let watch: RoleSettingsWatch;
let counted: number[];
let told: unknown[];

beforeEach(async () => {
  database = await createTestDatabase();
  [counted, told] = [[], []];
});

afterEach(async () => {
  watch?.close();
  await pool?.end();
  pool = undefined;
  await database?.drop();
});

function open(url: string): void {
  pool = createPool({ url, name: 'test', size: 1, log: silent, namedStatements: false });
  const log = Object.assign(Object.create(silent), {
    error: (facts: { unfit: string[] }) => told.push(facts.unfit),
    info: (text: string) => told.push(text),
  }) as Logger;
  const durability = { assumed: false, isLive: () => anyKeyOpensLive(pool!) };
  watch = watchRoleSettings({ pool, url, log, durability, count: (unfit) => counted.push(unfit) });
}

const asSuperuser = async (statement: string) => {
  const client = new pg.Client(database.superuserUrl);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};
/** For this database only: the tests share the role. */
const alter = (change: string) => asSuperuser(`ALTER ROLE countinghouse_app IN DATABASE ${database.name} ${change}`);

test('a timeout that is reset is counted, and logged once until it is set again', async () => {
  open(database.applicationUrl);
  await watch.read();
  await alter('SET lock_timeout = 0');
  await watch.read();
  await watch.read();
  await alter("SET statement_timeout = '2min'");
  await watch.read();
  await alter('RESET ALL');
  await watch.read();
  expect(counted).toEqual([0, 1, 1, 2, 0]);
  expect(told).toEqual([
    ['lock_timeout'],
    ['lock_timeout', 'statement_timeout'],
    'the database has the settings again that the product runs with',
  ]);
});

test('a timeout missing on one pool connection is counted too', async () => {
  open(database.applicationUrl);
  await pool!.query('SET idle_in_transaction_session_timeout = 0');
  await watch.read();
  expect([counted, told]).toEqual([[1], [['idle_in_transaction_session_timeout']]]);
});

const ownPool = async <T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> => {
  const own = createPool({ url, name: 'test', size: 1, log: silent });
  return work(own).finally(() => own.end());
};

/** What an administrator does to a whole database, or to a role in it. */
test.each`
  setting                            | value               | words
  ${'datestyle'}                     | ${"'SQL, DMY'"}     | ${/has DateStyle = SQL, DMY: times/}
  ${'datestyle'}                     | ${"'German'"}       | ${/has DateStyle = German, DMY: times/}
  ${'intervalstyle'}                 | ${'iso_8601'}       | ${/has IntervalStyle = iso_8601: intervals/}
  ${'extra_float_digits'}            | ${'0'}              | ${/has extra_float_digits = 0: fractions/}
  ${'bytea_output'}                  | ${'escape'}         | ${/has bytea_output = escape: bytes/}
  ${'array_nulls'}                   | ${'off'}            | ${/has array_nulls = off/}
  ${'transform_null_equals'}         | ${'on'}             | ${/has transform_null_equals = on/}
  ${'standard_conforming_strings'}   | ${'off'}            | ${/has standard_conforming_strings = off/}
  ${'search_path'}                   | ${'bullmq, public'} | ${/has search_path = pg_catalog,bullmq: tables/}
  ${'search_path'}                   | ${'nowhere'}        | ${/has search_path = pg_catalog: tables/}
  ${'default_transaction_read_only'} | ${'on'}             | ${/has default_transaction_read_only = on: nothing/}
  ${'default_transaction_isolation'} | ${"'serializable'"} | ${/has default_transaction_isolation = serializable: commits/}
  ${'synchronous_commit'}            | ${'off'}            | ${/has synchronous_commit = off: what was answered/}
  ${'synchronous_commit'}            | ${'local'}          | ${/has synchronous_commit = local: what was answered/}
  ${'session_replication_role'}      | ${'replica'}        | ${/has session_replication_role = replica: the triggers/}
  ${'timezone'}                      | ${"'Asia/Amman'"}   | ${/has TimeZone = Asia.Amman: days/}
`('$setting = $value is refused at start', async ({ setting, value, words }) => {
  const { name, applicationUrl } = database;
  await asSuperuser(`ALTER ROLE countinghouse_app IN DATABASE ${name} SET ${setting} = ${value}`);
  const refusal = ownPool(applicationUrl, checkApplicationRole);
  await expect(refusal).rejects.toThrow(words);
  await expect(refusal).rejects.toThrow(`IN DATABASE "${name}" RESET`);
});

test('a database with settings of its own is migrated, started, and read by the roles as any other', async () => {
  const own = [
    "datestyle = 'SQL, DMY'",
    'intervalstyle = sql_standard',
    'extra_float_digits = -15',
    'bytea_output = escape',
    'array_nulls = off',
    'search_path = bullmq',
    "default_transaction_isolation = 'serializable'",
    "timezone = 'Asia/Amman'",
    'synchronous_commit = off',
    // The last one: nothing is written to the database any more.
    'default_transaction_read_only = on',
  ];
  const { name, ownerUrl, applicationUrl } = database;
  for (const setting of own) await asSuperuser(`ALTER DATABASE ${name} SET ${setting}`);
  expect(await install({ ...database, rights: RIGHTS, log: silent })).toEqual({ applied: [], leftToDo: [] });
  await ownPool(applicationUrl, checkApplicationRole);
  const owner = await ownPool(ownerUrl, readUnfitSettings);
  expect(owner.filter(({ isTimeout }) => !isTimeout).map((one) => one.name)).toEqual(['TimeZone']);
});

test('a database of another encoding than UTF8 is not migrated, and nothing is left in it', async () => {
  const name = `${database.name}_1252`;
  const options = "ENCODING 'WIN1252' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0";
  await asSuperuser(`CREATE DATABASE ${name} OWNER countinghouse_owner ${options}`);
  const here = (url: string) => url.replace(database.name, name);
  const urls = { ownerUrl: here(database.ownerUrl), applicationUrl: here(database.applicationUrl) };
  await expect(install({ ...urls, rights: RIGHTS, log: silent })).rejects.toThrow(
    /has the encoding WIN1252, and the product needs UTF8\.\n.*ENCODING 'UTF8' TEMPLATE template0/,
  );
  const tables = await ownPool(here(database.superuserUrl), (one) =>
    one.query("SELECT FROM pg_tables WHERE schemaname IN ('public', 'bullmq')"),
  );
  expect(tables.rowCount).toBe(0);
  await expect(ownPool(urls.applicationUrl, checkApplicationRole)).rejects.toThrow(/has the encoding WIN1252/);
  await asSuperuser(`DROP DATABASE ${name}`);
});

test('a URL that asks for TLS where there is none stops the start with what to do', async () => {
  const refusal = ownPool(`${database.applicationUrl}?sslmode=require`, checkApplicationRole);
  await expect(refusal).rejects.toThrow(/^DATABASE_URL: The server does not speak TLS\.\nName the authority/);
});

test('a role that keeps more than the product asks for keeps it through a migration', async () => {
  const role = `keeper_${database.name}`;
  await asSuperuser(`CREATE ROLE ${role} LOGIN PASSWORD 'keeper'`);
  await asSuperuser(`ALTER ROLE ${role} SET synchronous_commit = remote_apply`);
  const url = new URL(database.applicationUrl);
  [url.username, url.password] = [role, 'keeper'];
  const options = { ownerUrl: database.ownerUrl, applicationUrl: url.href, rights: RIGHTS, log: silent };
  expect((await install(options)).leftToDo).toEqual([]);
  const shown = await ownPool(url.href, (one) => one.query('SHOW synchronous_commit'));
  expect(shown.rows).toEqual([{ synchronous_commit: 'remote_apply' }]);
  await ownPool(url.href, checkApplicationRole);
  await asSuperuser(`DROP OWNED BY ${role}`);
  await asSuperuser(`DROP ROLE ${role}`);
});

/** The Postgres of tests has both off. */
test('a Postgres that may lose what it has committed is refused in live, and warned of in test', async () => {
  const warned: unknown[] = [];
  const log = Object.assign(Object.create(silent), { warn: (facts: unknown) => warned.push(facts) }) as Logger;
  await ownPool(database.applicationUrl, async (one) => {
    const check = (assumed = false) => checkDurability(one, { assumed, log, isLive: () => anyKeyOpensLive(one) });
    await check();
    expect(warned).toEqual([{ off: ['fsync', 'full_page_writes'] }]);
    await makeOrganisation(one);
    await expect(check()).rejects.toThrow(/has fsync and full_page_writes off: what was promised in live/);
    await check(true);
    expect(warned).toHaveLength(1);
  });
});

test('fsync and full_page_writes that are off are counted and logged from the first live key on', async () => {
  open(database.applicationUrl);
  await watch.read();
  await makeOrganisation(pool!);
  await watch.read();
  await watch.read();
  expect(counted).toEqual([0, 2, 2]);
  expect(told).toEqual([['fsync', 'full_page_writes']]);
});

test('a time in another form than ISO fails its statement', async () => {
  await ownPool(database.applicationUrl, async (one) => {
    const read = async (style: string, text = '2026-11-21 09:33:08.5+00') => {
      await one.query(`SET datestyle = ${style}`);
      return (await one.query('SELECT $1::timestamptz AS at', [text])).rows[0].at;
    };
    for (const style of ["'SQL, DMY'", "'SQL, MDY'", "'German'", "'Postgres'"])
      await expect(read(style), style).rejects.toThrow(/which is not ISO/);
    for (const zone of ['UTC', 'Asia/Kolkata', 'America/St_Johns']) {
      await one.query(`SET timezone = '${zone}'`);
      expect(await read('ISO')).toBe(Date.UTC(2026, 10, 21, 9, 33, 8, 500));
    }
    expect(await read('ISO', 'infinity')).toBe(Number.POSITIVE_INFINITY);
    expect(await read('ISO', '0044-03-15 00:00:00+00 BC')).toBe(Date.UTC(-43, 2, 15));
  });
});

describeWithPgBouncer('behind PgBouncer', () => {
  let pgBouncer: TestPgBouncer;

  afterEach(() => pgBouncer?.remove());

  test('the settings of the server connections count', async () => {
    pgBouncer = await startPgBouncer(database);
    open(pgBouncer.url);
    await watch.read();
    await alter('SET lock_timeout = 0');
    await asSuperuser(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename = 'countinghouse_app'",
    );
    await expect
      .poll(() =>
        watch
          .read()
          .catch(() => undefined)
          .then(() => counted.at(-1)),
      )
      .toBe(1);
    expect(told).toEqual([['lock_timeout']]);
  });
});
