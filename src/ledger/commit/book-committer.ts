/**
 * Commits the commands of one book. Commands that arrive while a batch runs form the next batch. At most two batches of a
 * book are in progress: one commits, and the next one is decided over the state that the first one leaves. In time:
 *
 *   A  lock, load | decide | write | COMMIT ···················· | answers
 *   B                              | load | decide | lock ······ | write | COMMIT ·········
 *   C                                                            | load | decide | lock ······
 *                                  A.decided                     A.over, B.decided
 *
 * B sends lock, writes and COMMIT together, and Postgres grants the lock once A is committed. While another process writes
 * the book too, nothing is decided ahead: B begins at A.committing, when only the commit of A is outstanding, and loads
 * under the lock.
 *
 * Failures by class (db/postgres-errors.ts):
 * - A transient failure: the whole batch is retried with backoff until the deadlines of its commands.
 * - Another failure of the batch: the batch is halved until the failing command is isolated.
 * - A decision throws: only its command fails.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { classifyFailure, tookTooLong } from '../../db/postgres-errors.ts';
import type { BookState } from '../command/state.ts';
import { type Batch, type BatchContext, type BatchResult, mayFollow, runBatch } from './batch.ts';
import {
  type AfterCommit,
  answerBatch,
  type BookQueue,
  dropExpired,
  earliestDeadline,
  type Waiting,
} from './book-queue.ts';

export interface BookCommitterOptions extends BatchContext, AfterCommit {
  /** The most commands in one batch. */
  maxBatch?: number;
}

/** What one transaction commits without holding the book's lock for long, measured by `npm run bench -- ledger`. */
const MAX_BATCH = 1_000;
/** Two batches alternate best when they are of equal size: a batch takes half of the waiting commands, if that is this many. */
const WORTH_HALVING = 8;
/** A busy book commits this many batches while other busy books wait, and then goes behind them. */
const BATCHES_OF_TURN = 16;
const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 1_000;

/** A batch in progress. */
interface Underway {
  readonly size: number;
  /** Resolves once the writes have been sent, or the batch has ended. */
  decided: Promise<void>;
  /** Resolves once only the commit is outstanding, or the batch has ended. */
  committing: Promise<void>;
  /** Resolves once every command of the batch has its answer. Never rejects. */
  over: Promise<void>;
  isOver: boolean;
  /** Whether a further batch has begun. What arrives later must not overtake it by joining this one. */
  isFollowed: boolean;
  /** The state over which the next batch may be decided. */
  leaves?: BookState;
}

interface Hooks extends Pick<Batch, 'follows' | 'onDecided' | 'onCommitting'> {
  join?: (taken: number) => Waiting[];
  /** The batch before this one. */
  first?: Underway;
  /** Called when an attempt fails: the decided state is void. */
  onUndecided?: () => void;
}

export class BookCommitter {
  readonly #options: BookCommitterOptions;

  constructor(options: BookCommitterOptions) {
    this.#options = options;
  }

  /**
   * Resolves when no command waits and all have their answers; or after BATCHES_OF_TURN batches if other busy books wait.
   */
  async run(queue: BookQueue, { othersWait = () => false }: { othersWait?: () => boolean } = {}): Promise<void> {
    let last: Underway | undefined;
    let idle = true;
    for (let batches = 0; queue.size > 0 && (batches < BATCHES_OF_TURN || !othersWait()); batches++) {
      const current = this.#begin(queue, last, idle);
      idle = false;
      await current.decided;
      // At most two batches are in progress: one commits, and the next one follows it.
      await last?.over;
      if (!current.leaves || queue.size === 0) await current.committing;
      last = current;
      if (queue.size === 0) {
        await last.over;
        idle = true;
      }
    }
    await last?.over;
    queue.endTurn();
  }

