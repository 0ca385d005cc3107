/**
 * Commits the waiting commands of several quiet books in shared batches. A lock that is not granted or a row that Postgres
 * refuses concerns one book: the other books are committed without it.
 *
 * Failures by class:
 * - A lock that is not granted, a time limit, another writer (an obstacle, BookMoved, RowCountMismatch): the batch is
 *   dissolved, and each of its books is isolated for one batch.
 * - Another transient failure (the database is unreachable, the answer to COMMIT is lost): all books are retried with backoff,
 *   in new groups. If one row can be the cause, a book for which the failure occurs again is isolated.
 * - Another failure of the batch: it is halved until the failing book is found. That book is isolated for a minute.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  classifyFailure,
  isReadTimeout,
  type Obstacle,
  obstacleOf,
  RowCountMismatch,
} from '../../db/postgres-errors.ts';
import type { BookId } from '../book/book.ts';
import { BookMoved } from '../book/book-store.ts';
import type { BatchContext } from './batch.ts';
import { type AfterCommit, answerBatch, type BookQueue, type Waiting } from './book-queue.ts';
import { runSharedBatch, type SharedResult } from './shared-batch.ts';

/** A book with the commands that were taken from its queue. */
export interface TakenBook {
  readonly queue: BookQueue;
  readonly batch: readonly Waiting[];
}

/** Most commands and books in one shared batch, and most commands of one book. */
const COMMANDS_MAX = 256;
const BOOKS_MAX = 64;
const COMMANDS_OF_BOOK_MAX = 32;
/** Most books in a batch that waits for locks: it waits up to 200 ms for each, and holds the locks of the others meanwhile. */
const WAITING_BOOKS_MAX = 8;
/** A batch that holds its locks for longer is followed by a smaller one: other processes wait for the same books. */
const HELD_MS = 25;
const COMMANDS_LEAST = 16;
const GROWTH = 1.25;
const FIRST_RETRY_MS = 20;
/** Deadlines are checked after each pause. */
const LAST_RETRY_MS = 250;
const ISOLATED_MS = 60_000;

export type DissolveReason =
  | Obstacle
  /** Another transaction wrote a book without holding its lock. */
  | 'moved'
  /** A row was no longer at the `ctid` where the update statement had found it. */
  | 'row';

/** The batch that was dissolved. */
export interface DissolvedBatch {
  readonly error: unknown;
  readonly bookIds: readonly BookId[];
  readonly commands: number;
}

export interface SharedCommitterOptions extends BatchContext, AfterCommit {
  onDissolved?: (reason: DissolveReason, batch: DissolvedBatch) => void;
  /** See HELD_MS. */
  heldMs?: number;
}

export class SharedCommitter {
  readonly #options: SharedCommitterOptions;
  /** How many commands the next batch may have. */
  #commandsMax = COMMANDS_MAX;
  /** Consecutive attempts that failed because the database was unreachable. */
  #failures = 0;

  constructor(options: SharedCommitterOptions) {
    this.#options = options;
  }

  /** Takes as many commands of these books, in their order, as one batch may have. */
  take(queues: Iterable<BookQueue>, { wait }: { wait: boolean }): TakenBook[] {
    const taken: TakenBook[] = [];
    const booksMax = wait ? WAITING_BOOKS_MAX : BOOKS_MAX;
    let room = this.#commandsMax;
    for (const queue of queues) {
      if (room === 0 || taken.length === booksMax) break;
      queue.takeShared();
      const batch = queue.takeBatch(Math.min(room, COMMANDS_OF_BOOK_MAX));
      room -= batch.length;
      taken.push({ queue, batch });
    }
    return taken;
  }

  /**
   * Commits the commands that `take` returned. Resolves when every command has its answer or is back at the front of
   * its queue, whose state then decides how the book continues. Resolves to the error if the database is unreachable
   * for all books.
   */
  async carryOut(taken: readonly TakenBook[], { wait }: { wait: boolean }): Promise<unknown> {
    const byId = [...taken].sort((a, b) => (a.queue.bookId < b.queue.bookId ? -1 : 1));
    const books = byId.map(({ queue, batch }) => ({
      bookId: queue.bookId,
      commands: batch.map(({ command }) => command),
    }));
    let result: SharedResult;
    try {
      result = await runSharedBatch(this.#options, { books, wait });
    } catch (error) {
      return this.#onFailure(taken, { wait, error });
    }
    this.#failures = 0;
    this.#adapt(result.heldMs);
    for (const { queue, batch } of taken) {
      const decided = result.decided.get(queue.bookId);
      if (decided) {
        queue.committed(decided);
        answerBatch(this.#options, { bookId: queue.bookId, batch, result: decided });
      } else if (wait) {
        // A book that was waited for and is absent does not exist: a batch of its own answers with that error.
        queue.isolate(batch);
      } else {
        queue.skip(batch);
      }
    }
    return undefined;
  }

  async #onFailure(taken: readonly TakenBook[], { wait, error }: { wait: boolean; error: unknown }): Promise<unknown> {
    const reason = dissolveReason(error);
    const bookIds = taken.map(({ queue }) => queue.bookId);
    const commands = taken.reduce((sum, { batch }) => sum + batch.length, 0);
    if (reason) {
      this.#options.onDissolved?.(reason, { error, bookIds, commands });
      for (const { queue, batch } of taken) queue.isolate(batch);
      return undefined;
    }
    if (classifyFailure(error) === 'transient') {
      this.#failures++;
      this.#options.onError?.(error, { bookIds, commands, attempt: this.#failures });
      await delay(Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LAST_RETRY_MS));
      const ofOneBook = mayBeOfOneBook(error);
      for (const { queue, batch } of taken) {
        queue.putBack(batch);
        queue.dropExpired(error);
        if (ofOneBook) queue.suspect();
      }
      return error;
    }
    if (taken.length === 1) {
      const [{ queue, batch }] = taken as [TakenBook];
      queue.isolateFor(batch, ISOLATED_MS);
      return undefined;
    }
    const middle = taken.length >> 1;
    const first = await this.carryOut(taken.slice(0, middle), { wait });
    const second = await this.carryOut(taken.slice(middle), { wait });
    return first ?? second;
  }

  #adapt(heldMs: number): void {
    const { heldMs: mostMs = HELD_MS } = this.#options;
    const factor = heldMs > mostMs ? mostMs / heldMs : GROWTH;
    this.#commandsMax = Math.round(Math.min(Math.max(this.#commandsMax * factor, COMMANDS_LEAST), COMMANDS_MAX));
  }
}

/**
 * A failure of the database that one row can cause: a page that cannot be read, too little memory or space, a serialization
 * failure; or statements that together exceed the time limit of a batch. When it occurs again for a book, the book is
 * isolated, whether or not other books' batches have succeeded meanwhile.
 */
function mayBeOfOneBook(error: unknown): boolean {
  return isReadTimeout(error) || /^(58|40|53[12])/.test(String((error as { code?: unknown } | null)?.code));
}

/** Undefined if the books may stay in one batch. */
function dissolveReason(error: unknown): DissolveReason | undefined {
  if (error instanceof BookMoved) return 'moved';
  return error instanceof RowCountMismatch ? 'row' : obstacleOf(error);
}
