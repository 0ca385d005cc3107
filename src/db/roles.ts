/**
 * The three roles. The *owner* owns the schema and is used by migrations alone. The *signer* adds checkpoints of the
 * journal and may write nothing else. The *application* role runs everything else. This role cannot change the journal
 * or the schema, nor add checkpoints, and its timeouts end a session that would keep a book's lock.
 * Next: role-settings.ts, grants.ts (the roles' rights), migrate.ts (which grants them), signer-role.ts.
 */
import pg from 'pg';
import { migrationSource } from '../../migrations/index.ts';
import { TLS_REMEDY, tlsFault } from '../process/tls-faults.ts';
import { isEarlierVersion, VERSION } from '../process/version.ts';
import { JOURNAL_TABLES, SIGNED_TABLES } from './grants.ts';
import { readClosedTo } from './installation-store.ts';
import type { Pool, Queryable } from './pool.ts';
import { readUnfitSettings, remedyOf, roleSettingsSql, type UnfitSetting } from './role-settings.ts';

export interface RoleLogin {
  name: string;
  password: string;
}

/**
 * Creates the three roles and the database where they are missing. For the product's own clusters (embedded, tests,
 * benches); elsewhere an administrator does this. Can be repeated: existing roles and databases are kept.
 */
export async function createRolesAndDatabase(options: {
  superuserUrl: string;
  database: string;
  owner: RoleLogin;
  application: RoleLogin;
  signer: RoleLogin;
}): Promise<void> {
  const { superuserUrl, database, owner, application, signer } = options;
  const client = new pg.Client({ connectionString: superuserUrl, application_name: 'countinghouse-setup' });
  await client.connect();
  try {
    // The server logs a statement that fails, and these carry passwords.
    await client.query('SET log_min_error_statement = panic');
    for (const role of [owner, application, signer]) {
      const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role.name]);
      if (rowCount) continue;
      const [name, password] = [pg.escapeIdentifier(role.name), pg.escapeLiteral(role.password)];
      await client.query(`CREATE ROLE ${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ${password}`);
    }
    for (const { name } of [application, signer])
      for (const statement of roleSettingsSql(name)) await client.query(statement);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (!rowCount) {
      await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)} OWNER ${pg.escapeIdentifier(owner.name)}`);
    }
  } finally {
    await client.end();
  }
}

/** The database or its role does not fit the product. The message explains what to do. */
export class DatabaseRoleError extends Error {
  override name = 'DatabaseRoleError';

  constructor(problem: string, remedy: string) {
    super(`${problem}\n${remedy}`);
  }
}

const ROLE_REMEDY =
  "DATABASE_URL must name a role of its own, without membership in others: CREATE ROLE countinghouse_app LOGIN PASSWORD '…'; then `npm run migrate` gives it its rights.";
const MIGRATE_REMEDY = 'Run `npm run migrate` with DATABASE_OWNER_URL and DATABASE_URL.';
const REVOKE_REMEDY = `${MIGRATE_REMEDY} It takes back what was granted to this role; what was granted to PUBLIC or to another role must be revoked there.`;

/**
 * Refuses an application role that could change the journal or the schema or add checkpoints, a role whose settings do
 * not fit, and a database that is older than this code. A newer database is accepted until its stored forms are
 * contracted: version N−1 runs on the schema of N. Throws DatabaseRoleError.
 */
export async function checkApplicationRole(pool: Pool): Promise<void> {
  const role = await readRole(pool).catch((error) => {
    const fault = tlsFault(error);
    throw fault === undefined ? error : new DatabaseRoleError(`DATABASE_URL: ${fault}`, TLS_REMEDY);
  });
  await checkEncoding(pool, 'DATABASE_URL');
  if (role.superuser)
    throw new DatabaseRoleError(
      `The role ${role.name} of DATABASE_URL is a superuser: nothing could protect the journal from it.`,
      ROLE_REMEDY,
    );
  const login = { role: role.name, variable: 'DATABASE_URL' };
  // First, because the reads below depend on these settings.
  await checkSettings(pool, login, isBeforeGrants);
  await checkMigrations(pool);
  await checkForms(pool);
  await checkJournalRights(pool, role.name);
  await checkSignedRights(pool, role.name);
  if (role.creates) {
    throw new DatabaseRoleError(
      `The role ${role.name} of DATABASE_URL may create objects in the schema public.`,
      'As a superuser: REVOKE CREATE ON SCHEMA public FROM PUBLIC; and revoke it from this role if it was granted by name.',
    );
  }
  await checkSettings(pool, login);
}

/** A role that was never migrated lacks timeouts and UTC, and its other faults are reported instead. */
const isBeforeGrants = ({ name, isTimeout }: UnfitSetting) => !isTimeout && name !== 'TimeZone';

/** Names, digests and signed texts are UTF-8: another encoding has no place for some, and other bytes for others. */
export async function checkEncoding(db: Queryable, variable: string): Promise<void> {
  const { rows } = await db.query<{ encoding: string; database: string }>(
    "SELECT current_setting('server_encoding') AS encoding, current_database() AS database",
  );
  const { encoding, database } = rows[0]!;
  if (encoding === 'UTF8') return;
  throw new DatabaseRoleError(
    `The database ${database} of ${variable} has the encoding ${encoding}, and the product needs UTF8.`,
    `An encoding is fixed when a database is made: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0; then name that one.`,
  );
}

/** The role of a pool's connections. */
export async function readRole(pool: Pool): Promise<{ name: string; superuser: boolean; creates: boolean }> {
  const { rows } = await pool.query(`
    SELECT rolname AS name, rolsuper AS superuser, has_schema_privilege('public', 'CREATE') AS creates
    FROM pg_roles WHERE rolname = current_user`);
  return rows[0];
}

async function checkMigrations(pool: Pool): Promise<void> {
  const { rows } = await pool.query(
    `SELECT to_regclass('public.schema_migrations') IS NOT NULL AS present,
            to_regclass('public.applied_migrations') IS NOT NULL AS has_view`,
  );
  if (!rows[0].present) throw new DatabaseRoleError('The database of DATABASE_URL has no schema yet.', MIGRATE_REMEDY);
  // A database without the view is older than this code: every migration counts as not applied.
  const done = rows[0].has_view ? await readNames(pool) : new Set<string>();
  const pending = (await migrationNames()).filter((name) => !done.has(name));
  if (pending.length > 0) {
    throw new DatabaseRoleError(
      `The database of DATABASE_URL is older than this code: ${pending.join(', ')} not applied.`,
      MIGRATE_REMEDY,
    );
  }
}

async function readNames(pool: Pool): Promise<Set<string>> {
  try {
    const { rows } = await pool.query<{ name: string }>('SELECT name FROM public.applied_migrations');
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new DatabaseRoleError('The role of DATABASE_URL has no rights in the database yet.', MIGRATE_REMEDY);
  }
}

async function checkForms(pool: Pool): Promise<void> {
  const version = await readClosedTo(pool);
  if (version === null || !isEarlierVersion(VERSION, version)) return;
  throw new DatabaseRoleError(
    `The database of DATABASE_URL holds stored forms of release ${version}, which this release (${VERSION}) does not read.`,
    `Run release ${version} or a later one: \`npm run migrate -- --contract\` has no way back.`,
  );
}

