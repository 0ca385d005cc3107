/**
 * What the application's role and the signer's may do with each table: no more than the code does. A table that is not
 * listed is closed to them, and a test names it, so that every new table's rights are decided by somebody.
 */
import pg from 'pg';

const APPEND = ['SELECT', 'INSERT'] as const;
const CHANGE = ['SELECT', 'INSERT', 'UPDATE'] as const;
const READ = ['SELECT'] as const;

/** The ledger itself and its evidence: added to, never changed. Personal text is erased by the owner's role. */
export const JOURNAL_TABLES = ['entries', 'postings', 'hold_steps', 'events', 'entry_texts'];

export const TABLE_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(JOURNAL_TABLES.map((table) => [table, APPEND])),
  organisations: CHANGE,
  books: CHANGE,
  api_keys: CHANGE,
  accounts: CHANGE,
  holds: CHANGE,
  idempotency_keys: CHANGE,
  metadata_index: APPEND,
  checkpoints: READ,
  tree_nodes: READ,
  account_profiles: CHANGE,
  default_accounts: CHANGE,
  inbound_transfers: APPEND,
  payouts: CHANGE,
  payout_returns: APPEND,
  rail_answers: APPEND,
  payout_resolutions: APPEND,
  exceptions: CHANGE,
  rail_notices: CHANGE,
  foreign_notices: APPEND,
  webhook_endpoints: CHANGE,
  webhook_deliveries: CHANGE,
  webhook_attempts: APPEND,
  installation: READ,
  installation_secrets: CHANGE,
  applied_migrations: READ,
  schema_migrations: READ,
  schema_migrations_lock: [],
};

/** Closed to the role once the stored forms are contracted: release 0.1.0 reads it at start, and so it does not start. */
const CLOSED_BY_CONTRACT = 'schema_migrations';

/** What the signer adds: signed statements about the journal, and the trees below them. */
export const SIGNED_TABLES = ['checkpoints', 'tree_nodes'];

/** The signer adds to these and reads what it signs. It changes nothing, and adds to nothing else. */
const SIGNER_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(SIGNED_TABLES.map((table) => [table, APPEND])),
  books: READ,
  entries: READ,
  postings: READ,
  events: READ,
};

/**
 * The sandbox rail plays the outside world and keeps every record; the queue library removes jobs, takes numbers from
 * its sequences and calls its functions. Neither truncates, refers to or makes triggers.
 */
const OTHER_SCHEMAS: Readonly<Record<string, { tables: readonly string[]; library: boolean }>> = {
  sandbox_rail: { tables: CHANGE, library: false },
  bullmq: { tables: [...CHANGE, 'DELETE'], library: true },
};

/**
 * The statements that give the application's role exactly its rights, in a database with these tables and views. To be run in one
 * database transaction, so that a running application never sees the gap between taking and giving. By the owner: rights
 * on future tables are those of tables that the owner makes.
 */
export function grantStatements(
  role: string,
  tables: readonly string[],
  { contracted }: { contracted: boolean },
): string[] {
  const to = pg.escapeIdentifier(role);
  return [
    ...publicStatements(to, tables, contracted ? { ...TABLE_RIGHTS, [CLOSED_BY_CONTRACT]: [] } : TABLE_RIGHTS),
    ...Object.keys(OTHER_SCHEMAS).flatMap((name) => others(to, name)),
  ];
}

/** Those that give the signer's role exactly its rights. As above. */
export function signerGrantStatements(role: string, tables: readonly string[]): string[] {
  return publicStatements(pg.escapeIdentifier(role), tables, SIGNER_RIGHTS);
}

function publicStatements(
  to: string,
  tables: readonly string[],
  rightsOf: Readonly<Record<string, readonly string[]>>,
): string[] {
  const statements = [
    `GRANT USAGE ON SCHEMA public TO ${to}`,
    `REVOKE CREATE ON SCHEMA public FROM ${to}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${to}`,
  ];
  for (const table of tables) {
    const rights = rightsOf[table] ?? [];
    if (rights.length > 0)
      statements.push(`GRANT ${rights.join(', ')} ON public.${pg.escapeIdentifier(table)} TO ${to}`);
  }
  return statements;
}

/** Keeps release 0.1.0 from starting, as grantStatements does for a database that is contracted. */
export function closeToFirstReleaseSql(role: string): string {
  return `REVOKE ALL ON public.${CLOSED_BY_CONTRACT} FROM ${pg.escapeIdentifier(role)}`;
}

/** Lets it start again, where a contract was refused. */
export function openToFirstReleaseSql(role: string): string {
  return `GRANT SELECT ON public.${CLOSED_BY_CONTRACT} TO ${pg.escapeIdentifier(role)}`;
}

function others(to: string, schema: string): string[] {
  const { tables, library } = OTHER_SCHEMAS[schema]!;
  const rights = tables.join(', ');
  const statements = [
    `GRANT USAGE ON SCHEMA ${schema} TO ${to}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${to}`,
    `GRANT ${rights} ON ALL TABLES IN SCHEMA ${schema} TO ${to}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} REVOKE ALL ON TABLES FROM ${to}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ${rights} ON TABLES TO ${to}`,
    `REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${schema} FROM ${to}`,
  ];
  if (!library) return statements;
  return [
    ...statements,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${to}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE ON SEQUENCES TO ${to}`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${to}`,
  ];
}
