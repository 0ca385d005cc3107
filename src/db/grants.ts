/**
 * What the application's role may do with each table: no more than the code does. A table that is not listed is closed
 * to it, and a test names it, so that every new table's rights are decided by somebody.
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
  checkpoints: APPEND,
  tree_nodes: APPEND,
  account_profiles: CHANGE,
  default_accounts: CHANGE,
  inbound_transfers: APPEND,
  payouts: CHANGE,
  payout_returns: APPEND,
  rail_answers: APPEND,
  exceptions: CHANGE,
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

/** The sandbox rail plays the outside world and keeps its own house; the queue library keeps its own too. */
const WHOLE_SCHEMAS = ['sandbox_rail', 'bullmq'];

/**
 * The statements that give the role exactly these rights, in a database with these tables and views. To be run in one
 * database transaction, so that a running application never sees the gap between taking and giving.
 */
export function grantStatements(
  role: string,
  tables: readonly string[],
  { contracted }: { contracted: boolean },
): string[] {
  const to = pg.escapeIdentifier(role);
  const statements = [
    `GRANT USAGE ON SCHEMA public TO ${to}`,
    `REVOKE CREATE ON SCHEMA public FROM ${to}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${to}`,
  ];
  for (const table of tables) {
    const rights = contracted && table === CLOSED_BY_CONTRACT ? [] : (TABLE_RIGHTS[table] ?? []);
    if (rights.length > 0)
      statements.push(`GRANT ${rights.join(', ')} ON public.${pg.escapeIdentifier(table)} TO ${to}`);
  }
  for (const schema of WHOLE_SCHEMAS) {
    statements.push(
      `GRANT USAGE ON SCHEMA ${schema} TO ${to}`,
      `GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${to}`,
      `GRANT ALL ON ALL SEQUENCES IN SCHEMA ${schema} TO ${to}`,
      `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${to}`,
    );
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
