/** `npm run migrate -- --contract`: which connections block it, what it changes, and which releases it shuts out. */
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../scripts/harness/client.ts';
import { ContractRefused, requireContractedTo } from '../../../src/db/contract.ts';
import { type WatchedForms, watchForms } from '../../../src/db/forms.ts';
import { beginContract } from '../../../src/db/installation-store.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { checkApplicationRole } from '../../../src/db/roles.ts';
import { RIGHTS } from '../../../src/groups.ts';
import { install } from '../../../src/operations/install.ts';
import { createLogger } from '../../../src/process/log.ts';
import { connectionName, VERSION } from '../../../src/process/version.ts';
import { describeWithPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const log = createLogger('silent', 'test');
const NOTHING_LEFT = { applied: [], leftToDo: [] };
/** What a release compares with its own at its start. */
const CONTRACTED_TO = 'SELECT contracted_to FROM installation';

let database: TestDatabase;
let pool: Pool;
const closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  await contractedTo('0.3.0');
  pool = createPool({ url: database.applicationUrl, name: 'countinghouse-api', size: 2, log });
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await pool.end();
  await database.drop();
});

const contract = (watchMs = 0) => migrate({ rights: RIGHTS, ...database, log, contract: { watchMs } });

async function connect(name: string, url = database.applicationUrl): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: name });
  await client.connect();
  closers.push(() => client.end());
  return client;
}

function watched(): WatchedForms {
  const forms = watchForms(pool, { onFailure: () => undefined });
  closers.push(async () => forms.close());
  return forms;
}

/** As a database of an earlier release was when this one migrated it; '0.2.0' for who waits for a form of 0.3.0. */
async function contractedTo(release: string): Promise<void> {
  const owner = new pg.Client({ connectionString: database.ownerUrl, application_name: 'test' });
  await owner.connect();
  await owner.query('UPDATE installation SET contracted_to = $1', [release]).finally(() => owner.end());
}

test('processes of this and later releases may stay connected, and notice the contract', async () => {
  await contractedTo('0.2.0');
  const forms = watched();
  await forms.read();
  expect(forms).toMatchObject({ textApart: false, multiBookJobs: false });
  await connect(connectionName('countinghouse-worker ledger,rails'));
  await connect(connectionName('countinghouse-queue-worker'));
  await connect('countinghouse-api 0.10.0');
  // The name under which BullMQ listens for a queue.
  await connect('{ledger-0}');
  expect(await contract()).toEqual({ ...NOTHING_LEFT, contract: { contractedTo: VERSION, changed: true } });
  await until(
    () => Promise.resolve(forms.textApart && forms.multiBookJobs && forms.eventsDerived && forms.laterJobs),
    (contracted) => contracted,
  );
  expect(forms.contractedTo).toBe(VERSION);
});

test('beside the release before, its forms are written, and none that it does not read', async () => {
  const forms = watched();
  await forms.read();
  expect(forms).toMatchObject({
    contractedTo: '0.3.0',
    ...{ textApart: true, returnsApart: true, evidenceByResource: true, multiBookJobs: true },
    ...{ eventsDerived: false, keysOverApi: false, moneyIn: false, laterJobs: false },
  });
});

test.each`
  connection                                               | name                                   | url
  ${'an API of the release before'}                        | ${'countinghouse-api 0.3.0'}           | ${'applicationUrl'}
  ${'a worker of the release before'}                      | ${'countinghouse-worker 0.3.0 ledger'} | ${'applicationUrl'}
  ${'queues of the release before by a role of their own'} | ${'countinghouse-queue-worker 0.3.0'}  | ${'superuserUrl'}
  ${'a process that names no release'}                     | ${'countinghouse-queue-producer'}      | ${'applicationUrl'}
  ${'a connection without a name'}                         | ${''}                                  | ${'applicationUrl'}
`('$connection is named in the refusal, and nothing changes', async ({ name, url }) => {
  const client = await connect(name, database[url as 'applicationUrl']);
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const refusal = await contract().catch((error) => error);
  expect(refusal).toBeInstanceOf(ContractRefused);
  expect(refusal.message).toContain(`pid ${rows[0].pid}, role`);
  expect(refusal.message).toContain(name || '(no name)');
  expect((await pool.query(CONTRACTED_TO)).rows).toEqual([{ contracted_to: '0.3.0' }]);
});

test('a connection opened during the watch is refused too', async () => {
  const refused = expect(contract(60_000)).rejects.toThrow(ContractRefused);
  await until(async () => (await pool.query(CONTRACTED_TO)).rows[0].contracted_to === VERSION);
  await connect('countinghouse-worker rails');
  await refused;
});

test('this release starts on a contracted installation, and a migration leaves the contract', async () => {
  await contract();
  await checkApplicationRole(pool);
  expect(await migrate({ rights: RIGHTS, ...database, log })).toEqual(NOTHING_LEFT);
  expect((await pool.query(CONTRACTED_TO)).rows).toEqual([{ contracted_to: VERSION }]);
});

test('a second run changes nothing, whatever is connected', async () => {
  await contract();
  const { rows: before } = await pool.query('SELECT * FROM installation');
  await connect('countinghouse-api');
  expect(await contract()).toEqual({ ...NOTHING_LEFT, contract: { contractedTo: VERSION, changed: false } });
  expect((await pool.query('SELECT * FROM installation')).rows).toEqual(before);
});

