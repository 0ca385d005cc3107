/** The commands that wait for one book in this process, and what the committer remembers of the book. */
import { ApiError } from '../../errors/errors.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookId } from '../book.ts';
import type { Command, JobRow } from '../command.ts';
import type { BatchResult } from './batch.ts';

export interface Waiting {
  readonly command: Command<unknown>;
  /** Monotonic milliseconds. */
  readonly deadline: number;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class BookQueue {
  /** In order of arrival. */
  waiting: Waiting[] = [];
  /** Commands without an answer, taken ones too. */
  open = 0;
  /** How many of them must not share a batch with commands of other books. */
  unshareable = 0;
  /** Whether a batch of the book is in progress, of its own or shared. */
  taken = false;
  /** A shared batch found the book locked and skipped it. The next one waits for the lock. */
  skipped = false;
  /** The next batch is of this book only. */
  isolatedOnce = false;
  /** Monotonic time until which every batch is of this book only, because Postgres refused one of its commands. */
  isolatedUntil = 0;
  /** Monotonic time until which no attempt is made, because the last isolated batch failed. */
  backsOffUntil = 0;
  /** Consecutive failed attempts that this book may have caused. */
  failures = 0;
  /** Most commands in the next isolated batch: half of a batch that exceeded its time limit, growing again afterwards. */
  isolatedBatchMax = Number.POSITIVE_INFINITY;
  /** Id of the last batch that this process decided. */
  mark?: Uuid;
  /**
   * Whether the book was unchanged since that batch. If not, another process writes the book too, and will probably write
   * between this batch and one that is decided ahead of it.
   */
  undisturbed = false;

  constructor(readonly bookId: BookId) {}

  get isIsolated(): boolean {
    return (
      this.isolatedOnce || this.unshareable > 0 || (this.isolatedUntil > 0 && performance.now() < this.isolatedUntil)
    );
  }

  /** Records a batch of this process (`batchId`), and the batch that wrote the book before it (`after`). */
  decided({ after, batchId }: { after: Uuid; batchId: Uuid }): void {
    this.undisturbed = after === this.mark;
    this.mark = batchId;
  }

  /** Puts commands that were taken and not committed in front of later ones. */
  putBack(batch: readonly Waiting[]): void {
    this.waiting = [...batch, ...this.waiting];
  }

  /** Refuses the commands whose deadline has passed. */
  dropExpired(error?: unknown): void {
    this.waiting = dropExpired(this.waiting, error);
  }
}

/** What follows a commit: its jobs are enqueued, and each command has its answer. */
export interface Settling {
  /** Enqueues the jobs of a commit that is certain. Must not throw or wait. */
  enqueue: (bookId: BookId, jobs: JobRow[]) => void;
  onError?: (error: unknown, facts: { bookIds: readonly BookId[]; commands: number; attempt: number }) => void;
}

export function settle(
  { enqueue, onError }: Settling,
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

export function unavailable(detail: string, cause?: unknown): ApiError {
  const error = new ApiError('service_unavailable', { detail, headers: { 'Retry-After': '1' } });
  error.cause = cause;
  return error;
}
