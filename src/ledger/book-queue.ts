/** The commands that wait for one book in this process, and what the committer remembers of the book. */
import { ApiError } from '../errors.ts';
import type { Uuid } from '../ids.ts';
import type { BatchResult } from './batch.ts';
import type { BookId } from './book.ts';
import type { Command, JobRow } from './command.ts';

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
  /** How many of them may not be committed together with those of other books. */
  unshareable = 0;
  /** A lane or a shared batch has the book. */
  taken = false;
  /** A shared batch found the book locked: the next one waits for its lock. */
  skipped = false;
  /** The next commands go by the book's own path, whatever they are. */
  alone = false;
  /** The same until this monotonic time: the database refused the book's commands a moment ago. */
  aloneUntil = 0;
  /** Until this monotonic time no attempt is made: the last ones alone have failed. */
  restsUntil = 0;
  /** Attempts that have failed one after the other, and may have failed because of this book. */
  failures = 0;
  /** How many commands the next batch alone may have: fewer than one that took longer than it may. */
  roomAlone = Number.POSITIVE_INFINITY;
  /** Id of the last batch that this process decided. */
  mark?: Uuid;
  /**
   * Whether the book was as that batch left it. If not, another process writes the book too, and more often than not
   * writes between a batch and the next one decided ahead.
   */
  undisturbed = false;

  constructor(readonly bookId: BookId) {}

  get goesAlone(): boolean {
    return this.alone || this.unshareable > 0 || (this.aloneUntil > 0 && performance.now() < this.aloneUntil);
  }

  /** Takes note of a batch of this process, by the id of the batch that wrote the book before it. */
  decided({ after, batchId }: { after: Uuid; batchId: Uuid }): void {
    this.undisturbed = after === this.mark;
    this.mark = batchId;
  }

  /** Commands that were taken and not carried out go in front of later ones. */
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
