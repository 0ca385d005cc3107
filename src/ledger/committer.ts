/**
 * The committer: one writer a book in this process. It gathers the commands that arrive while its last batch runs and
 * commits them together; there is no timer, so a command that comes alone goes at once and batches grow with the load.
 * Writers of other processes are held apart by the book's row lock.
 *
 * Failures by class (db/postgres-errors.ts): the database is not well: the whole batch waits and tries again until its
 * deadlines; the work is refused: the batch is halved until the culprit is alone; a decision throws: it fails alone.
 * Every id was minted before the first try, so a try after a lost answer finds its own rows and answers the same.
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
  /** Rings the doorbells of a commit that is certain. Must not throw or wait. */
  enqueue: (bookId: BookId, jobs: JobRow[]) => void;
  /** Commands in one batch at most. */
  maxBatch?: number;
  /** Commands that may wait for one book; beyond it they are turned away before anything is promised. */
  maxQueue?: number;
  onError?: (error: unknown, facts: { bookId: BookId; commands: number; attempt: number }) => void;
}

/** As many as one transaction carries without holding the lock for long: measured by `npm run bench -- ledger`. */
const MAX_BATCH = 1_000;
const MAX_QUEUE = 10_000;
/** Rows one command may touch. Bulk work is many commands. */
const MAX_TOUCHED = 1_000;
/**
 * Two batches take turns: one is written while the other is decided. They do so best when they are alike, so none takes
 * more than half of what waits and is under way together, unless that is fewer (npm run bench -- ledger, accept).
 */
const WORTH_HALVING = 8;
/** Books that are remembered while nothing is asked of them: a few hundred bytes each. */
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
  /** The last batch that this process decided. */
  mark?: Uuid;
  /**
   * The book was as that batch had left it. Where it was not, another process writes the book too, and would come between
   * a batch and one that is decided ahead more often than not.
   */
  alone: boolean;
}

/** A batch under way. */
interface Underway {
  readonly size: number;
  /** Resolves when its writes are on their way, or it is over. */
  decided: Promise<void>;
  /** Resolves when it needs nothing but its commit, or is over. */
  committing: Promise<void>;
  /** Resolves when all its commands have their answers. Never rejects. */
  over: Promise<void>;
  /** What the next batch may be decided over. */
  leaves?: BookState;
}

interface Hooks extends Pick<Batch, 'follows' | 'onDecided' | 'onCommitting'> {
  join?: (taken: number) => Waiting[];
  /** Resolves when the batch that this one follows is over. */
  first?: Promise<void>;
  /** Told when what was decided came to nothing. */
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
   * Carries out a command; resolves with its answer once it is committed. Rejects with ApiError `service_unavailable`
   * when that is not certain before the deadline (it may still happen: repeat it under the same ids), and with the
   * decision's own exception when that throws.
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

  /** Takes nothing more and resolves when what was taken is done. */
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
      // Never more than two: the one whose commit is under way, and the one that follows it.
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
      // The other half waits for its own turn.
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
          // Decided over what did not come to be, perhaps: once more, over what is, and not before those who came first.
          before = undefined;
          await hooks.first;
          pending = dropExpired(pending, error);
          continue;
        }
        before = undefined;
        this.#options.onError?.(error, { bookId, commands: pending.length, attempt });
        if (!transient) return this.#isolate(bookId, pending, error);
        // Those behind them wait for the same reason.
        const queue = this.#queue(bookId);
        await delay(pauseMs(attempt, [...pending, ...queue.waiting]));
        pending = dropExpired(pending, error);
        queue.waiting = dropExpired(queue.waiting, error);
        continue;
      }
      // Outside the try: what is committed is never carried out again.
      this.#settle(bookId, pending, result);
      return;
    }
  }

  /** One of these cannot be written. Halved until it is alone; the others go through in the order they came. */
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
      // A bell that is lost costs time, never an answer.
      this.#options.onError?.(error, { bookId, commands: batch.length, attempt: 1 });
    }
    for (let index = 0; index < batch.length; index++) {
      const decision = decisions[index]!;
      if ('error' in decision) batch[index]!.reject(decision.error);
      else batch[index]!.resolve(decision.answer);
    }
  }
}

/** Longer each time, but not beyond the moment at which somebody gives up. */
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
