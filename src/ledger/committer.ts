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
/** A book with as many commands waiting fills a batch of its own. */
const BUSY = 8;
/**
 * Lanes at once: of busy books, of books that must go alone, and shared. A lane of one book has two batches under way at
 * most, so that up to 18 ask for one of the ten connections (DATABASE_POOL_SIZE) and some wait for it.
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
  #waiting = 0;
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
    if (this.#closed) return Promise.reject(unavailable('This process is stopping'));
    const touched = command.touches.reduce((sum, { ids }) => sum + ids.length, 0);
    if (touched > MAX_TOUCHED)
      return Promise.reject(
        new RangeError(`${command.name} touches ${touched} rows, at most ${MAX_TOUCHED} are allowed`),
      );
    const queue = this.#queue(bookId);
    if (queue.waiting.length >= this.#roomOfBook())
      return Promise.reject(unavailable('Too many requests are waiting for this book'));
    const shareable = touched <= MAX_TOUCHED_SHARED && command.touches.every(({ table }) => this.#isShared(table));
    this.#waiting++;
    if (!shareable) queue.unshareable++;
    const settled = () => {
      this.#waiting--;
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
      await Promise.race([...this.#running, ...(this.#running.size === 0 ? [new Promise(setImmediate)] : [])]);
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

  /** How many commands may wait for one book. */
  #roomOfBook(): number {
    const { maxQueue = MAX_QUEUE, maxWaiting = MAX_WAITING } = this.#options;
    if (this.#waiting < maxWaiting) return maxQueue;
    return Math.min(maxQueue, Math.floor(maxWaiting / Math.max(this.#ready.size, 1)));
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
      for (const queue of this.#ready) this.#runLane(queue, () => {});
      return;
    }
    this.#dispatchAlone();
    this.#dispatchBusy();
    this.#dispatchShared();
  }

  #dispatchAlone(): void {
    for (const queue of this.#ready) {
      if (!queue.goesAlone) continue;
      if (this.#alone < LANES_ALONE) {
        this.#alone++;
        this.#runLane(queue, () => this.#alone--);
      } else {
        // A lane may be slow: what waits for it keeps its deadline.
        this.#dropExpired(queue);
      }
    }
  }

  /** Those with most waiting. */
  #dispatchBusy(): void {
    if (this.#busy === LANES) return;
    const busy = [...this.#ready].filter((queue) => queue.waiting.length >= BUSY && !queue.goesAlone);
    busy.sort((a, b) => b.waiting.length - a.waiting.length);
    for (const queue of busy.slice(0, LANES - this.#busy)) {
      this.#busy++;
      this.#runLane(queue, () => this.#busy--);
    }
  }

  /** What another process held goes first, and waits for its locks. */
  #dispatchShared(): void {
    while (this.#sharing < SHARED_LANES) {
      const shareable = [...this.#ready].filter((queue) => !queue.goesAlone);
      const skipped = shareable.filter((queue) => queue.skipped);
      const wait = skipped.length > 0;
      const taken = this.#shared.take(this.#ofOnePlace(wait ? skipped : shareable));
      if (taken.length === 0) return;
      this.#sharing++;
      for (const { queue } of taken) this.#ready.delete(queue);
      this.#run(
        this.#shared.carryOut(taken, { wait }).then((failure) => {
          if (failure === undefined) return;
          // The commands that wait in the queues wait for the same reason.
          for (const queue of this.#ready) this.#dropExpired(queue, failure);
        }),
        () => {
          this.#sharing--;
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

  #runLane(queue: BookQueue, onEnd: () => void): void {
    queue.taken = true;
    this.#ready.delete(queue);
    this.#run(this.#lane.run(queue), () => {
      queue.alone = false;
      queue.skipped = false;
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
