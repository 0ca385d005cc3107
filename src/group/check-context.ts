/** A check reads the rows of one noun in one book and reports each rule that is broken. */
import type { Pool } from '../db/pool.ts';
import type { AccountCode } from '../ledger/account/account-code.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { DeclaredResource } from '../ledger/resources/declared-resource.ts';
import type { Finding } from './finding.ts';

/**
 * How far a book had come when its verification began, read in one statement. Entries and events up to here never
 * change again. Checks read them page by page without a snapshot, while the book goes on.
 */
export interface BookBounds {
  readonly id: BookId;
  readonly entrySequence: bigint;
  readonly eventSequence: bigint;
  readonly chainHash: string;
  readonly lastPostedAt: number;
  /** Lines of all the book's accounts, for progress and totals. 0 from readHead, which does not count them. */
  readonly lines: bigint;
}

export interface CheckContext {
  readonly pool: Pool;
  readonly book: BookBounds;
  /** All resources there are: a row may name any of them. */
  readonly resources: readonly DeclaredResource[];
  /** The accounts of the chart that entries of a resource may move: those of its equations. */
  readonly tied: ReadonlyMap<string, ReadonlySet<AccountCode>>;
  report(finding: Omit<Finding, 'book'>): void;
  /** Counts rows as checked. */
  advance(rows: number): void;
}

export interface Check {
  /** The rows that the check reads, shown with its progress. */
  readonly name: string;
  run(context: CheckContext): Promise<void>;
}
