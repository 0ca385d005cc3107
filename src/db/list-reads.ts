/**
 * Connections for lists alone: what somebody asks of a large book never takes a connection that money waits for. Each read is
 * one read-only transaction with one snapshot, and Postgres ends a statement after two seconds. The settings are made
 * behind BEGIN and travel with the first statement, because PgBouncer refuses them as start-up parameters.
 *
 * One book has at most half of the connections, and those that wait are taken in turn by book. A connection rests as long as a
 * read took (REST_MAX_MS at most): who reads one page after another has two of them by turns and waits for none, and the short
 * reads of one who asks for many at once take half of the processor's time that they could.
 */
import { ApiError } from '../errors.ts';
import type { Uuid } from '../ids.ts';
import type { Pool, Queryable } from './pool.ts';
import { Turns } from './turns.ts';

/** A page takes some milliseconds; what takes longer asks for more than a page should. Published at GET /v1/limits. */
export const LIST_TIMEOUT_MS = 2_000;
/** Beyond what Postgres ends by itself: the connection is gone. */
export const LIST_CONNECTION_TIMEOUT_MS = 5_000;
/** Waiting for a connection: as long as those that have one may take for a statement. */
const WAIT_MS = 2_000;
/** Half of WAIT_MS: who comes while a connection rests has it in time. */
const REST_MAX_MS = 1_000;
/** Reads of one book that wait: more than a client has under way that reads its answers. */
const WAITING_PER_BOOK = 50;

/**
 * Lists take their order from an index. On a table that was never analyzed a plan that gathers all rows and sorts them looks
 * as good, and reads a whole book.
 */
export const BEGIN_LIST_READ = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${LIST_TIMEOUT_MS};
  SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off`;

/** What Postgres says of a statement that it has ended: query_canceled. */
const CANCELED = '57014';

export interface ListReads {
  /**
   * Runs reads of a book on a connection for lists, in one snapshot. `narrow` says in words what the caller may do where they
   * take too long. Throws ApiError `service_unavailable` when they do, or when no connection comes free in time.
   */
  read<Result>(bookId: Uuid, work: (db: Queryable) => Promise<Result>, narrow?: string): Promise<Result>;
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

/** Runs work behind BEGIN. Its answer does not wait for the end of the transaction; `done` is called after that. */
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
  // A read has several statements, and Postgres counts the time of each: a snapshot is never held for longer than two limits.
  const query = (...given: unknown[]) =>
    performance.now() > until
      ? Promise.reject(new ListTimeout())
      : (connection.query as (...given: unknown[]) => Promise<unknown>)(...given);
  const begun = connection.query(BEGIN_LIST_READ);
  // Whoever waits for it is told.
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
