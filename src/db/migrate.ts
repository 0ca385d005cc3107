/**
 * Brings a database up to this code: the product's migrations, the queue library's schema, and the rights and settings
 * of the application's role and the signer's. Every part can be repeated: the next run completes the work of a killed
 * process.
 */

import { runMigrations } from 'bullmq';
import knex from 'knex';
import pg from 'pg';
import { knexConfig } from '../../knexfile.ts';
import { DROPPED_NAMES } from '../../migrations/dropped-names.ts';
import type { Logger } from '../process/log.ts';
import { connectionName, isEarlierVersion, VERSION_BEFORE } from '../process/version.ts';
import { NoProgress } from '../values/progress.ts';
import { type ContractResult, contract } from './contract.ts';
import { grantStatements, type RightsOfTables, signerGrantStatements } from './grants.ts';
import {
  abandonContract,
  readAnyOrganisation,
  readAppliedMigrations,
  readContractBefore,
} from './installation-store.ts';
import {
  OWNER_SESSION,
  OWNER_SETTINGS,
  ownerSettingsSql,
  ROLE_SETTINGS,
  roleSettingsSql,
  strongerThan,
} from './role-settings.ts';
import { checkEncoding, DatabaseRoleError } from './roles.ts';

/** The queue library's schema in the product's database. */
const QUEUE_SCHEMA = 'bullmq';

const CONNECTION_NAME = connectionName('countinghouse-migrate');

/** One migrator at a time. The advisory lock ends with its connection. The number is arbitrary and must not change. */
const MIGRATION_LOCK = '4846791580151137091';
/** A migration that waits for a lock blocks every statement behind it, so the migration stops first. */
const MIGRATION_LOCK_TIMEOUT = '5s';

export interface MigrateOptions {
  /** The owner's role. A direct connection: session locks do not pass through a pooler. */
  ownerUrl: string;
  /** The application's role, which is granted its rights. The role must exist and be able to log in. */
  applicationUrl: string;
  /**
   * The signer's role, likewise. Without this URL no role is granted the right to add checkpoints; a role that has the
   * right keeps it.
   */
  signerUrl?: string | undefined;
  /** The application's rights on the tables of every group. */
  rights: RightsOfTables;
  log: Logger;
  /** Contracts the stored forms too (contract.ts), after watching connections for `watchMs`. */
  contract?: { watchMs?: number };
}

export interface MigrateResult {
  /** Names of the migrations that this run applied. */
  applied: string[];
  /** SQL for a superuser, when the roles' settings could not be set. Usually empty. */
  leftToDo: string[];
  /** The result of the contract, where one was requested. */
  contract?: ContractResult;
}

/**
 * Throws DatabaseRoleError for unsuitable roles, ContractRefused while an earlier version is connected, and otherwise
 * the errors of Postgres.
 */
export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  const { ownerUrl, applicationUrl, signerUrl, log } = options;
  const logins: Login[] = [{ variable: 'DATABASE_URL', url: applicationUrl, statements: grantStatements }];
  if (signerUrl) logins.push({ variable: 'SIGNER_DATABASE_URL', url: signerUrl, statements: signerGrantStatements });
  const roles = await Promise.all(logins.map(roleOf));
  const client = new pg.Client({ connectionString: ownerUrl, application_name: CONNECTION_NAME });
  await client.connect();
  try {
    // Before the role has its settings: those of the database are not relied on.
    await client.query(OWNER_SESSION);
    await checkEncoding(client, 'DATABASE_OWNER_URL');
    const { rows } = await client.query('SELECT current_user AS name, current_database() AS database');
    refuseSharedRoles([{ variable: 'DATABASE_OWNER_URL', name: rows[0].name }, ...roles]);
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await refuseOtherHistory(client);
    const applied = await runOwnMigrations(ownerUrl);
    for (const name of applied) log.info({ migration: name }, 'migration applied');
    await runMigrations(client, QUEUE_SCHEMA);
    await grantRights(client, { roles, rights: options.rights });
    const leftToDo = await setOwnerSettings(client, rows[0]);
    for (const { name, url } of roles) {
      const names = lacking(await readRoleSettings(client, name), ROLE_SETTINGS);
      if (names.length > 0) leftToDo.push(...(await setRoleSettings(url, { role: name, names })));
    }
    if (leftToDo.length > 0) log.warn({ sql: leftToDo }, 'settings of the roles are left to a superuser');
    if (!options.contract) return { applied, leftToDo };
    const role = roles[0]!.name;
    return { applied, leftToDo, contract: await contract(client, { role, log, ...options.contract }) };
  } finally {
    await client.end();
  }
}

interface Login {
  variable: 'DATABASE_URL' | 'SIGNER_DATABASE_URL';
  url: string;
  statements: (role: string, tables: readonly string[], rights: RightsOfTables) => string[];
}

interface LoginRole extends Login {
  name: string;
}

const OWN_ROLES =
  "The application and the signer need roles of their own: CREATE ROLE countinghouse_app LOGIN PASSWORD '…'; CREATE ROLE countinghouse_signer LOGIN PASSWORD '…';";

/** The server knows the role's name: a URL may leave the name to a service file or the environment. */
async function roleOf(login: Login): Promise<LoginRole> {
  return withClient(login.url, async (client) => {
    const { rows } = await client.query(
      'SELECT rolname AS name, rolsuper AS superuser FROM pg_roles WHERE rolname = current_user',
    );
    if (!rows[0].superuser) return { ...login, name: rows[0].name };
    throw new DatabaseRoleError(
      `The role ${rows[0].name} of ${login.variable} is a superuser: nothing could protect the journal from it.`,
      OWN_ROLES,
    );
  });
}

