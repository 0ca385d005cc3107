/**
 * The rights of the application's role and the signer's role on each table: no more than the code needs. A table that
 * nobody declares is closed to both roles, and a test names it, so every new table's rights are decided on purpose.
 */
import pg from 'pg';
import { APPENDS, CLOSED, changes, privileges, READS, type TableRights } from './table-rights.ts';

/** The ledger and its evidence: rows are added, never changed. The owner's role erases personal text. */
export const JOURNAL_TABLES = ['entries', 'postings', 'hold_steps', 'events', 'entry_texts'];

/** By table. */
export type RightsOfTables = Readonly<Record<string, TableRights>>;

/** Tables of the installation itself. Those of groups are declared by the groups. */
export const INSTALLATION_RIGHTS: RightsOfTables = {
  installation: READS,
  installation_secrets: changes('sealed'),
  applied_migrations: READS,
  schema_migrations: CLOSED,
  schema_migrations_lock: CLOSED,
};

/** Tables that the signer adds to: signed statements about the journal, and the trees below them. */
export const SIGNED_TABLES = ['checkpoints', 'tree_nodes'];

/** The signer adds to its tables and reads the tables that it signs. It changes nothing, and adds to no other table. */
const SIGNER_RIGHTS: RightsOfTables = {
  ...Object.fromEntries(SIGNED_TABLES.map((table) => [table, APPENDS])),
  books: READS,
  entries: READS,
  postings: READS,
  events: READS,
};

/**
 * The sandboxes play the outside world and keep every record. The queue library deletes jobs, takes numbers from
 * its sequences and calls its functions. Neither needs TRUNCATE, REFERENCES or TRIGGER.
 */
const OTHER_SCHEMAS: Readonly<Record<string, { tables: readonly string[]; library: boolean }>> = {
  sandbox_rail: { tables: ['SELECT', 'INSERT', 'UPDATE'], library: false },
  sandbox_acquirer: { tables: ['SELECT', 'INSERT', 'UPDATE'], library: false },
  sandbox_bank: { tables: ['SELECT', 'INSERT', 'UPDATE'], library: false },
  sandbox_processor: { tables: ['SELECT', 'INSERT', 'UPDATE'], library: false },
  bullmq: { tables: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], library: true },
};

/**
 * The statements that give the application's role exactly its rights, in a database with these tables and views. Run
 * them in one database transaction, so that a running application never sees the gap between REVOKE and GRANT. Run them
 * as the owner: default rights apply to the tables that the owner creates.
 */
export function grantStatements(role: string, tables: readonly string[], rights: RightsOfTables): string[] {
  const to = pg.escapeIdentifier(role);
  return [
    ...publicStatements(to, tables, { ...INSTALLATION_RIGHTS, ...rights }),
    ...Object.keys(OTHER_SCHEMAS).flatMap((name) => others(to, name)),
  ];
}

/** The statements that give the signer's role exactly its rights. Run them like grantStatements. */
export function signerGrantStatements(role: string, tables: readonly string[]): string[] {
  return publicStatements(pg.escapeIdentifier(role), tables, SIGNER_RIGHTS);
}

function publicStatements(to: string, tables: readonly string[], rightsOf: RightsOfTables): string[] {
  const statements = [
    `GRANT USAGE ON SCHEMA public TO ${to}`,
    `REVOKE CREATE ON SCHEMA public FROM ${to}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${to}`,
  ];
  for (const table of tables) {
    const granted = privileges(rightsOf[table] ?? CLOSED);
    if (granted.length > 0)
      statements.push(`GRANT ${granted.join(', ')} ON public.${pg.escapeIdentifier(table)} TO ${to}`);
  }
  return statements;
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
