/** State of the whole installation: which stored forms may be written, and the installation's own keys. */
import { takeRandom } from '../values/random.ts';
import type { Queryable } from './pool.ts';
import type { SealedPlace, SecretBox } from './secret-box.ts';

/** The version whose stored forms may be written. Index: installation_pkey. */
export async function readContractedTo(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ version: string }>(
    'SELECT CASE WHEN contract_done THEN contracted_to ELSE contracted_from END AS version FROM public.installation WHERE id = 1',
  );
  return rows[0]!.version;
}

/** Versions earlier than this one may not start: the version of the last contract, done or under way. */
export async function readClosedTo(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ contracted_to: string }>(
    'SELECT contracted_to FROM public.installation WHERE id = 1',
  );
  return rows[0]!.contracted_to;
}

/** The names of the migrations that have run; empty for a new database. */
export async function readAppliedMigrations(db: Queryable): Promise<string[]> {
  const { rows: known } = await db.query<{ present: boolean }>(
    "SELECT to_regclass('public.schema_migrations') IS NOT NULL AS present",
  );
  if (!known[0]!.present) return [];
  const { rows } = await db.query<{ name: string }>('SELECT name FROM public.schema_migrations ORDER BY id');
  return rows.map(({ name }) => name);
}

/** The version that a database of an earlier version is contracted to; null without one. */
export async function readContractBefore(db: Queryable): Promise<string | null> {
  const { rows: known } = await db.query<{ present: boolean }>(
    "SELECT to_regclass('public.installation') IS NOT NULL AS present",
  );
  if (!known[0]!.present) return null;
  // The columns of an unfinished contract are those of 0.3.0.
  const { rows } = await db.query<{ version: string | null }>(
    `SELECT CASE WHEN shown->>'contract_done' = 'false' THEN shown->>'contracted_from' ELSE shown->>'contracted_to' END AS version
       FROM (SELECT to_jsonb(i) AS shown FROM public.installation AS i WHERE id = 1) AS i`,
  );
  return rows[0]?.version ?? null;
}

/** Whether anybody has used the database. */
export async function readAnyOrganisation(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ present: boolean }>(
    "SELECT to_regclass('public.organisations') IS NOT NULL AS present",
  );
  if (!rows[0]!.present) return false;
  const { rowCount } = await db.query('SELECT FROM public.organisations LIMIT 1');
  return rowCount === 1;
}

/** SQL of the stamp that every change of an API key moves (migration 0023). Index: installation_pkey. */
export const KEY_STAMP = '(SELECT key_stamp FROM public.installation WHERE id = 1)';

/** The current stamp of the keys; null where the installation has no row. */
export async function readKeyStamp(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ stamp: string | null }>({
    name: 'installation.key_stamp',
    text: `SELECT ${KEY_STAMP} AS stamp`,
  });
  return rows[0]!.stamp;
}

/** Begins a contract: earlier versions do not start any more. By the owner's role; the application's may only read. */
export async function beginContract(db: Queryable, version: string): Promise<void> {
  await db.query(
    `UPDATE public.installation SET contracted_from = CASE WHEN contract_done THEN contracted_to ELSE contracted_from END,
       contracted_to = $1, contracted_at = clock_timestamp(), contract_done = false WHERE id = 1`,
    [version],
  );
}

export async function finishContract(db: Queryable): Promise<void> {
  await db.query(
    'UPDATE public.installation SET contract_done = true, contracted_from = NULL, contracted_at = clock_timestamp() WHERE id = 1',
  );
}

/** Restores the row after a contract that was refused or killed; changes nothing when no contract is under way. */
export async function abandonContract(db: Queryable): Promise<void> {
  await db.query(
    `UPDATE public.installation SET contracted_to = contracted_from, contract_done = true, contracted_from = NULL
     WHERE id = 1 AND NOT contract_done`,
  );
}

const SECRET_BYTES = 32;

export function installationSecretPlace(name: string): SealedPlace {
  return { bookId: null, table: 'installation_secrets', column: 'sealed', rowId: name };
}

/**
 * A key of the installation: 32 random bytes. The first process that asks makes the key; all others get the same one.
 * Throws SecretBoxError when the key was sealed under an encryption key that is not configured. Index:
 * installation_secrets_pkey.
 */
export async function keepInstallationSecret(db: Queryable, secretBox: SecretBox, name: string): Promise<Buffer> {
  const place = installationSecretPlace(name);
  const sealed =
    (await readInstallationSecret(db, name)) ??
    (await makeInstallationSecret(db, name, secretBox.seal(takeRandom(SECRET_BYTES).toString('base64'), place)));
  return Buffer.from(secretBox.open(sealed, place), 'base64');
}

async function readInstallationSecret(db: Queryable, name: string): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ sealed: Buffer }>(
    'SELECT sealed FROM public.installation_secrets WHERE name = $1',
    [name],
  );
  return rows[0]?.sealed;
}

/** Returns the stored key: of several processes at once, the first one's. */
async function makeInstallationSecret(db: Queryable, name: string, sealed: Buffer): Promise<Buffer> {
  await db.query(
    'INSERT INTO public.installation_secrets (name, sealed) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
    [name, sealed],
  );
  return (await readInstallationSecret(db, name))!;
}

/** The sealed keys of the installation; there are few. */
export async function listInstallationSecrets(db: Queryable): Promise<{ name: string; sealed: Buffer }[]> {
  const { rows } = await db.query<{ name: string; sealed: Buffer }>(
    'SELECT name, sealed FROM public.installation_secrets ORDER BY name',
  );
  return rows;
}

/** Compare-and-set. False when the key was sealed anew meanwhile. */
export async function resealInstallationSecret(
  db: Queryable,
  name: string,
  { before, after }: { before: Buffer; after: Buffer },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE public.installation_secrets SET sealed = $3 WHERE name = $1 AND sealed = $2',
    [name, before, after],
  );
  return rowCount === 1;
}

export interface Connection {
  pid: number;
  /** The connection's application_name. */
  name: string;
  role: string;
}

/**
 * Connections to this database by the application's role, and all others whose name begins with `countinghouse` (queues
 * may have a role of their own). Every role sees the pids and names of all connections.
 */
export async function listConnections(db: Queryable, role: string): Promise<Connection[]> {
  const { rows } = await db.query<Connection>(
    `SELECT pid, application_name AS name, usename AS role
       FROM pg_stat_activity
      WHERE datname = current_database() AND (usename = $1 OR application_name LIKE 'countinghouse%')
      ORDER BY pid`,
    [role],
  );
  return rows;
}