function refuseSharedRoles(roles: readonly { variable: string; name: string }[]): void {
  for (const [at, { variable, name }] of roles.entries()) {
    const other = roles.slice(0, at).find((before) => before.name === name);
    if (other)
      throw new DatabaseRoleError(`${variable} and ${other.variable} name the same role (${name}).`, OWN_ROLES);
  }
}

/** Where it is applied, the database was contracted to the version before. Earlier migrations of this one did not ask. */
const CONTRACTED_BEFORE = '0101-contracted-before';

/**
 * The database of a development build has migrations that no version has. And this version reads stored forms of the
 * one before, and no older ones: where older rows may exist, that version's contract comes first.
 */
async function refuseOtherHistory(client: pg.Client): Promise<void> {
  const applied = await readAppliedMigrations(client);
  const dropped = applied.filter((name) => DROPPED_NAMES.has(name));
  if (dropped.length > 0)
    throw new DatabaseRoleError(
      `The database has the schema of a development build (${dropped.join(', ')}), which no release continues.`,
      'Start with a new database, or a new data folder.',
    );
  if (applied.length === 0 || applied.includes(CONTRACTED_BEFORE)) return;
  const contractedTo = await readContractBefore(client);
  if (contractedTo !== null && !isEarlierVersion(contractedTo, VERSION_BEFORE)) return;
  // A new database, whose first migration was interrupted.
  if (!(await readAnyOrganisation(client))) return;
  throw new DatabaseRoleError(
    `The database is not contracted to release ${VERSION_BEFORE}: this release does not read what releases before that one stored.`,
    `Run \`npm run migrate -- --contract\` of release ${VERSION_BEFORE} first.`,
  );
}

async function runOwnMigrations(ownerUrl: string): Promise<string[]> {
  const config = knexConfig(ownerUrl);
  const database = knex({
    ...config,
    pool: {
      ...config.pool,
      afterCreate(connection: pg.Client, done: (error?: Error) => void) {
        const settings = `${OWNER_SESSION}; SET lock_timeout = '${MIGRATION_LOCK_TIMEOUT}'`;
        connection.query(settings, (error) => done(error ?? undefined));
      },
    },
  });
  try {
    // Knex marks a running migration in a row, which a killed process leaves behind. No other migration runs: this
    // process has the lock.
    await database.migrate.forceFreeMigrationsLock();
    // One at a time, each marked in its own transaction. `latest` drops that transaction for a whole run as soon as one
    // migration asks for none; a kill between a change and its mark would then fail the next run.
    const applied: string[] = [];
    for (;;) {
      const [, names] = (await database.migrate.up()) as [number, string[]];
      if (names.length === 0) return applied;
      for (const name of names)
        if (applied.includes(name)) throw new NoProgress(`Migration ${name} has run, and would run again.`);
      applied.push(...names);
    }
  } finally {
    await database.destroy();
  }
}

async function grantRights(
  client: pg.Client,
  { roles, rights }: { roles: readonly LoginRole[]; rights: RightsOfTables },
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') ORDER BY relname`,
  );
  // This process has the migration lock: a contract that is under way was killed.
  await abandonContract(client);
  await client.query('BEGIN');
  try {
    const tables = rows.map(({ name }) => name);
    for (const { name, statements } of roles)
      for (const statement of statements(name, tables, rights)) await client.query(statement);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function readRoleSettings(client: pg.Client, role: string): Promise<string[]> {
  const { rows } = await client.query<{ settings: string[] | null }>(
    'SELECT rolconfig AS settings FROM pg_roles WHERE rolname = $1',
    [role],
  );
  return rows[0]?.settings ?? [];
}

/** The names of the settings that are not there, neither as wanted nor stronger. */
function lacking(found: readonly string[], wanted: Readonly<Record<string, string>>): string[] {
  const settings = new Set(found.map((setting) => setting.toLowerCase()));
  return Object.entries(wanted)
    .filter(
      ([name, value]) => ![value, ...strongerThan(name)].some((one) => settings.has(`${name}=${one}`.toLowerCase())),
    )
    .map(([name]) => name);
}

/** A role may set its own defaults, so no superuser is needed. A statement that is refused is handed back. */
function setRoleSettings(url: string, { role, names }: { role: string; names: readonly string[] }): Promise<string[]> {
  return withClient(url, (client) => runEach(client, roleSettingsSql(role, names)));
}

/** For the owner's other sessions: erasure, and the migrations of an earlier version. */
async function setOwnerSettings(
  client: pg.Client,
  { name, database }: { name: string; database: string },
): Promise<string[]> {
  const { rows } = await client.query<{ setting: string }>(
    `SELECT unnest(setconfig) AS setting FROM pg_db_role_setting
      WHERE setrole = (SELECT oid FROM pg_roles WHERE rolname = $1)
        AND setdatabase = (SELECT oid FROM pg_database WHERE datname = $2)`,
    [name, database],
  );
  const settings = rows.map(({ setting }) => setting);
  const names = lacking(settings, OWNER_SETTINGS);
  return runEach(client, ownerSettingsSql({ role: name, database }, names));
}

async function runEach(client: pg.Client, statements: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  for (const statement of statements) await client.query(statement).catch(() => left.push(statement));
  return left;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: CONNECTION_NAME });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
