/**
 * The committer: one writer a book in this process. Commands that arrive while a batch runs are committed together in
 * the next one. There is no timer: a lone command goes at once, and batches grow with the load. The book's row lock
 * keeps the writers of other processes apart.
 *
 * A book has batches of its own (book-committer.ts) when no other book has commands, when it is one of up to four busy
 * books, or when it is isolated. All other books share batches (shared-committer.ts), so that a commit costs the same
 * whether its commands are of one book or of fifty.
 *
 * Ids are generated before the first attempt. An attempt after a lost COMMIT answer finds its own rows and returns the
 * same answers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { BookId } from '../book/book.ts';
import type { Command } from '../command/command.ts';
import type { Table } from '../rows/table.ts';
import { BookCommitter } from './book-committer.ts';
import { BookQueue, unavailable, type Waiting } from './book-queue.ts';
import { Previews } from './previews.ts';
import { SharedCommitter, type SharedCommitterOptions } from './shared-committer.ts';

export interface CommitterOptions extends SharedCommitterOptions {
  /** The most commands in one batch of one book. */
  maxBatch?: number;
  /** The most commands that may wait for one book; further ones are refused before anything is promised. */
  maxQueue?: number;
  /** The most commands that wait for all books. Beyond it a book gets an equal part at most. */
  maxWaiting?: number;
  /** The database node of a book, where books are distributed over nodes. Only books of one node share a transaction. */
  nodeOf?: (bookId: BookId) => string;
}

const MAX_QUEUE = 10_000;
/** Some 50 MB. */
const MAX_WAITING = 50_000;
/** The most rows that one command may touch. Bulk work is split into many commands. */
export const MAX_TOUCHED = 1_000;
/** A command that touches more is not committed together with those of other books: it would hold them up. */
const MAX_TOUCHED_SHARED = 64;
/** Idle books whose queues are kept: a few hundred bytes each. */
const QUEUES_KEPT = 10_000;
const DEFAULT_DEADLINE_MS = 10_000;
/** How often the deadlines of waiting commands and the ends of backoffs are checked. */
const CHECK_EVERY_MS = 50;
/** A book with at least this many waiting commands is busy and gets batches of its own. */
const BUSY_COMMANDS = 8;
/**
 * How many busy books, isolated books and shared batches are in progress at once. A busy book has at most two batches in
 * progress, and so has a book that was the only one. So up to 16 batches request one of the ten connections
 * (DATABASE_POOL_SIZE), and some of them wait.
 */
const BUSY_BOOKS_MAX = 4;
const ISOLATED_BOOKS_MAX = 4;
const SHARED_BATCHES_MAX = 2;

