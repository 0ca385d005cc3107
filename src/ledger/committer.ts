/**
 * The committer: one writer a book in this process. Commands that arrive while a batch runs are committed together in
 * the next one. There is no timer: a lone command goes at once, and batches grow with the load. The book's row lock
 * keeps the writers of other processes apart.
 *
 * Failures by class (db/postgres-errors.ts):
 * - The failure is transient: the whole batch waits and is attempted again until its deadlines.
 * - The batch fails otherwise: it is halved until the failing command is alone.
 * - A decision throws: its command fails alone.
 *
 * Every id is minted before the first attempt, so an attempt after a lost answer finds its own rows and answers the
 * same.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { classifyFailure } from '../db/postgres-errors.ts';
import { ApiError } from '../errors.ts';
import type { Uuid } from '../ids.ts';
import { type Batch, type BatchContext, type BatchResult, mayFollow, previewCommand, runBatch } from './batch.ts';
import type { BookId } from './book.ts';
import type { Command, JobRow } from './command.ts';
import type { BookState } from './state.ts';

export interface CommitterOptions extends BatchContext {
  /** Enqueues the jobs of a commit that is certain. Must not throw or wait. */
  enqueue: (bookId: BookId, jobs: JobRow[]) => void;
  /** The most commands in one batch. */
  maxBatch?: number;
  /** The most commands that may wait for one book; further ones are refused before anything is promised. */
  maxQueue?: number;
  onError?: (error: unknown, facts: { bookId: BookId; commands: number; attempt: number }) => void;
}

/** As many as one transaction commits without holding the lock for long: measured by `npm run bench -- ledger`. */
const MAX_BATCH = 1_000;
const MAX_QUEUE = 10_000;
/** The most rows that one command may touch. Bulk work is split into many commands. */
const MAX_TOUCHED = 1_000;
/** Two batches take turns, best when they are alike: one takes at most half of what waits, unless that is fewer than this. */
const WORTH_HALVING = 8;
/** Idle books whose queues are kept: a few hundred bytes each. */
const QUEUES_KEPT = 10_000;
const DEFAULT_DEADLINE_MS = 10_000;
const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 1_000;

interface Waiting {
  command: Command<unknown>;
  deadline: number;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

interface BookQueue {
  waiting: Waiting[];
  running: Promise<void> | null;
  /** Id of the last batch that this process decided. */
  mark?: Uuid;
  /**
   * Whether the book was as that batch left it. If not, another process writes the book too, and more often than not
   * writes between a batch and the next one decided ahead.
   */
  alone: boolean;
}

/** A batch under way. */
interface Underway {
  readonly size: number;
  /** Resolves once the writes are on their way, or the batch has ended. */
  decided: Promise<void>;
  /** Resolves once only the commit is outstanding, or the batch has ended. */
  committing: Promise<void>;
  /** Resolves once every command of the batch has its answer. Never rejects. */
  over: Promise<void>;
  /** The state over which the next batch may be decided. */
  leaves?: BookState;
}

interface Hooks extends Pick<Batch, 'follows' | 'onDecided' | 'onCommitting'> {
  join?: (taken: number) => Waiting[];
  /** Resolves once the batch that this one follows has ended. */
  first?: Promise<void>;
  /** Called when an attempt fails: the decided state is void. */
  onUndecided?: () => void;
}

export class Committer {
  readonly #options: CommitterOptions;
  readonly #queues = new Map<BookId, BookQueue>();
  #closed = false;

