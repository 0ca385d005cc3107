/** The installation's one row: which stored forms may be written. */
import type { Queryable } from './pool.ts';

/** The release whose stored forms may be written; null for those of 0.1.0. Index: installation_pkey. */
export async function readContractedTo(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ contracted_to: string | null }>(
    'SELECT contracted_to FROM public.installation WHERE id = 1',
  );
  return rows[0]?.contracted_to ?? null;
}

/** By the owner's role. */
export async function writeContractedTo(db: Queryable, release: string): Promise<void> {
  await db.query('UPDATE public.installation SET contracted_to = $1, contracted_at = clock_timestamp() WHERE id = 1', [
    release,
  ]);
}

export interface Connection {
  pid: number;
  /** As the connection names itself. */
  name: string;
  role: string;
}

/**
 * Connections to this database by the application's role, or by whatever else names itself after the product (queues may
 * have a role of their own). Every role sees pids and names of all.
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
