/**
 * The settings that the product needs of its roles. The database's own are not relied on: `ALTER DATABASE … SET
 * datestyle` changes how every time looks as text, and a reader that guesses writes its guess into an append-only
 * journal. So the settings are set for the roles (migrate.ts), where they come before those of the database and the
 * cluster, and checked on a connection at start and once a minute (watch-role-settings.ts). They are settings of the
 * role because a pooler such as PgBouncer refuses them as start-up parameters.
 */
import pg from 'pg';
import type { Queryable } from './pool.ts';

interface RoleSetting {
  readonly value: string;
  /** Whether a connection may have this value. Undefined: the setting is about speed, and any value is accepted. */
  readonly fits?: (value: string) => boolean;
  /** What would go wrong with a value that does not fit. */
  readonly harm?: string;
  /** Values that keep more than `value` does. A role that has one keeps it. */
  readonly stronger?: readonly string[];
}

/** A longer timeout protects no book. */
const LONGEST_TIMEOUT_MS = 60_000;
const TIMEOUT_HARM = `a stopped process could keep a book locked (1 ms to ${LONGEST_TIMEOUT_MS / 1000} s)`;
const isTimeout = (ms: string) => Number(ms) > 0 && Number(ms) <= LONGEST_TIMEOUT_MS;
const is = (wanted: string) => (value: string) => value === wanted;

/** How values look as text, where names are looked up, and what a transaction is. Every role has them, the owner too. */
const MEANING: Readonly<Record<string, RoleSetting>> = {
  DateStyle: { value: 'ISO, MDY', fits: (value) => value.startsWith('ISO'), harm: 'times could not be read' },
  IntervalStyle: { value: 'postgres', fits: is('postgres'), harm: 'intervals could not be read' },
  extra_float_digits: { value: '1', fits: (value) => Number(value) >= 1, harm: 'fractions would be read rounded' },
  bytea_output: { value: 'hex', fits: is('hex'), harm: 'bytes would look otherwise as text' },
  array_nulls: { value: 'on', fits: is('on'), harm: 'NULL in a list would be written as a word' },
  transform_null_equals: { value: 'off', fits: is('off'), harm: 'a comparison with NULL would be true' },
  standard_conforming_strings: { value: 'on', fits: is('on'), harm: 'a backslash in a text would be lost' },
  // Its names are checked as they resolve: `"$user", public` is public where the role has no schema of its own.
  search_path: { value: 'public', fits: is('pg_catalog,public'), harm: 'tables would be looked up elsewhere' },
  default_transaction_read_only: { value: 'off', fits: is('off'), harm: 'nothing could be written' },
  default_transaction_isolation: {
    value: 'read committed',
    fits: is('read committed'),
    harm: 'commits would fail against each other',
  },
};

/** What COMMIT means. With a weaker value Postgres answers before the commit is on disk, and a crash takes back what was promised. */
const PROMISES: Readonly<Record<string, RoleSetting>> = {
  synchronous_commit: {
    value: 'on',
    stronger: ['remote_apply'],
    fits: (value) => ['on', 'remote_apply'].includes(value),
    harm: 'what was answered could be lost when Postgres ends at once',
  },
};

/** A stopped process keeps a book's lock for five seconds at most. The product's statements take far less than 15 s. */
const TIMEOUTS: Readonly<Record<string, RoleSetting>> = {
  idle_in_transaction_session_timeout: { value: '5s', fits: isTimeout, harm: TIMEOUT_HARM },
  lock_timeout: { value: '5s', fits: isTimeout, harm: TIMEOUT_HARM },
  statement_timeout: { value: '15s', fits: isTimeout, harm: TIMEOUT_HARM },
};

const OTHERS: Readonly<Record<string, RoleSetting>> = {
  TimeZone: {
    value: 'UTC',
    fits: (value) => /^(Etc\/)?(UTC|UCT|GMT|Universal|Zulu)$/i.test(value),
    harm: 'days would begin at other moments',
  },
  // A prepared statement keeps its plan: a plan made while a table was small must not scan the table once it is large.
  enable_seqscan: { value: 'off' },
  // Statements take milliseconds. Compiling them would take longer.
  jit: { value: 'off' },
};

/** Not for a role to set: a superuser switches off triggers and foreign keys with it. */
const CHECKED_ONLY: Readonly<Record<string, RoleSetting>> = {
  session_replication_role: {
    value: 'origin',
    fits: is('origin'),
    harm: 'the triggers that guard the journal would not run',
  },
};