  constructor(options: CommitterOptions) {
    this.#options = options;
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
    if (queue.waiting.length >= (this.#options.maxQueue ?? MAX_QUEUE))
      return Promise.reject(unavailable('Too many requests are waiting for this book'));
    return new Promise<Answer>((resolve, reject) => {
      const deadline = performance.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS);
      queue.waiting.push({
        command: command as Command<unknown>,
        deadline,
        resolve: resolve as (answer: unknown) => void,
        reject,
      });
      queue.running ??= this.#run(bookId, queue);
    });
  }

  preview<Answer>(bookId: BookId, command: Command<Answer>): Promise<Answer> {
    return previewCommand(this.#options, bookId, command);
  }

  /** Refuses further commands. Resolves once the accepted ones are done. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#queues.values()].map((queue) => queue.running));
  }

  #queue(bookId: BookId): BookQueue {
    let queue = this.#queues.get(bookId);
    if (!queue) {
      queue = { waiting: [], running: null, alone: false };
      this.#queues.set(bookId, queue);
    }
    return queue;
  }

  async #run(bookId: BookId, queue: BookQueue): Promise<void> {
    // One turn of the event loop: requests that were read together are committed together.
    await new Promise(setImmediate);
    let last: Underway | undefined;
    let idle = true;
    while (queue.waiting.length > 0) {
      const current = this.#begin(bookId, queue, last, idle);
      idle = false;
      await current.decided;
      // At most two batches are under way: one commits, and the next one follows it.
      await last?.over;
      if (!current.leaves || queue.waiting.length === 0) await current.committing;
      last = current;
      if (queue.waiting.length === 0) {
        await last.over;
        idle = true;
      }
    }
    queue.running = null;
    if (this.#queues.size > QUEUES_KEPT) this.#queues.delete(bookId);
  }

  #begin(bookId: BookId, queue: BookQueue, before: Underway | undefined, idle: boolean): Underway {
    const room = this.#options.maxBatch ?? MAX_BATCH;
    const gathered = queue.waiting.length;
    const half = Math.ceil((gathered + (idle ? 0 : (before?.size ?? 0))) / 2);
    const halved = queue.alone && half < gathered && half >= WORTH_HALVING;
    const batch = queue.waiting.splice(0, Math.min(room, halved ? half : gathered));
    let onDecided!: () => void;
    let onCommitting!: () => void;
    const underway: Underway = {
      size: batch.length,
      decided: new Promise((resolve) => {
        onDecided = resolve;
      }),
      committing: new Promise((resolve) => {
        onCommitting = resolve;
      }),
      over: Promise.resolve(),
    };
    underway.over = this.#carryOut(bookId, batch, {
      follows: before?.leaves,
      first: before?.over,
      // The other half waits for the next batch.
      join: (taken) => (halved ? [] : queue.waiting.splice(0, Math.max(room - taken, 0))),
      onDecided: (state) => {
        queue.alone = state.after === queue.mark;
        queue.mark = state.book.batchId;
        underway.leaves = queue.alone ? state : undefined;
        onDecided();
      },
      onUndecided: () => {
        underway.leaves = undefined;
      },
      onCommitting,
    }).finally(() => {
      onDecided();
      onCommitting();
    });
    return underway;
  }

  async #carryOut(bookId: BookId, batch: Waiting[], hooks: Hooks = {}): Promise<void> {
    let pending = batch;
    let before = hooks.follows;
    for (let attempt = 1; pending.length > 0; attempt++) {
      const commands = pending.map(({ command }) => command);
      if (before && !mayFollow(this.#options.sink, before, commands)) before = undefined;
      let result: BatchResult;
      try {
        result = await runBatch(this.#options, {
          bookId,
          commands,
          follows: before,
          onDecided: hooks.onDecided,
          onCommitting: hooks.onCommitting,
          join: () => {
            const joined = hooks.join?.(pending.length) ?? [];
            pending = [...pending, ...joined];
            return joined.map(({ command }) => command);
          },
        });
      } catch (error) {
        hooks.onUndecided?.();
        const transient = classifyFailure(error) === 'transient';
        if (before && !transient) {
          // The batch may have been decided over a state that was never committed. It is decided again over the current
          // state, and not before the batch that it follows has ended.
          before = undefined;
          await hooks.first;
          pending = dropExpired(pending, error);
          continue;
        }
        before = undefined;
        this.#options.onError?.(error, { bookId, commands: pending.length, attempt });
        if (!transient) return this.#isolate(bookId, pending, error);
        // The commands in the queue wait for the same reason.
        const queue = this.#queue(bookId);
        await delay(pauseMs(attempt, [...pending, ...queue.waiting]));
        pending = dropExpired(pending, error);
        queue.waiting = dropExpired(queue.waiting, error);
        continue;
      }
      // Outside the try: a committed batch is never carried out again.
      this.#settle(bookId, pending, result);
      return;
    }
  }

  /**
   * One of these commands cannot be written. The batch is halved until that command is alone; the others are committed
   * in order of arrival.
   */
  async #isolate(bookId: BookId, batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      batch[0]!.reject(error);
      return;
    }
    const middle = batch.length >> 1;
    await this.#carryOut(bookId, batch.slice(0, middle));
    await this.#carryOut(bookId, batch.slice(middle));
  }

  #settle(bookId: BookId, batch: Waiting[], { decisions, jobs }: BatchResult): void {
    try {
      if (jobs.length > 0) this.#options.enqueue(bookId, jobs);
    } catch (error) {
      // A lost job costs time, never an answer.
      this.#options.onError?.(error, { bookId, commands: batch.length, attempt: 1 });
    }
    for (let index = 0; index < batch.length; index++) {
      const decision = decisions[index]!;
      if ('error' in decision) batch[index]!.reject(decision.error);
      else batch[index]!.resolve(decision.answer);
    }
  }
}

/** Doubles with each attempt. Ends at the earliest deadline, but lasts at least 20 ms. */
function pauseMs(attempt: number, batch: readonly Waiting[]): number {
  const pause = Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LAST_RETRY_MS);
  const earliest = batch.reduce((least, { deadline }) => Math.min(least, deadline), Number.POSITIVE_INFINITY);
  return Math.max(Math.min(pause, earliest - performance.now()), FIRST_RETRY_MS);
}

function dropExpired(batch: readonly Waiting[], error: unknown): Waiting[] {
  const now = performance.now();
  return batch.filter((waiting) => {
    if (waiting.deadline > now) return true;
    waiting.reject(unavailable('The ledger could not commit this in time', error));
    return false;
  });
}

function unavailable(detail: string, cause?: unknown): ApiError {
  const error = new ApiError('service_unavailable', { detail, headers: { 'Retry-After': '1' } });
  error.cause = cause;
  return error;
}
