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

/** What work has in hand that saves its round trips. */
export interface RoundTrips {
  /**
   * The answer to BEGIN, which travels with the first statements. Nothing may be written before it is there: where BEGIN
   * fails alone (it can be canceled), each statement behind it is a transaction of its own, and a lock is let go at once.
   */
  readonly begun: Promise<unknown>;
  /** Sends COMMIT at once, behind what was sent before: only where whatever must not be committed fails in the server. */
  commitBehind(): void;
}

interface Options {
  begin?: string;
}

/**
 * Runs work in one READ COMMITTED database transaction. Resolves only when the server's own tag says COMMIT.
 * On any failure the connection is rolled back, or thrown away when even that cannot be known.
 */
export function inTransaction<T>(pool: Pool, work: (trx: Transaction) => Promise<T>, options?: Options): Promise<T> {
  const afterBegin = async (trx: Transaction, { begun }: RoundTrips) => {
    await begun;
    return work(trx);
  };
  return inPipelinedTransaction(pool, afterBegin, options);
}

/** The same for work that sends its first statements behind BEGIN and its last ones before COMMIT, without waiting. */
export async function inPipelinedTransaction<T>(
  pool: Pool,
  work: (trx: Transaction, roundTrips: RoundTrips) => Promise<T>,
  { begin = BEGIN }: Options = {},
): Promise<T> {
  const trx = await pool.connect();
  let broken: Error | undefined;
  const own = Object.getOwnPropertyDescriptor(trx, 'query');
  const reopen = () => {
    if (own) Object.defineProperty(trx, 'query', own);
    else delete (trx as Partial<Transaction>).query;
  };
  try {
    const begun = trx.query(begin);
    // Whoever waits for it is told.
    begun.catch(() => undefined);
    let committing: Promise<{ command: string }> | undefined;
    const commitBehind = () => {
      committing = trx.query('COMMIT');
      // Whatever failed before it says so first.
      committing.catch(() => undefined);
      // A statement that came behind its COMMIT would be a transaction of its own.
      trx.query = (() => Promise.reject(new Error('The database transaction is committing already'))) as never;
    };
    const result = await work(trx, { begun, commitBehind });
    await begun;
    if (!committing) commitBehind();
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
