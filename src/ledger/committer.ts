/**
 * The committer: one writer a book in this process. Commands that arrive while a batch runs are committed together in
 * the next one. There is no timer: a lone command goes at once, and batches grow with the load. The book's row lock
 * keeps the writers of other processes apart.
 *
 * A book that is alone goes by its own path (book-lane.ts), and so do up to four busy ones. All others share batches
 * (shared-lane.ts), so that a commit costs the same whether its commands are of one book or of fifty.
 *
 * Every id is minted before the first attempt, so an attempt after a lost answer finds its own rows and answers the
 * same.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { previewCommand } from './batch.ts';
import type { BookId } from './book.ts';
import { BookLane } from './book-lane.ts';
import { BookQueue, unavailable } from './book-queue.ts';
import type { Command } from './command.ts';
import { SharedLane, type SharedLaneOptions } from './shared-lane.ts';
import type { Table } from './table.ts';

export interface CommitterOptions extends SharedLaneOptions {
  /** The most commands in one batch of a book alone. */
  maxBatch?: number;
  /** The most commands that may wait for one book; further ones are refused before anything is promised. */
  maxQueue?: number;
  /** The most commands that wait for all books. Beyond it a book gets no more than its part. */
  maxWaiting?: number;
  /** Books of one place may share a database transaction: all of one Postgres, those of one node where books are distributed. */
  placeOf?: (bookId: BookId) => string;
}

const MAX_QUEUE = 10_000;
/** Some 50 MB. */
const MAX_WAITING = 50_000;
/** The most rows that one command may touch. Bulk work is split into many commands. */
const MAX_TOUCHED = 1_000;
/** A command that touches more is not committed together with those of other books: it would hold them up. */
const MAX_TOUCHED_SHARED = 64;
/** Idle books whose queues are kept: a few hundred bytes each. */
const QUEUES_KEPT = 10_000;
const DEFAULT_DEADLINE_MS = 10_000;
/** How exact a deadline is while nothing else happens. */
const LOOK_AGAIN_MS = 50;
/** A book with as many commands waiting fills a batch of its own. */
const BUSY = 8;
/**
 * Lanes at once: of busy books, of books that must go alone, and shared. A busy book has two batches under way at most, as
 * has one that was alone, so that up to 16 ask for one of the ten connections (DATABASE_POOL_SIZE) and some wait for it.
 */
const LANES = 4;
const LANES_ALONE = 4;
const SHARED_LANES = 2;

