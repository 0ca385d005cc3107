/**
 * The commands that wait for one book in this process, and what the committer remembers of the book.
 *
 * Two machines: where the commands are (BookQueueState), and which batch may take them next (NextBatch). The committer
 * takes and releases the queue; the batch that has taken it reports how it went. Two times qualify them: until when the book
 * is isolated whatever batch is next, and until when an isolated book is not attempted.
 */
import { ApiError } from '../../errors/errors.ts';
import type { Uuid } from '../../values/ids.ts';
import { StateMachine } from '../../values/state-machine.ts';
import type { BookId } from '../book/book.ts';
import type { Command, JobRow } from '../command/command.ts';
import type { Transitions } from '../resources/resource.ts';
import type { BatchResult } from './batch.ts';

export interface Waiting {
  readonly command: Command<unknown>;
  /** Monotonic milliseconds. */
  readonly deadline: number;
  /** Whether it may share a batch with commands of other books. */
  readonly shareable: boolean;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Where the commands of a book are. */
export type BookQueueState =
  /** No command waits and no batch runs. The next command makes it `ready`. */
  | 'idle'
  /** Commands wait and no batch runs. The committer takes it. Once the deadlines of all its commands have passed it is `idle`. */
  | 'ready'
  /** A batch runs, of this book only or shared, and commands that arrive wait. The end of the batch makes it `ready` or `idle`. */
  | 'taken';

export const BOOK_QUEUE_TRANSITIONS: Transitions<BookQueueState> = {
  idle: ['ready'],
  ready: ['taken', 'idle'],
  taken: ['ready', 'idle'],
};

/** Which batch may take the commands of a book next. */
export type NextBatch =
  /** Batches of its own while the book is busy or the only one, otherwise a shared batch, which skips a book that is locked. */
  | 'any'
  /** A shared batch found the book locked. The next shared one waits for the lock. A commit or a batch of its own makes it `any`. */
  | 'waiting'
  /** A shared batch failed and this book may be the cause. A batch of its own that puts no command back makes it `any`. */
  | 'isolated';

export const NEXT_BATCH_TRANSITIONS: Transitions<NextBatch> = {
  any: ['waiting', 'isolated'],
  waiting: ['any', 'isolated'],
  isolated: ['any'],
};

/** After a batch that took too long was halved, each batch that succeeds may be followed by one larger by this factor. */
const BATCH_GROWTH = 1.25;
/** Objects that bulk work moves in a batch beside other work: some 15 ms, in which the book is locked (npm run bench -- bulk). */
const BEHIND_AT_ONCE = 32;
/** Other work is present this long after its last command. */
const PRESENT_MS = 2_000;

const isBehind = ({ command }: Waiting) => command.behind !== undefined;

export class BookQueue {
  readonly #queue = new StateMachine<BookQueueState>('queue of a book', BOOK_QUEUE_TRANSITIONS, 'idle');
  readonly #next = new StateMachine<NextBatch>('next batch of a book', NEXT_BATCH_TRANSITIONS, 'any');
  /** In order of arrival. */
  #waiting: Waiting[] = [];
  /** Bulk work, in order of arrival: behind the others. */
  #behind: Waiting[] = [];
  /** Monotonic time until which other work than bulk counts as present. */
  #sharedUntil = 0;
  /** Commands without an answer, those of batches in progress too. */
  #unanswered = 0;
  /** How many of them must not share a batch with commands of other books. */
  #unshareable = 0;
  /** Monotonic time until which every batch is of this book only, because Postgres refused one of its commands. */
  #isolatedUntil = 0;
  /** Monotonic time until which no attempt is made, because the last isolated batch failed. */
  #backsOffUntil = 0;
  /** Consecutive failed attempts that this book may have caused. */
  #failures = 0;
  /** Most commands in the next isolated batch: half of a batch that exceeded its time limit, growing again afterwards. */
  #isolatedBatchMax = Number.POSITIVE_INFINITY;
  /** Id of the last batch that this process decided. */
  #lastBatchId: Uuid | undefined;
  #undisturbed = false;

  constructor(readonly bookId: BookId) {}

  get state(): BookQueueState {
    return this.#queue.state;
  }

  get nextBatch(): NextBatch {
    return this.#next.state;
  }

  /** How many commands wait. */
  get size(): number {
    return this.#waiting.length + this.#behind.length;
  }