test('while a contract is under way an earlier release does not start, and this one writes the forms of before', async () => {
  await contractedTo('0.2.0');
  const owner = await connect('under way', database.ownerUrl);
  await beginContract(owner, VERSION);
  // A later release than its own.
  expect((await pool.query(CONTRACTED_TO)).rows).toEqual([{ contracted_to: VERSION }]);
  const forms = watched();
  await forms.read();
  expect(forms).toMatchObject({ textApart: false, evidenceByResource: false });
  await checkApplicationRole(pool);
});

test('after a kill under way the next migration has the contract of before', async () => {
  const owner = await connect('killed under way', database.ownerUrl);
  await beginContract(owner, VERSION);
  await beginContract(owner, VERSION);
  await migrate({ rights: RIGHTS, ...database, log });
  expect((await pool.query('SELECT contracted_to, contract_done FROM installation')).rows).toEqual([
    { contracted_to: '0.3.0', contract_done: true },
  ]);
});

test('a refused contract leaves the one of before', async () => {
  await connect('countinghouse-worker 0.3.0 rails');
  await expect(contract()).rejects.toThrow(/Not contracted/);
  expect((await pool.query('SELECT contracted_to, contract_done, contracted_from FROM installation')).rows).toEqual([
    { contracted_to: '0.3.0', contract_done: true, contracted_from: null },
  ]);
});

test('a contract of a later release is refused at start, and stays', async () => {
  const owner = await connect('later release', database.ownerUrl);
  await owner.query("UPDATE installation SET contracted_to = '9.0.0', contracted_at = now()");
  await expect(checkApplicationRole(pool)).rejects.toThrow(/stored forms of release 9\.0\.0/);
  expect((await contract()).contract).toEqual({ contractedTo: '9.0.0', changed: false });
});

describe('a new database', () => {
  // As the template was before its operator's organisation: nobody has used it.
  const installed = async () => {
    const owner = await connect('countinghouse-test 0.4.0', database.ownerUrl);
    await owner.query('DELETE FROM books; DELETE FROM organisations');
    return install({ rights: RIGHTS, ...database, log });
  };

  test('is contracted to this release: nobody runs an earlier one on it', async () => {
    expect((await installed()).contract).toEqual({ contractedTo: VERSION, changed: true });
    const forms = watched();
    await forms.read();
    expect(forms).toMatchObject({ contractedTo: VERSION, eventsDerived: true, laterJobs: true });
    expect(await install({ rights: RIGHTS, ...database, log })).toEqual(NOTHING_LEFT);
  });

  test('is left to a person where a connection may be of an earlier release', async () => {
    await connect('psql');
    expect(await installed()).toEqual(NOTHING_LEFT);
    expect((await pool.query(CONTRACTED_TO)).rows).toEqual([{ contracted_to: '0.3.0' }]);
  });
});

test('what a release has first is refused until the contract, with the remedy', async () => {
  await expect(requireContractedTo(pool, '0.4.0', 'Payouts can be paused')).rejects.toThrow(
    /^Payouts can be paused since release 0\.4\.0, .*npm run migrate -- --contract$/,
  );
  await requireContractedTo(pool, '0.3.0', 'Older');
  await contract();
  await requireContractedTo(pool, '0.4.0', 'Payouts can be paused');
});

test('the application role reads the contract and cannot change it', async () => {
  for (const statement of [
    "UPDATE installation SET contracted_to = '0.3.0', contracted_at = now()",
    'INSERT INTO installation (id) VALUES (1)',
    'DELETE FROM installation',
    'DELETE FROM installation_secrets',
  ]) {
    await expect(pool.query(statement), statement).rejects.toMatchObject({ code: '42501' });
  }
});

describeWithPgBouncer('behind a PgBouncer in transaction mode', () => {
  test('an earlier release is recognized by the connection name that the pooler passes on', async () => {
    const pgBouncer = await startPgBouncer(database);
    closers.push(() => pgBouncer.remove());
    const old = await connect('countinghouse-api 0.3.0', pgBouncer.url);
    await old.query('SELECT 1');
    await expect(contract()).rejects.toThrow(/pid \d+, role countinghouse_app: countinghouse-api 0\.3\.0\n/);
  });

  test('and this release by its own name', async () => {
    const pgBouncer = await startPgBouncer(database);
    closers.push(() => pgBouncer.remove());
    // The probe for the pooler gave no name, and the pooler keeps its connection for reuse.
    await pgBouncer.reconnect();
    const owner = await connect('observer', database.superuserUrl);
    const unnamed =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND usename = $1 AND application_name = ''";
    await until(
      async () => (await owner.query(unnamed, ['countinghouse_app'])).rowCount,
      (left) => left === 0,
    );
    // Size 1: a server connection that the pooler has opened has no name until a client uses it.
    const ours = createPool({ url: pgBouncer.url, name: 'countinghouse-api', size: 1, log, namedStatements: false });
    closers.push(() => ours.end());
    const seen = await ours.query("SELECT current_setting('application_name') AS name");
    expect(seen.rows).toEqual([{ name: connectionName('countinghouse-api') }]);
    expect((await contract()).contract).toEqual({ contractedTo: VERSION, changed: true });
  });
});