export class Committer {
  readonly #options: CommitterOptions;
  readonly #queues = new Map<BookId, BookQueue>();
  /** Exactly the queues that are `ready`, in the order in which they became so. */
  readonly #ready = new Set<BookQueue>();
  readonly #running = new Set<Promise<void>>();
  readonly #bookCommitter: BookCommitter;
  readonly #sharedCommitter: SharedCommitter;
  readonly #previews: Previews;
  #busy = 0;
  #isolated = 0;
  #sharing = 0;
  /** Whether one of the shared batches in progress waits for locks. */
  #lockWaiting = false;
  #checkScheduled = false;
  /** Commands without an answer, and how many books they belong to. */
  #waiting = 0;
  #waitingBooks = 0;
  #planned = false;
  #closed = false;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#bookCommitter = new BookCommitter(options);
    this.#sharedCommitter = new SharedCommitter(options);
    this.#previews = new Previews(options);
  }

  /**
   * Carries out a command. Resolves with the answer once the command is committed. Rejects with ApiError
   * `service_unavailable` when the commit is not certain before the deadline (10 s by default): the command may still
   * be committed, so repeat it under the same ids. Rejects with the decision's own exception, with the database's error
   * when Postgres refuses the command, and with RangeError for more than 1,000 touched rows.
   */
  submit<Answer>(bookId: BookId, command: Command<Answer>, options: { deadlineMs?: number } = {}): Promise<Answer> {
    if (this.#closed) return Promise.reject(unavailable('This process is stopping.'));
    const touched = command.touches.reduce((sum, { ids }) => sum + ids.length, 0);
    if (touched > MAX_TOUCHED)
      return Promise.reject(
        new RangeError(`${command.name} touches ${touched} rows, at most ${MAX_TOUCHED} are allowed`),
      );
    const queue = this.#queue(bookId);
    if (!this.#hasRoom(queue)) return Promise.reject(unavailable('Too many requests are waiting for this book.'));
    const shareable =
      touched <= MAX_TOUCHED_SHARED &&
      command.touches.every(({ table, ids }) => ids.length === 0 || this.#isShared(table));
    return new Promise<Answer>((resolve, reject) => {
      const waiting: Waiting = {
        command: command as Command<unknown>,
        deadline: performance.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS),
        shareable,
        resolve: (answer) => {
          this.#answered(queue, waiting);
          resolve(answer as Answer);
        },
        reject: (error) => {
          this.#answered(queue, waiting);
          reject(error);
        },
      };
      this.#arrive(queue, waiting);
      this.#plan();
    });
  }

  preview<Answer>(bookId: BookId, command: Command<Answer>): Promise<Answer> {
    return this.#previews.preview(bookId, command);
  }

  /** Refuses further commands. Resolves once the accepted ones are done. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running.size > 0 || this.#ready.size > 0)
      await (this.#running.size > 0 ? Promise.race(this.#running) : delay(CHECK_EVERY_MS));
  }

  #arrive(queue: BookQueue, waiting: Waiting): void {
    if (queue.unanswered === 0) this.#waitingBooks++;
    this.#waiting++;
    queue.arrive(waiting);
    if (queue.state === 'ready') this.#ready.add(queue);
  }

  #answered(queue: BookQueue, waiting: Waiting): void {
    queue.answered(waiting);
    this.#waiting--;
    if (queue.unanswered === 0) this.#waitingBooks--;
  }

  #queue(bookId: BookId): BookQueue {
    let queue = this.#queues.get(bookId);
    if (!queue) {
      queue = new BookQueue(bookId);
      this.#queues.set(bookId, queue);
    }
    return queue;
  }

  /** Not endpoints: workers write their rows without the book's lock, so a batch of several books could deadlock with them. */
  #isShared(table: Table<unknown>): boolean {
    return table.pairs !== undefined && !this.#options.sink.endpoints.includes(table);
  }

  /**
   * Whether a further command may wait for the book. Once the process is full, the room is divided equally among books.
   */
  #hasRoom(queue: BookQueue): boolean {
    const { maxQueue = MAX_QUEUE, maxWaiting = MAX_WAITING } = this.#options;
    if (queue.size >= maxQueue) return false;
    return this.#waiting < maxWaiting || queue.unanswered < Math.floor(maxWaiting / Math.max(this.#waitingBooks, 1));
  }

  /** One turn of the event loop: requests that were read together are committed together. */
  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    if (this.#running.size === 0 && this.#ready.size === 1) {
      for (const queue of this.#ready) this.#runBook(queue, () => this.#bookCommitter.run(queue));
      return;
    }
    this.#dispatchIsolated();
    this.#dispatchBusy();
    this.#dispatchShared();
    if (this.#ready.size > 0) this.#scheduleCheck();
  }

  /** Waiting commands keep their deadlines, and a book is attempted again after its backoff, even if no other command arrives. */
  #scheduleCheck(): void {
    if (this.#checkScheduled) return;
    this.#checkScheduled = true;
    setTimeout(() => {
      this.#checkScheduled = false;
      for (const queue of this.#ready) this.#dropExpired(queue);
      this.#dispatch();
    }, CHECK_EVERY_MS);
  }

  /** One batch each, so that a book that is locked or fails does not occupy one of the few slots of isolated books. */
  #dispatchIsolated(): void {
    const now = performance.now();
    for (const queue of this.#ready) {
      if (this.#isolated === ISOLATED_BOOKS_MAX) return;
      if (!queue.isIsolated || queue.backsOff(now)) continue;
      this.#isolated++;
      this.#runBook(
        queue,
        () => this.#bookCommitter.runOnce(queue),
        () => this.#isolated--,
      );
    }
  }

  /** In the order in which they began to wait: after its turn a busy book goes behind the others. */
  #dispatchBusy(): void {
    for (const queue of this.#ready) {
      if (this.#busy === BUSY_BOOKS_MAX) return;
      if (!this.#isBusy(queue)) continue;
      this.#busy++;
      const othersWait = () => [...this.#ready].some((other) => this.#isBusy(other));
      this.#runBook(
        queue,
        () => this.#bookCommitter.run(queue, { othersWait }),
        () => this.#busy--,
      );
    }
  }

  #isBusy(queue: BookQueue): boolean {
    return queue.size >= BUSY_COMMANDS && !queue.isIsolated;
  }

  /** Books that a shared batch skipped go first, in a batch that waits for their locks. Only one such batch runs at a time. */
  #dispatchShared(): void {
    while (this.#sharing < SHARED_BATCHES_MAX) {
      const shareable = [...this.#ready].filter((queue) => !queue.isIsolated);
      const skipped = this.#lockWaiting ? [] : shareable.filter(({ nextBatch }) => nextBatch === 'waiting');
      const wait = skipped.length > 0;
      const books = wait ? skipped : shareable.filter(({ nextBatch }) => nextBatch === 'any');
      const taken = this.#sharedCommitter.take(this.#ofOneNode(books), { wait });
      if (taken.length === 0) return;
      this.#sharing++;
      this.#lockWaiting ||= wait;
      for (const { queue } of taken) this.#ready.delete(queue);
      this.#run(
        this.#sharedCommitter.carryOut(taken, { wait }).then((failure) => {
          if (failure === undefined) return;
          // The commands that wait in the queues wait for the same reason.
          for (const queue of this.#ready) this.#dropExpired(queue, failure);
        }),
        () => {
          this.#sharing--;
          if (wait) this.#lockWaiting = false;
          for (const { queue } of taken) this.#release(queue);
        },
      );
    }
  }

  /** The books that are on the same database node as the first one. */
  #ofOneNode(queues: readonly BookQueue[]): readonly BookQueue[] {
    const { nodeOf } = this.#options;
    if (!nodeOf || queues.length === 0) return queues;
    const node = nodeOf(queues[0]!.bookId);
    return queues.filter(({ bookId }) => nodeOf(bookId) === node);
  }

  #runBook(queue: BookQueue, begin: () => Promise<void>, onEnd?: () => void): void {
    queue.takeAlone();
    this.#ready.delete(queue);
    this.#run(begin(), () => {
      onEnd?.();
      this.#release(queue);
    });
  }

  #run(work: Promise<unknown>, onEnd: () => void): void {
    const running = work
      .then(() => undefined)
      .finally(() => {
        this.#running.delete(running);
        onEnd();
        this.#plan();
      });
    this.#running.add(running);
  }

  #dropExpired(queue: BookQueue, error?: unknown): void {
    queue.dropExpired(error);
    if (queue.state === 'idle') this.#ready.delete(queue);
  }

  #release(queue: BookQueue): void {
    queue.release();
    if (queue.state === 'ready') this.#ready.add(queue);
    else if (this.#queues.size > QUEUES_KEPT) this.#queues.delete(queue.bookId);
  }
}
