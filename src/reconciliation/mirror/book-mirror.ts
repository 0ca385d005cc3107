/**
 * A mirrored range: consecutive lines of one book's pool account, of one day, as the operator's book has booked them by one entry.
 * Invariant: the ranges of a pool account follow each other without a gap, from its first line on, and what an entry moved on `pool_owed` is what
 * its lines moved on the pool. So what is owed to all books is their pools, as far as they are mirrored.
 * Next: book-mirror-table.ts (its rows), mirror-lines.ts (the command), mirror-books.ts (the walk).
 */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface BookMirror {
  readonly id: Uuid;
  /** Whose pool it is. */
  readonly ofBook: Uuid;
  readonly poolAccountId: Uuid;
  readonly currency: string;
  readonly fromLine: bigint;
  readonly throughLine: bigint;
  /** The day on which the lines were posted, YYYY-MM-DD in the operator's time zone. */
  readonly day: string;
  /** Minor units, what the lines brought to the pool and took from it. */
  readonly moneyIn: bigint;
  readonly moneyOut: bigint;
  /** Of the pool, behind the last line. */
  readonly poolBalance: bigint;
  /** How many of the lines a bank will show. */
  readonly items: number;
  /** What stands opposite `pool_owed`. */
  readonly sides: readonly MirroredSide[];
  readonly entryIds: readonly Uuid[];
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What the entry moved on an account: in minor units as decimal text, since JSON has no bigint. */
export interface MirroredSide {
  readonly accountId: Uuid;
  readonly code: string;
  readonly debits: string;
  readonly credits: string;
}

/** How far a pool account is mirrored. */
export interface MirroredPool {
  readonly poolAccountId: Uuid;
  readonly ofBook: Uuid;
  readonly currency: string;
  /** The last line that is. */
  readonly line: bigint;
  /** Of the pool behind that line: what is owed to the book. */
  readonly balance: bigint;
}
