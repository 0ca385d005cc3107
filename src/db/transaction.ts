import type { Pool, Transaction } from './pool.ts';
import { CommitUnconfirmed } from './postgres-errors.ts';

const BEGIN = 'BEGIN';

/**
 * For the committer's statements, which are prepared once and run thousands of times a minute. Those that join a table with
 * a list of new values would loop over the list for each row where the table was young when they were planned: 585 ms for a
 * thousand holds, where a hash join takes 20. And those that look better with this batch's values than with any would be
 * planned anew each time, which took twice as long as the update of four accounts.
 */
export const BEGIN_WITH_KEPT_PLANS =
  'BEGIN; SET LOCAL enable_nestloop = off; SET LOCAL plan_cache_mode = force_generic_plan';

/** Sends COMMIT at once, behind what was sent before: only where whatever must not be committed fails in the server. */
export type CommitBehind = () => void;

/**
 * Runs work in one READ COMMITTED database transaction. Resolves only when the server's own tag says COMMIT.
 * On any failure the connection is rolled back, or thrown away when even that cannot be known.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (trx: Transaction, commitBehind: CommitBehind) => Promise<T>,
  { begin = BEGIN }: { begin?: string } = {},
): Promise<T> {
  const trx = await pool.connect();
  let broken: Error | undefined;
  const own = Object.getOwnPropertyDescriptor(trx, 'query');
  const reopen = () => {
    if (own) Object.defineProperty(trx, 'query', own);
    else delete (trx as Partial<Transaction>).query;
  };
  try {
    // Not awaited: it travels with the first statement. A failure shows in that statement too.
    const begun = trx.query(begin);
    begun.catch(() => undefined);
    let committing: Promise<{ command: string }> | undefined;
    const commit = () => {
      committing = trx.query('COMMIT');
      // Whatever failed before it says so first.
      committing.catch(() => undefined);
      // A statement that came behind its COMMIT would be a transaction of its own.
      trx.query = (() => Promise.reject(new Error('The database transaction is committing already'))) as never;
    };
    const result = await work(trx, commit);
    await begun;
    if (!committing) commit();
    const { command } = await committing!;
    if (command !== 'COMMIT') throw new CommitUnconfirmed(command);
    return result;
  } catch (error) {
    reopen();
    await trx.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    reopen();
    trx.release(broken);
  }
}
