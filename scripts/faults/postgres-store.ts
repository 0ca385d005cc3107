/** Superuser operations on Postgres itself. Names are our own, so they are not quoted. */
import type { Pool } from '../../src/db/pool.ts';
import { APPLICATION } from '../../src/embedded/logins.ts';

/** Terminates a random part of the connections of the product's role. Resolves to how many. */
export async function terminateSome(pool: Pool, fraction: number): Promise<number> {
  const { rowCount } = await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND usename = $1 AND random() < $2`,
    [APPLICATION, fraction],
  );
  return rowCount ?? 0;
}

/** Cancels the statements of a random part of the connections of the product's role. Resolves to how many ran one. */
export async function cancelSome(pool: Pool, fraction: number): Promise<number> {
  const { rowCount } = await pool.query(
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND usename = $1 AND state <> 'idle' AND random() < $2`,
    [APPLICATION, fraction],
  );
  return rowCount ?? 0;
}

/** Terminates connections that are idle in a database transaction. Resolves to how many. */
export async function terminateIdleInTransaction(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND usename = $1 AND state = 'idle in transaction'`,
    [APPLICATION],
  );
  return rowCount ?? 0;
}

/** The backends whose client has begun a database transaction and is silent. */
export async function readIdleInTransaction(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND usename = $1 AND state = 'idle in transaction'`,
    [APPLICATION],
  );
  return rows.map(({ pid }) => pid);
}

/** Locks a row as a stranger does. Resolves to a function that unlocks it. */
export async function lockRow(pool: Pool, table: 'books' | 'accounts', id: string): Promise<() => Promise<void>> {
  const stranger = await pool.connect();
  await stranger.query('BEGIN');
  await stranger.query(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [id]);
  return async () => {
    await stranger.query('ROLLBACK');
    stranger.release();
  };
}

/** Limits the connections of the product's role; -1 for no limit. */
export async function limitConnections(pool: Pool, limit: number): Promise<void> {
  await pool.query(`ALTER ROLE ${APPLICATION} CONNECTION LIMIT ${limit}`);
}

/** From now on the database refuses every update that would move this payout. */
export async function poisonPayout(pool: Pool, id: string): Promise<void> {
  await pool.query(
    `ALTER TABLE payouts ADD CONSTRAINT poison CHECK (id <> '${id}' OR outcome IS NULL AND status = 'pending') NOT VALID`,
  );
}

export async function curePayouts(pool: Pool): Promise<void> {
  await pool.query('ALTER TABLE payouts DROP CONSTRAINT IF EXISTS poison');
}

/** Does what `npm run ops -- retry` does. Resolves to how many payouts were stuck. */
export async function retryStuck(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    'UPDATE payouts SET stuck_at = NULL, stuck_error = NULL, due_at = now() WHERE stuck_at IS NOT NULL',
  );
  return rowCount ?? 0;
}

export async function readStuck(pool: Pool): Promise<{ id: string; error: string }[]> {
  const { rows } = await pool.query<{ id: string; error: string }>(
    'SELECT id, stuck_error AS error FROM payouts WHERE stuck_at IS NOT NULL',
  );
  return rows;
}

export async function makeTablespace(pool: Pool, at: { name: string; directory: string }): Promise<void> {
  await pool.query(`CREATE TABLESPACE ${at.name} LOCATION '${at.directory}'`);
}

export async function dropTablespace(pool: Pool, name: string): Promise<void> {
  await pool.query(`DROP TABLESPACE IF EXISTS ${name}`);
}

/**
 * Moves the tables that grow with every payout to the disk of the tablespace. One at a time: together they could
 * deadlock.
 */
export async function moveTables(pool: Pool, tablespace: string): Promise<void> {
  for (const table of ['events', 'entries', 'postings', 'payouts']) {
    await pool.query(`ALTER TABLE ${table} SET TABLESPACE ${tablespace}`);
  }
}

/** How many payouts are paid. */
export async function readPaid(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ paid: bigint }>("SELECT count(*) AS paid FROM payouts WHERE status = 'paid'");
  return Number(rows[0]!.paid);
}
