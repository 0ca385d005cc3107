/**
 * The timeouts of the database role, which may be reset while the product runs: read regularly, logged, and counted.
 */
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { type RoleTimeouts, watchRoleTimeouts } from '../../../src/db/role-timeouts.ts';
import { createLogger, type Logger } from '../../../src/log.ts';
import { describeWithPgBouncer, startPgBouncer, type TestPgBouncer } from '../../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const silent = createLogger('silent', 'test');
let database: TestDatabase;
let pool: Pool | undefined;
let watch: RoleTimeouts;
let counted: number[];
let told: unknown[];

beforeEach(async () => {
  database = await createTestDatabase();
  [counted, told] = [[], []];
});

afterEach(async () => {
  watch?.close();
  await pool?.end();
  await database?.drop();
});

function open(url: string): void {
  pool = createPool({ url, name: 'test', size: 1, log: silent, namedStatements: false });
  const log = Object.assign(Object.create(silent), {
    error: (facts: { unfit: string[] }) => told.push(facts.unfit),
    info: (text: string) => told.push(text),
  }) as Logger;
  watch = watchRoleTimeouts({ pool, url, log, count: (unfit) => counted.push(unfit) });
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
    'the database role has its timeouts again',
  ]);
});

test('a timeout missing on one pool connection is counted too', async () => {
  open(database.applicationUrl);
  await pool!.query('SET idle_in_transaction_session_timeout = 0');
  await watch.read();
  expect([counted, told]).toEqual([[1], [['idle_in_transaction_session_timeout']]]);
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
      .poll(
        () =>
          watch
            .read()
            .catch(() => undefined)
            .then(() => counted.at(-1)),
        { timeout: 30_000 },
      )
      .toBe(1);
    expect(told).toEqual([['lock_timeout']]);
  });
});
