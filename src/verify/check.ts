/** A check goes through the rows of one noun in one book and reports what does not hold. */
import type { Pool } from '../db/pool.ts';
import type { BookId } from '../ledger/book.ts';
import type { Finding } from './finding.ts';

/**
 * How far a book had come when its verification began, read in one statement. Entries and events up to here never change
 * again, so they are read page by page without a snapshot, while the book goes on.
 */
export interface BookBounds {
  readonly id: BookId;
  readonly entrySequence: bigint;
  readonly eventSequence: bigint;
  readonly chainHash: string;
  readonly lastPostedAt: number;
  /** Lines of all its accounts, for the progress bar alone. */
  readonly lines: bigint;
}

export interface CheckContext {
  readonly pool: Pool;
  readonly book: BookBounds;
  report(finding: Omit<Finding, 'book'>): void;
  /** So many further rows have been looked at. */
  advance(rows: number): void;
}

export interface Check {
  /** What it goes through, in the plural: for the progress shown. */
  readonly name: string;
  run(context: CheckContext): Promise<void>;
}