const ALL: Readonly<Record<string, RoleSetting>> = { ...MEANING, ...PROMISES, ...CHECKED_ONLY, ...OTHERS, ...TIMEOUTS };
const CHECKED = Object.keys(ALL).filter((name) => ALL[name]!.fits !== undefined);

const valuesOf = (settings: Readonly<Record<string, RoleSetting>>) =>
  Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]));

/** Of the application's and the signer's role. */
export const ROLE_SETTINGS: Readonly<Record<string, string>> = valuesOf({
  ...TIMEOUTS,
  ...OTHERS,
  ...MEANING,
  ...PROMISES,
});
/** Of the owner's. A migration may take longer than any timeout. */
export const OWNER_SETTINGS: Readonly<Record<string, string>> = valuesOf({ ...MEANING, ...PROMISES });

/** Values of a setting that a role may have in place of ours. */
export const strongerThan = (name: string): readonly string[] => ALL[name]?.stronger ?? [];

/** The SQL that sets a role's settings. The role itself or a superuser may run it. */
export function roleSettingsSql(role: string, names: readonly string[] = Object.keys(ROLE_SETTINGS)): string[] {
  return names.map(
    (name) => `ALTER ROLE ${pg.escapeIdentifier(role)} SET ${name} = ${pg.escapeLiteral(ROLE_SETTINGS[name]!)};`,
  );
}

/** The owner may be a role of other databases too: its settings are those of this database alone. */
export function ownerSettingsSql(
  { role, database }: { role: string; database: string },
  names: readonly string[],
): string[] {
  const whose = `${pg.escapeIdentifier(role)} IN DATABASE ${pg.escapeIdentifier(database)}`;
  return names.map((name) => `ALTER ROLE ${whose} SET ${name} = ${pg.escapeLiteral(OWNER_SETTINGS[name]!)};`);
}

/** For a session of the owner, before its role has the settings. */
export const OWNER_SESSION = Object.entries(OWNER_SETTINGS)
  .map(([name, value]) => `SET ${name} = ${pg.escapeLiteral(value)}`)
  .join('; ');

export interface UnfitSetting {
  readonly name: string;
  /** As the server shows it; timeouts in milliseconds. */
  readonly value: string;
  readonly harm: string;
  /** Where the value comes from: `source` of pg_settings. */
  readonly origin: string;
  readonly isTimeout: boolean;
}

/**
 * The settings that a connection lacks, as its server reports them. Behind a pooler, those of the server connection that
 * answers.
 */
export async function readUnfitSettings(db: Queryable): Promise<UnfitSetting[]> {
  const { rows } = await db.query<{ name: string; value: string; origin: string }>(
    `SELECT name, source AS origin, CASE name WHEN 'search_path' THEN array_to_string(ARRAY(
              SELECT n FROM unnest(pg_catalog.current_schemas(true)) WITH ORDINALITY AS s (n, place)
              WHERE n !~ '^pg_temp' ORDER BY place LIMIT 2), ',') ELSE setting END AS value
       FROM pg_catalog.pg_settings WHERE name = ANY ($1) ORDER BY name`,
    [CHECKED],
  );
  return rows
    .filter(({ name, value }) => !ALL[name]!.fits!(value))
    .map((row) => ({ ...row, harm: ALL[row.name]!.harm!, isTimeout: row.name in TIMEOUTS }));
}

/** What an operator does about a setting: the name of a role or database in it is the real one. */
export function remedyOf(
  { name, origin }: UnfitSetting,
  { role, database }: { role: string; database: string },
): string {
  const [who, where] = [pg.escapeIdentifier(role), pg.escapeIdentifier(database)];
  if (origin === 'database user') return `As a superuser: ALTER ROLE ${who} IN DATABASE ${where} RESET ${name};`;
  if (origin === 'client') return 'Take it out of the URL (options=…) and of the environment (PGOPTIONS).';
  if (name in CHECKED_ONLY)
    return `As a superuser: ALTER DATABASE ${where} RESET ${name}; and ALTER ROLE ${who} RESET ${name};`;
  const value = pg.escapeLiteral(ROLE_SETTINGS[name]!);
  return `Run \`npm run migrate\`, or as a superuser: ALTER ROLE ${who} SET ${name} = ${value};`;
}
