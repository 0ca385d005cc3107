/**
 * A write-off: what a customer owes and nobody will pay, which the operator bears. An exception of the operator's asks two persons; then it is booked
 * in the customer's book, pool → customer, and the mirror books it in the operator's, credit_losses → pool_owed.
 * Invariant: nothing is booked before two persons have approved it, and never more than they approved or than the account still owes.
 * Next: write-off-table.ts (its rows), propose-write-off.ts, book-write-off.ts.
 */
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type WriteOffStatus =
  /** Its exception is before two persons. Nothing is booked. */
  | 'proposed'
  /** They have approved it. Its transfer has an id, and may be booked. */
  | 'approved'
  /** Booked as far as the account still owed it. Final. */
  | 'booked'
  /** The operator took it back before it was approved. Final. */
  | 'withdrawn';

/** A row of the operator's book of the mode. */
export interface WriteOff {
  readonly id: Uuid;
  /** The customer's book. */
  readonly ofBook: BookId;
  readonly accountId: Uuid;
  readonly currency: string;
  /** What two persons are asked about, in minor units. */
  readonly amount: bigint;
  readonly status: WriteOffStatus;
  /** Of the customer's book. Null until it is approved. */
  readonly transferId: Uuid | null;
  /** Null until it is booked; zero where nothing was owed any more. */
  readonly bookedAmount: bigint | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What exceptions about write-offs are about, and their kind. */
export const ABOUT_WRITE_OFFS = { kind: 'write_off', resource: 'write_off' } as const;
