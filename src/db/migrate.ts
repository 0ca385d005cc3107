/**
 * Brings a database up to this code: our migrations, the queue library's schema, the rights of the application's role,
 * its settings. Every part may be repeated; a process killed in the middle is made good by the next run.
 */
import { runMigrations } from 'bullmq';
import knex from 'knex';
import pg from 'pg';
import { knexConfig } from '../../knexfile.ts';
import type { Logger } from '../log.ts';
import { connectionName } from '../release.ts';
import { type ContractResult, contract } from './contract.ts';
import { grantStatements } from './grants.ts';
import { readContractedTo } from './installation-store.ts';
import { DatabaseRoleError, ROLE_SETTINGS, roleSettingsSql } from './roles.ts';

/** The queue library's schema in our database. */
export const QUEUE_SCHEMA = 'bullmq';

const CONNECTION_NAME = connectionName('countinghouse-migrate');

/** One migrator at a time, and its lock ends with its connection. The number is arbitrary and only has to stay. */
const MIGRATION_LOCK = '4846791580151137091';
/** A migration that waits for a lock makes everybody behind it wait too: it gives up first. */
const MIGRATION_LOCK_TIMEOUT = '5s';

export interface MigrateOptions {
  /** The owner's role. A direct connection: session locks do not pass through a pooler. */
  ownerUrl: string;
  /** The application's role, which gets its rights. It must exist and be able to log in. */
  applicationUrl: string;
  log: Logger;
  /** Contracts the stored forms too (contract.ts), after watching connections for this long. */
  contract?: { watchMs?: number };
}

export interface MigrateResult {
  /** Names of the migrations that ran now. */
  applied: string[];
  /** SQL for a superuser, when the role's settings could not be made. Usually empty. */
  leftToDo: string[];
  /** What the contract did, where it was asked for. */
  contract?: ContractResult;
}

/**
 * Throws DatabaseRoleError for roles that cannot be, ContractRefused for a contract that cannot be yet, and Postgres's own
 * errors otherwise.
 */
export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  const { ownerUrl, applicationUrl, log } = options;
  const role = await applicationRole(applicationUrl);
  const client = new pg.Client({ connectionString: ownerUrl, application_name: CONNECTION_NAME });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT current_user AS name');
    if (rows[0].name === role) {
      throw new DatabaseRoleError(
        `DATABASE_URL and DATABASE_OWNER_URL name the same role (${role}).`,
        `The application needs a role of its own: CREATE ROLE countinghouse_app LOGIN PASSWORD '…';`,
      );
    }
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await runOwnMigrations(ownerUrl);
    for (const name of applied) log.info({ migration: name }, 'migration applied');
    await runMigrations(client, QUEUE_SCHEMA);
    await grantRights(client, role);
    const leftToDo = (await hasRoleSettings(client, role)) ? [] : await setRoleSettings(applicationUrl, role);
    if (leftToDo.length > 0)
      log.warn({ sql: leftToDo }, 'the settings of the application role are left to a superuser');
    if (!options.contract) return { applied, leftToDo };
    return { applied, leftToDo, contract: await contract(client, { role, log, ...options.contract }) };
  } finally {
    await client.end();
  }
}

/** Asked of the server: a URL may leave the name to a service file or the environment. */
async function applicationRole(applicationUrl: string): Promise<string> {
  return withClient(applicationUrl, async (client) => {
    const { rows } = await client.query(
      'SELECT rolname AS name, rolsuper AS superuser FROM pg_roles WHERE rolname = current_user',
    );
    if (!rows[0].superuser) return rows[0].name;
    throw new DatabaseRoleError(
      `The role ${rows[0].name} of DATABASE_URL is a superuser: nothing could protect the journal from it.`,
      `Make one for the application: CREATE ROLE countinghouse_app LOGIN PASSWORD '…';`,
    );
  });
}

async function runOwnMigrations(ownerUrl: string): Promise<string[]> {
  const config = knexConfig(ownerUrl);
  const database = knex({
    ...config,
    pool: {
      ...config.pool,
      afterCreate(connection: pg.Client, done: (error?: Error) => void) {
        connection.query(`SET lock_timeout = '${MIGRATION_LOCK_TIMEOUT}'`, (error) => done(error ?? undefined));
      },
    },
  });
  try {
    // Knex marks a running migration in a row, which a killed process leaves behind. Nobody else can be running: we hold the lock.
    await database.migrate.forceFreeMigrationsLock();
    const [, applied] = (await database.migrate.latest()) as [number, string[]];
    return applied;
  } finally {
    await database.destroy();
  }
}

async function grantRights(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') ORDER BY relname`,
  );
  const contracted = (await readContractedTo(client)) !== null;
  await client.query('BEGIN');
  try {
    for (const statement of grantStatements(
      role,
      rows.map(({ name }) => name),
      { contracted },
    ))
      await client.query(statement);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function hasRoleSettings(client: pg.Client, role: string): Promise<boolean> {
  const { rows } = await client.query<{ settings: string[] | null }>(
    'SELECT rolconfig AS settings FROM pg_roles WHERE rolname = $1',
    [role],
  );
  const settings = new Set((rows[0]?.settings ?? []).map((setting) => setting.toLowerCase()));
  return Object.entries(ROLE_SETTINGS).every(([name, value]) => settings.has(`${name}=${value}`.toLowerCase()));
}

/** A role may set its own defaults, so no superuser is needed; where that was taken from it, the SQL is handed back. */
async function setRoleSettings(applicationUrl: string, role: string): Promise<string[]> {
  return withClient(applicationUrl, async (client) => {
    const left: string[] = [];
    for (const statement of roleSettingsSql(role)) {
      await client.query(statement).catch(() => left.push(statement));
    }
    return left;
  });
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
