/**
 * A collection of fees: what stood on `due_operator` of a book when a day of it was finished, moved to the pool. The money is the operator's from
 * then on. Where refunds gave back more than was earned, it goes the other way.
 * Invariant: `tax` is what splitFee answers of `amount` and the percentage that was set then.
 * Next: fee-day.ts (when the next one is), collect-fees.ts.
 */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface FeeCollection {
  readonly id: Uuid;
  /** YYYY-MM-DD, of the book: the last day whose fees it has. */
  readonly day: string;
  readonly currency: string;
  /** Minor units; negative where the operator gave back more than it took. Never zero. */
  readonly amount: bigint;
  /** Contained in the amount, with its sign. */
  readonly tax: bigint;
  /** Hundredths of a per cent, as they were set when it was made. */
  readonly taxBasisPoints: number;
  readonly entryId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** When fees of a book in one currency are collected next. One row for as long as the book has fees. */
export interface FeeDay {
  /** Of the account `due_operator` of the currency. */
  readonly id: Uuid;
  readonly currency: string;
  readonly status: /** Collected at the end of each day. The ledger pool moves it to the next one. */ 'open';
  /** The end of a day of the book, in its own time. */
  readonly collectsAt: Instant;
  /** The last day whose fees are collected. A time zone that is set later makes no day come twice. */
  readonly collectedOn: string | null;
  readonly version: number;
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
