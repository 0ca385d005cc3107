/**
 * A line of a bank's statement as money that arrives, or that the bank takes back: what reconciliation hands to who knows references of accounts
 * (src/inbound/arrivals/), and gets back.
 */
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

export interface Arrival {
  readonly lineId: Uuid;
  /** As its statement names it: the scope of the bank's references. */
  readonly bankAccount: string;
  readonly bankReference: string;
  /** Minor units; negative where the bank takes money. */
  readonly amount: bigint;
  readonly currency: string;
  readonly endToEndId: string | null;
  readonly payerName: string | null;
  readonly payerAccount: string | null;
  /** What the payer may have written. */
  readonly texts: readonly string[];
  readonly valueOn: string | null;
  readonly bookedOn: string;
}

/** Each may be called again with the same lines: what is done is done. */
export interface Arrivals {
  /**
   * Books credits that name an account, and takes back what the bank has: under ids that any file or notice of the same credit gives. Answers by line
   * with the exception of a credit that a notice has reported before, and that no account has received: it is the exception of the line too.
   */
  take(operatorBookId: BookId, arrivals: readonly Arrival[]): Promise<ReadonlyMap<Uuid, Uuid>>;
  /** Puts credits that nothing explains before people. Answers by line with the exception, the same as that of a notice of the credit. */
  leave(operatorBookId: BookId, arrivals: readonly Arrival[]): Promise<ReadonlyMap<Uuid, Uuid>>;
}