export interface TableRights {
  readonly name: string;
  readonly owns: boolean;
  readonly reads: boolean;
  readonly inserts: boolean;
  /** Rights beside reading, granted to the role itself or through another role. */
  readonly writes: readonly string[];
}

/**
 * Reads the role's rights on these tables, or on all tables of the schema public. A right counts however it is granted:
 * by name, through PUBLIC, on a single column, inherited, or after SET ROLE to a role of which this one is a member.
 * TRIGGER counts too: a trigger can change inserted rows.
 */
export async function readTableRights(pool: Pool, tables?: readonly string[]): Promise<TableRights[]> {
  const { rows } = await pool.query<TableRights>(
    `SELECT c.relname AS name,
            pg_has_role(c.relowner, 'MEMBER') AS owns,
            has_table_privilege(c.oid, 'SELECT') AS reads,
            has_table_privilege(c.oid, 'INSERT') AS inserts,
            ARRAY(SELECT DISTINCT p.privilege
               FROM pg_roles r
               CROSS JOIN unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) AS p (privilege)
              WHERE pg_has_role(r.oid, 'MEMBER')
                AND (has_table_privilege(r.oid, c.oid, p.privilege)
                     OR (p.privilege IN ('INSERT', 'UPDATE') AND has_any_column_privilege(r.oid, c.oid, p.privilege)))
              ORDER BY p.privilege) AS writes
       FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
        AND (c.relname = ANY ($1::text[]) OR $1::text[] IS NULL)
      ORDER BY c.relname`,
    [tables ?? null],
  );
  return rows;
}

