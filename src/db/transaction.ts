import type { Pool, Transaction } from './pool.ts';
import { CommitUnconfirmed } from './postgres-errors.ts';

/**
 * Runs work in one READ COMMITTED database transaction. Resolves only when the server's own tag says COMMIT.
 * On any failure the connection is rolled back, or thrown away when even that cannot be known.
 */
export async function inTransaction<T>(pool: Pool, work: (trx: Transaction) => Promise<T>): Promise<T> {
  const trx = await pool.connect();
  let broken: Error | undefined;
  try {
    // Not awaited: it travels with the first statement. A failure shows in that statement too.
    const begun = trx.query('BEGIN');
    begun.catch(() => undefined);
    const result = await work(trx);
    await begun;
    const { command } = await trx.query('COMMIT');
    if (command !== 'COMMIT') throw new CommitUnconfirmed(command);
    return result;
  } catch (error) {
    await trx.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    trx.release(broken);
  }
}
