import type { Duplex } from 'node:stream';
import type { Pool, Transaction } from './pool.ts';
import { CommitUnconfirmed } from './postgres-errors.ts';

const BEGIN = 'BEGIN';

/**
 * For the committer's statements, which are prepared once and run thousands of times a minute. Nested loops: a join of
 * a table with a list of new values, planned while the table was young, loops over the list for each row. A thousand
 * rows took 585 ms, with a hash join 20 ms. Custom plans: a statement is planned anew each time when a plan for the
 * batch's values looks better than a generic one. That took twice as long as the update of four accounts.
 */
export const BEGIN_WITH_KEPT_PLANS =
  'BEGIN; SET LOCAL enable_nestloop = off; SET LOCAL plan_cache_mode = force_generic_plan';

/**
 * For a transaction of several books: no book waits long because of another one. A transaction that exceeds a limit
 * fails (obstacleOf in postgres-errors.ts), and then each book is attempted by itself under the role's own limits,
 * which are longer. The idle limit frees the locks of a process that is stopped in between.
 */
const MULTI_BOOK_LIMITS = `SET LOCAL lock_timeout = '200ms'; SET LOCAL statement_timeout = '2s';
  SET LOCAL idle_in_transaction_session_timeout = '1s'`;
export const BEGIN_MULTI_BOOK = `BEGIN; ${MULTI_BOOK_LIMITS}`;
/** The same for a batch of the committer. */
export const BEGIN_SHARED = `${BEGIN_WITH_KEPT_PLANS}; ${MULTI_BOOK_LIMITS}`;

/** A connection that is silent for longer than the limits of such a batch is abandoned. */
const SILENT_MS = 3_000;
export const SHARED: TransactionOptions = { begin: BEGIN_SHARED, limitMs: SILENT_MS };
/** Longer than commands wait by default (10 s), so that no answer is lost which a slow server still gives in time. */
const SILENT_ONE_BOOK_MS = 12_000;
/** For a batch under the role's own limits. */
export const OF_ONE_BOOK: TransactionOptions = { begin: BEGIN_WITH_KEPT_PLANS, limitMs: SILENT_ONE_BOOK_MS };

/** Handles that save the work the round trips of BEGIN and COMMIT. */
export interface RoundTrips {
  /**
   * The answer to BEGIN, which travels with the first statements. Write nothing before this resolves: when BEGIN alone
   * fails (it can be canceled), each statement behind it is a transaction of its own, and a lock is released at once.
   */
  readonly begun: Promise<unknown>;
  /** Sends COMMIT at once, behind the statements sent so far. Only where a forbidden change fails in the server. */
  commitBehind(): void;
}

export interface TransactionOptions {
  begin?: string;
  /**
   * When the connection is abandoned if the server has not answered by then. The server's own limits do not help where
   * the network is silent.
   */
  limitMs?: number;
}

/**
 * Runs work in one READ COMMITTED database transaction. Resolves only when the server's own tag is COMMIT. On any
 * failure the transaction is rolled back; a connection whose rollback fails is discarded.
 */
export function inTransaction<T>(
  pool: Pool,
  work: (trx: Transaction) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> {
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
  { begin = BEGIN, limitMs }: TransactionOptions = {},
): Promise<T> {
  const trx = await pool.connect();
  let broken: Error | undefined;
  const limit = limitMs === undefined ? undefined : setTimeout(() => breakOff(trx, limitMs), limitMs);
  const own = Object.getOwnPropertyDescriptor(trx, 'query');
  const reopen = () => {
    if (own) Object.defineProperty(trx, 'query', own);
    else delete (trx as Partial<Transaction>).query;
  };
  try {
    const begun = trx.query(begin);
    // Awaited later. Until then a rejection would count as unhandled.
    begun.catch(() => undefined);
    let committing: Promise<{ command: string }> | undefined;
    const commitBehind = () => {
      committing = trx.query('COMMIT');
      // Awaited later. A statement that failed before COMMIT rejects first.
      committing.catch(() => undefined);
      // A statement behind COMMIT would be a transaction of its own.
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
    clearTimeout(limit);
    reopen();
    trx.release(broken);
  }
}

/** Every statement under way fails as it does when the connection is lost. */
function breakOff(trx: Transaction, limitMs: number): void {
  const { connection } = trx as unknown as { connection: { stream: Duplex } };
  connection.stream.destroy(new Error(`Query read timeout after ${limitMs} ms`));
}