async function checkJournalRights(pool: Pool, role: string): Promise<void> {
  const rows = await readTableRights(pool, JOURNAL_TABLES);
  const missing = JOURNAL_TABLES.filter((name) => !rows.some((row) => row.name === name));
  if (missing.length > 0)
    throw new DatabaseRoleError(`The journal is incomplete: ${missing.join(', ')} missing.`, MIGRATE_REMEDY);
  for (const { name, owns, reads, inserts, writes } of rows) {
    if (owns)
      throw new DatabaseRoleError(
        `The role ${role} of DATABASE_URL owns ${name}, or is a member of the role that does.`,
        ROLE_REMEDY,
      );
    const changes = writes.filter((right) => right !== 'INSERT');
    if (changes.length > 0) {
      throw new DatabaseRoleError(
        `The role ${role} of DATABASE_URL may ${changes.join(', ')} the journal (${name}), itself or through a role it is a member of.`,
        REVOKE_REMEDY,
      );
    }
    if (!inserts || !reads)
      throw new DatabaseRoleError(`The role ${role} of DATABASE_URL may not read and insert ${name}.`, MIGRATE_REMEDY);
  }
}

/** An application that could add checkpoints could forge them. */
async function checkSignedRights(pool: Pool, role: string): Promise<void> {
  for (const { name, owns, writes } of await readTableRights(pool, SIGNED_TABLES)) {
    if (!owns && writes.length === 0) continue;
    throw new DatabaseRoleError(
      `The role ${role} of DATABASE_URL may ${owns ? 'do anything with' : writes.join(', ')} ${name}, itself or through a role it is a member of: checkpoints are the signer's alone.`,
      REVOKE_REMEDY,
    );
  }
}

/**
 * Refuses a connection with settings that the product cannot run with (role-settings.ts). `variable` is the environment
 * variable of the URL; `only` selects the settings to judge. Throws DatabaseRoleError with a line for each of them.
 */
export async function checkSettings(
  pool: Pool,
  { role, variable }: { role: string; variable: string },
  only: (setting: UnfitSetting) => boolean = () => true,
): Promise<void> {
  const unfit = (await readUnfitSettings(pool)).filter(only);
  if (unfit.length === 0) return;
  const { rows } = await pool.query<{ database: string }>('SELECT current_database() AS database');
  const problems = unfit.map(({ name, value, harm, isTimeout }) =>
    isTimeout
      ? `The role ${role} of ${variable} lacks ${name}: ${harm}.`
      : `The role ${role} of ${variable} has ${name} = ${value}: ${harm}.`,
  );
  const remedies = new Set(unfit.map((setting) => remedyOf(setting, { role, database: rows[0]!.database })));
  throw new DatabaseRoleError(problems.join('\n'), [...remedies].join('\n'));
}

/** The names of all migrations of this code, in order. */
export async function migrationNames(): Promise<string[]> {
  const migrations = await migrationSource.getMigrations([]);
  return migrations.map((migration) => migrationSource.getMigrationName(migration));
}