export class Committer {
  readonly #options: CommitterOptions;
  readonly #queues = new Map<BookId, BookQueue>();
  /** Books with commands that no lane has taken. Those that waited first come first. */
  readonly #ready = new Set<BookQueue>();
  readonly #running = new Set<Promise<void>>();
  readonly #lane: BookLane;
  readonly #shared: SharedLane;
  #busy = 0;
  #alone = 0;
  #sharing = 0;
  /** Whether one of the shared batches waits for locks. */
  #lockWaiting = false;
  #looksAgain = false;
  /** Commands without an answer, and the books that they are of. */
  #waiting = 0;
  #waitingBooks = 0;
  #planned = false;
  #closed = false;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#lane = new BookLane(options);
    this.#shared = new SharedLane(options);
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
    const shareable = touched <= MAX_TOUCHED_SHARED && command.touches.every(({ table }) => this.#isShared(table));
    this.#waiting++;
    if (queue.open++ === 0) this.#waitingBooks++;
    if (!shareable) queue.unshareable++;
    const settled = () => {
      this.#waiting--;
      if (--queue.open === 0) this.#waitingBooks--;
      if (!shareable) queue.unshareable--;
    };
    return new Promise<Answer>((resolve, reject) => {
      queue.waiting.push({
        command: command as Command<unknown>,
        deadline: performance.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS),
        resolve(answer) {
          settled();
          resolve(answer as Answer);
        },
        reject(error) {
          settled();
          reject(error);
        },
      });
      if (!queue.taken) this.#ready.add(queue);
      this.#plan();
    });
  }

  preview<Answer>(bookId: BookId, command: Command<Answer>): Promise<Answer> {
    return previewCommand(this.#options, bookId, command);
  }

  /** Refuses further commands. Resolves once the accepted ones are done. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running.size > 0 || this.#ready.size > 0)
      await (this.#running.size > 0 ? Promise.race(this.#running) : delay(LOOK_AGAIN_MS));
  }

  #queue(bookId: BookId): BookQueue {
    let queue = this.#queues.get(bookId);
    if (!queue) {
      queue = new BookQueue(bookId);
      this.#queues.set(bookId, queue);
    }
    return queue;
  }

  /** Not endpoints: their rows are written without the book's lock too, and of several books in no order of ours. */
  #isShared(table: Table<unknown>): boolean {
    return table.pairs !== undefined && !this.#options.sink.endpoints.includes(table);
  }

  /** Whether a further command may wait for the book. Beyond what may wait in all, a book has its part of that. */
  #hasRoom(queue: BookQueue): boolean {
    const { maxQueue = MAX_QUEUE, maxWaiting = MAX_WAITING } = this.#options;
    if (queue.waiting.length >= maxQueue) return false;
    return this.#waiting < maxWaiting || queue.open < Math.floor(maxWaiting / Math.max(this.#waitingBooks, 1));
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
      for (const queue of this.#ready) this.#runLane(queue, this.#lane.run(queue), () => {});
      return;
    }
    this.#dispatchAlone();
    this.#dispatchBusy();
    this.#dispatchShared();
    if (this.#ready.size > 0) this.#lookAgain();
  }

  /** What waits for a lane keeps its deadline, and a book that rests is attempted again, although nothing else happens. */
  #lookAgain(): void {
    if (this.#looksAgain) return;
    this.#looksAgain = true;
    setTimeout(() => {
      this.#looksAgain = false;
      for (const queue of this.#ready) this.#dropExpired(queue);
      this.#dispatch();
    }, LOOK_AGAIN_MS);
  }

  /** A batch each: a book that is held or fails keeps no lane. */
  #dispatchAlone(): void {
    const now = performance.now();
    for (const queue of this.#ready) {
      if (this.#alone === LANES_ALONE) return;
      if (!queue.goesAlone || queue.restsUntil > now) continue;
      this.#alone++;
      this.#runLane(queue, this.#lane.runOnce(queue), () => this.#alone--);
    }
  }

  /** In order of arrival: after its turn a busy book is behind the others. */
  #dispatchBusy(): void {
    for (const queue of this.#ready) {
      if (this.#busy === LANES) return;
      if (!this.#isBusy(queue)) continue;
      this.#busy++;
      const othersWait = () => [...this.#ready].some((other) => this.#isBusy(other));
      this.#runLane(queue, this.#lane.run(queue, { othersWait }), () => this.#busy--);
    }
  }

  #isBusy(queue: BookQueue): boolean {
    return queue.waiting.length >= BUSY && !queue.goesAlone;
  }

  /** What another process held goes first and waits for its locks, in one batch at a time: the others are not held up. */
  #dispatchShared(): void {
    while (this.#sharing < SHARED_LANES) {
      const shareable = [...this.#ready].filter((queue) => !queue.goesAlone);
      const skipped = this.#lockWaiting ? [] : shareable.filter((queue) => queue.skipped);
      const wait = skipped.length > 0;
      const books = wait ? skipped : shareable.filter((queue) => !queue.skipped);
      const taken = this.#shared.take(this.#ofOnePlace(books), { wait });
      if (taken.length === 0) return;
      this.#sharing++;
      this.#lockWaiting ||= wait;
      for (const { queue } of taken) this.#ready.delete(queue);
      this.#run(
        this.#shared.carryOut(taken, { wait }).then((failure) => {
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

  /** Those of the first one's place. */
  #ofOnePlace(queues: readonly BookQueue[]): readonly BookQueue[] {
    const { placeOf } = this.#options;
    if (!placeOf || queues.length === 0) return queues;
    const place = placeOf(queues[0]!.bookId);
    return queues.filter(({ bookId }) => placeOf(bookId) === place);
  }

  #runLane(queue: BookQueue, work: Promise<void>, onEnd: () => void): void {
    queue.taken = true;
    queue.skipped = false;
    this.#ready.delete(queue);
    this.#run(work, () => {
      onEnd();
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
    if (queue.waiting.length === 0) this.#ready.delete(queue);
  }

  #release(queue: BookQueue): void {
    queue.taken = false;
    if (queue.waiting.length > 0) this.#ready.add(queue);
    else if (this.#queues.size > QUEUES_KEPT) this.#queues.delete(queue.bookId);
  }
}
