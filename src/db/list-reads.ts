/**
 * Connections for lists alone: a list of a large book never takes a connection that money waits for. Each read is one
 * read-only transaction with one snapshot, and Postgres ends a statement after two seconds. The settings follow BEGIN
 * and travel with the first statement, because PgBouncer refuses them as start-up parameters.
 *
 * One book has at most half of the connections, and waiting reads are served by book in turn. After a read, its
 * connection rests for as long as the read took (REST_MAX_MS at most). A caller that reads page after page uses two
 * connections by turns and does not wait. A caller that sends many short reads at once gets half of the processor time
 * that they could take.
 */
import { ApiError } from '../errors/errors.ts';
import { Turns } from '../fairness/turns.ts';
import type { Uuid } from '../values/ids.ts';
import { createPool, type Pool, type PoolOptions, type Queryable } from './pool.ts';

/** A page takes a few milliseconds; a slower read asks for more than a page should. Published at GET /v1/limits. */
export const LIST_TIMEOUT_MS = 2_000;
/** Longer than Postgres lets any statement run: beyond it the connection is gone. */
const LIST_CONNECTION_TIMEOUT_MS = 5_000;
/** How long a read waits for a connection: as long as a running statement may take. */
const WAIT_MS = 2_000;
/** Half of WAIT_MS: a read that arrives while a connection rests gets it in time. */
const REST_MAX_MS = 1_000;
/** The most reads of one book that wait: more than a client that reads its answers has under way. */
const WAITING_PER_BOOK = 50;

/**
 * A list takes its order from an index. On a table that was never analyzed, a plan that gathers and sorts all rows
 * looks as good, and reads a whole book.
 */
export const BEGIN_LIST_READ = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${LIST_TIMEOUT_MS};
  SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off`;

/** SQLSTATE of a statement that Postgres has ended: query_canceled. */
const CANCELED = '57014';

export interface ListReads {
  /**
   * Runs reads of a book on a list connection, in one snapshot. `narrow` explains how to ask for less when the reads
   * take too long. Throws ApiError `service_unavailable` when they do, or when no connection is free in time.
   */
  read<Result>(bookId: Uuid, work: (db: Queryable) => Promise<Result>, narrow?: string): Promise<Result>;
}

/** On a pool of their own. */
export function openListReads(options: Omit<PoolOptions, 'queryTimeoutMs'>): ListReads & { close(): Promise<void> } {
  const pool = createPool({ ...options, queryTimeoutMs: LIST_CONNECTION_TIMEOUT_MS });
  return { ...createListReads(pool), close: () => pool.end() };
}

export function createListReads(pool: Pool): ListReads {
  const size = pool.options.max;
  const turns = new Turns({
    places: size,
    placesOfOne: Math.max(1, Math.floor(size / 2)),
    waitingOfOne: WAITING_PER_BOOK,
    waitMs: WAIT_MS,
  });
  return {
    async read(bookId, work, narrow = 'Ask for less at a time.') {
      if (!(await turns.take(bookId))) throw busy();
      const begun = performance.now();
      const rest = () => setTimeout(() => turns.give(bookId), Math.min(performance.now() - begun, REST_MAX_MS)).unref();
      try {
        return await inSnapshot(pool, work, rest);
      } catch (error) {
        throw isTimeout(error) ? tookTooLong(narrow) : error;
      }
    },
  };
}

/** Runs work behind BEGIN. The result does not wait for the end of the transaction; `done` is called after the end. */
async function inSnapshot<Result>(
  pool: Pool,
  work: (db: Queryable) => Promise<Result>,
  done: () => void,
): Promise<Result> {
  const connection = await pool.connect().catch((error: unknown) => {
    done();
    throw error;
  });
  const until = performance.now() + LIST_TIMEOUT_MS;
  // Postgres limits each statement of a read. No statement starts after the first limit, so a snapshot lasts for two
  // limits at most.
  const query = (...given: unknown[]) =>
    performance.now() > until
      ? Promise.reject(new ListTimeout())
      : (connection.query as (...given: unknown[]) => Promise<unknown>)(...given);
  const begun = connection.query(BEGIN_LIST_READ);
  // Awaited below. Until then a rejection would count as unhandled.
  begun.catch(() => undefined);
  try {
    const result = await work({ query } as Queryable);
    await begun;
    return result;
  } finally {
    connection
      .query('COMMIT')
      .then(
        () => connection.release(),
        (error: Error) => connection.release(error),
      )
      .finally(done);
  }
}

class ListTimeout extends Error {
  override name = 'ListTimeout';
}

function isTimeout(error: unknown): boolean {
  return error instanceof ListTimeout || (error as { code?: unknown } | undefined)?.code === CANCELED;
}

function tookTooLong(narrow: string): ApiError {
  return new ApiError('service_unavailable', {
    detail: `This could not be read within ${LIST_TIMEOUT_MS / 1_000} s. ${narrow}`,
    headers: { 'Retry-After': '1' },
  });
}

function busy(): ApiError {
  return new ApiError('service_unavailable', {
    detail: 'Too many lists are being read. Send fewer requests at a time.',
    headers: { 'Retry-After': '1' },
  });
}