  /**
   * One batch of an isolated book, under the short time limits of a shared batch. Commands that may succeed later are put
   * back, and the book backs off: other books go ahead while its row is locked or its commands fail.
   */
  async runOnce(queue: BookQueue): Promise<void> {
    const room = Math.min(this.#options.maxBatch ?? MAX_BATCH, queue.isolatedBatchMax);
    const left = await this.#attemptOnce(queue, queue.takeBatch(room));
    if (left.length === 0) queue.rejoin();
    else queue.backOff(left, backoffMs(queue.failures));
  }

  /** Resolves with the commands that may succeed later. A command that Postgres refuses is found by halving the batch. */
  async #attemptOnce(queue: BookQueue, batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const { bookId } = queue;
    const commands = batch.map(({ command }) => command);
    let result: BatchResult;
    try {
      result = await runBatch(this.#options, {
        bookId,
        commands,
        shortLimits: true,
        onDecided: ({ after, book }) => queue.decided({ after, batchId: book.batchId }),
      });
    } catch (error) {
      this.#options.onError?.(error, { bookIds: [bookId], commands: batch.length, attempt: queue.failures + 1 });
      if (classifyFailure(error) === 'transient') {
        queue.failedAlone(batch.length, { tookTooLong: tookTooLong(error) });
        queue.dropExpired(error);
        return dropExpired(batch, error);
      }
      if (batch.length === 1) {
        batch[0]!.reject(error);
        return [];
      }
      const middle = batch.length >> 1;
      const left = await this.#attemptOnce(queue, batch.slice(0, middle));
      const rest = batch.slice(middle);
      return left.length > 0 ? [...left, ...rest] : this.#attemptOnce(queue, rest);
    }
    queue.committedAlone();
    answerBatch(this.#options, { bookId, batch, result });
    return [];
  }

  #begin(queue: BookQueue, before: Underway | undefined, idle: boolean): Underway {
    const room = this.#options.maxBatch ?? MAX_BATCH;
    const gathered = queue.size;
    const half = Math.ceil((gathered + (idle ? 0 : (before?.size ?? 0))) / 2);
    const halved = queue.isUndisturbed && half < gathered && half >= WORTH_HALVING;
    const batch = queue.takeBatch(Math.min(room, halved ? half : gathered));
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
      isOver: false,
      isFollowed: false,
    };
    if (before) before.isFollowed = true;
    underway.over = this.#carryOut(queue, batch, {
      follows: before?.leaves,
      first: before,
      // The other half waits for the next batch.
      join: (taken) =>
        halved || underway.isFollowed ? [] : queue.takeBatch(Math.max(room - taken, 0), { joins: true }),
      onDecided: (state) => {
        queue.decided({ after: state.after, batchId: state.book.batchId });
        underway.leaves = queue.isUndisturbed ? state : undefined;
        onDecided();
      },
      onUndecided: () => {
        underway.leaves = undefined;
      },
      onCommitting,
    }).finally(() => {
      underway.isOver = true;
      onDecided();
      onCommitting();
    });
    return underway;
  }

  async #carryOut(queue: BookQueue, batch: Waiting[], hooks: Hooks = {}): Promise<void> {
    const { bookId } = queue;
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
          await hooks.first?.over;
          pending = dropExpired(pending, error);
          continue;
        }
        before = undefined;
        this.#options.onError?.(error, { bookIds: [bookId], commands: pending.length, attempt });
        if (!transient) return this.#bisect(queue, pending, error);
        if (hooks.first && !hooks.first.isOver) {
          // The batch before this one is attempted again first.
          queue.putBack(pending);
          return;
        }
        // The commands in the queue wait for the same reason.
        await delay(pauseMs(attempt, Math.min(earliestDeadline(pending), queue.earliestDeadline())));
        pending = dropExpired(pending, error);
        queue.dropExpired(error);
        continue;
      }
      // Outside the try: a committed batch is never carried out again.
      answerBatch(this.#options, { bookId, batch: pending, result });
      return;
    }
  }

  /**
   * One of these commands cannot be written. The batch is halved until that command is isolated; the others are committed
   * in order of arrival.
   */
  async #bisect(queue: BookQueue, batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      batch[0]!.reject(error);
      return;
    }
    const middle = batch.length >> 1;
    await this.#carryOut(queue, batch.slice(0, middle));
    await this.#carryOut(queue, batch.slice(middle));
  }
}

function backoffMs(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LAST_RETRY_MS);
}

/** Doubles with each attempt. Ends at the earliest deadline, but lasts at least 20 ms. */
function pauseMs(attempt: number, deadline: number): number {
  return Math.max(Math.min(backoffMs(attempt), deadline - performance.now()), FIRST_RETRY_MS);
}