  /** Commands without an answer, those of batches in progress too. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** The next batch is of this book only: `isolated`, for a time, or because of one of its commands. */
  get isIsolated(): boolean {
    return (
      this.#next.state === 'isolated' ||
      this.#unshareable > 0 ||
      (this.#isolatedUntil > 0 && performance.now() < this.#isolatedUntil)
    );
  }

  get failures(): number {
    return this.#failures;
  }

  get isolatedBatchMax(): number {
    return this.#isolatedBatchMax;
  }

  /**
   * Whether the book was unchanged between the last two batches of this process. If not, another process writes the book
   * too, and will probably write between this batch and one that is decided ahead of it.
   */
  get isUndisturbed(): boolean {
    return this.#undisturbed;
  }

  /** Whether an isolated book is not attempted yet at `now`, monotonic. */
  backsOff(now: number): boolean {
    return this.#backsOffUntil > now;
  }

  earliestDeadline(): number {
    return Math.min(earliestDeadline(this.#waiting), earliestDeadline(this.#behind));
  }

  /** idle → ready. Behind a batch in progress the command waits. */
  arrive(waiting: Waiting): void {
    if (isBehind(waiting)) this.#behind.push(waiting);
    else {
      this.#waiting.push(waiting);
      this.#sharedUntil = performance.now() + PRESENT_MS;
    }
    this.#unanswered++;
    if (!waiting.shareable) this.#unshareable++;
    if (this.#queue.state === 'idle') this.#queue.move('ready');
  }

  /** Called when a command has its answer. */
  answered({ shareable }: Waiting): void {
    this.#unanswered--;
    if (!shareable) this.#unshareable--;
  }

  /** Refuses the commands whose deadline has passed. ready → idle if none is left. */
  dropExpired(error?: unknown): void {
    this.#waiting = dropExpired(this.#waiting, error);
    this.#behind = dropExpired(this.#behind, error);
    if (this.size === 0 && this.#queue.state === 'ready') this.#queue.move('idle');
  }

  /** ready → taken, for batches of this book only. They wait for the lock: waiting → any. */
  takeAlone(): void {
    this.#queue.move('taken');
    if (this.#next.state === 'waiting') this.#next.move('any');
  }

  /** ready → taken, for a shared batch. Throws for a book that is isolated. */
  takeShared(): void {
    if (this.#next.state === 'isolated') throw new Error('An isolated book shares no batch');
    this.#queue.move('taken');
  }

  /**
   * The commands of the next batch, at most `max`, in order of arrival and bulk work last. The queue is `taken` by the
   * caller. Beside other work, a batch takes little of bulk work, so that the next one begins soon; but some, however
   * many others wait. What `joins` a batch that has begun brings none.
   */
  takeBatch(max: number, { joins = false } = {}): Waiting[] {
    this.#queue.require('taken');
    if (this.#behind.length === 0) return this.#waiting.splice(0, max);
    const isShared = performance.now() < this.#sharedUntil;
    if (isShared && joins) return this.#waiting.splice(0, max);
    // One place is left: other work that never ends does not keep bulk work out.
    const batch = this.#waiting.splice(0, max > 1 ? max - 1 : max);
    const room = max - batch.length;
    return [...batch, ...this.#behind.splice(0, isShared ? this.#fewBehind(room) : room)];
  }

  /** How many of the first commands of bulk work move at most BEHIND_AT_ONCE objects together: one at least. */
  #fewBehind(room: number): number {
    let count = 0;
    for (let moved = 0; count < Math.min(room, this.#behind.length); count++) {
      moved += this.#behind[count]!.command.behind!;
      if (count > 0 && moved > BEHIND_AT_ONCE) break;
    }
    return count;
  }

  /** Puts commands that were taken and not committed in front of later ones. */
  putBack(batch: readonly Waiting[]): void {
    this.#queue.require('taken');
    this.#waiting = [...batch.filter((waiting) => !isBehind(waiting)), ...this.#waiting];
    this.#behind = [...batch.filter(isBehind), ...this.#behind];
  }

  /** taken → ready if commands wait, otherwise → idle. */
  release(): void {
    this.#queue.move(this.size > 0 ? 'ready' : 'idle');
  }

  /** Records a batch of this process (`batchId`), and the batch that wrote the book before it (`after`). */
  decided({ after, batchId }: { after: Uuid; batchId: Uuid }): void {
    this.#queue.require('taken');
    this.#undisturbed = after === this.#lastBatchId;
    this.#lastBatchId = batchId;
  }

  /** A shared batch is committed. waiting → any. */
  committed(batch: { after: Uuid; batchId: Uuid }): void {
    this.decided(batch);
    if (this.#next.state === 'waiting') this.#next.move('any');
    this.#failures = 0;
  }

  /** A shared batch found the book locked. any → waiting. */
  skip(batch: readonly Waiting[]): void {
    this.#queue.require('taken');
    this.#next.move('waiting');
    this.putBack(batch);
  }

  /** A shared batch was dissolved, or waited for a book that does not exist. any, waiting → isolated. */
  isolate(batch: readonly Waiting[]): void {
    this.#queue.require('taken');
    this.#next.move('isolated');
    this.putBack(batch);
  }

  /** Postgres refused a command of this book in a shared batch. */
  isolateFor(batch: readonly Waiting[], durationMs: number): void {
    this.putBack(batch);
    this.#isolatedUntil = performance.now() + durationMs;
  }

  /** A shared batch failed, and one row can be the cause. The second failure in a row isolates: any, waiting → isolated. */
  suspect(): void {
    this.#queue.require('taken');
    if (++this.#failures > 1) this.#next.move('isolated');
  }

  /** An isolated batch of `commands` failed and may succeed later. After one that exceeded its time limit the next is half as large. */
  failedAlone(commands: number, { tookTooLong }: { tookTooLong: boolean }): void {
    this.#queue.require('taken');
    this.#failures++;
    if (tookTooLong) this.#isolatedBatchMax = Math.max(commands >> 1, 1);
  }

  /** An isolated batch is committed. */
  committedAlone(): void {
    this.#queue.require('taken');
    this.#failures = 0;
    this.#isolatedBatchMax = Math.ceil(this.#isolatedBatchMax * BATCH_GROWTH);
  }

  /** Some commands of an isolated batch may succeed later: no attempt for a while. The book stays isolated. */
  backOff(batch: readonly Waiting[], durationMs: number): void {
    this.putBack(batch);
    this.#backsOffUntil = performance.now() + durationMs;
  }

  /** An isolated batch put no command back. isolated → any. */
  rejoin(): void {
    this.#queue.require('taken');
    if (this.#next.state === 'isolated') this.#next.move('any');
  }

  /** The book's turn of batches of its own is over. isolated → any. */
  endTurn(): void {
    this.rejoin();
    this.#failures = 0;
  }
}

/** Called after a commit, before its commands are answered. */
export interface AfterCommit {
  /** Enqueues the jobs of a commit that is certain. Must not throw or wait. */
  enqueue: (bookId: BookId, jobs: JobRow[]) => void;
  onError?: (error: unknown, facts: { bookIds: readonly BookId[]; commands: number; attempt: number }) => void;
}

/** Enqueues the jobs of a committed batch, and answers each of its commands. */
export function answerBatch(
  { enqueue, onError }: AfterCommit,
  { bookId, batch, result }: { bookId: BookId; batch: readonly Waiting[]; result: BatchResult },
): void {
  try {
    if (result.jobs.length > 0) enqueue(bookId, result.jobs);
  } catch (error) {
    // A lost job costs time, never an answer.
    onError?.(error, { bookIds: [bookId], commands: batch.length, attempt: 1 });
  }
  for (let index = 0; index < batch.length; index++) {
    const decision = result.decisions[index]!;
    if ('error' in decision) batch[index]!.reject(decision.error);
    else batch[index]!.resolve(decision.answer);
  }
}

export function dropExpired(batch: readonly Waiting[], error?: unknown): Waiting[] {
  const now = performance.now();
  return batch.filter((waiting) => {
    if (waiting.deadline > now) return true;
    waiting.reject(unavailable('The ledger could not commit this in time.', error));
    return false;
  });
}

export function earliestDeadline(batch: readonly Waiting[]): number {
  return batch.reduce((least, { deadline }) => Math.min(least, deadline), Number.POSITIVE_INFINITY);
}

export function unavailable(detail: string, cause?: unknown): ApiError {
  const error = new ApiError('service_unavailable', { detail, headers: { 'Retry-After': '1' } });
  error.cause = cause;
  return error;
}
