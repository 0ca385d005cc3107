/**
 * What a bank shows of a book's money: each group whose entries move the pool states it of its lines. The operator's book mirrors them
 * (reconciliation/mirror/), and is handed the groups' words as accounts are handed what keeps them open. test/unit/at-bank.test.ts fails for
 * something that moves a pool and that no group has a word for.
 */
import type { Queryable } from '../db/pool.ts';
import type { OperatorCode } from '../ledger/account/account-code.ts';
import type { AccountLine } from '../ledger/account/account-line-store.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { ResourceName, Uuid } from '../values/ids.ts';

/** Entries of these resources move the pool. */
export interface AtBank {
  readonly resources: readonly ResourceName[];
  /** A word for each line, by its number: lines of one pool account, of these resources alone. */
  words(db: Queryable, of: MirroredBook, lines: readonly AccountLine[]): Promise<ReadonlyMap<bigint, BankWord>>;
}

export interface MirroredBook {
  readonly bookId: BookId;
  /** Of the same mode: rails and credits keep rows there. */
  readonly operatorBookId: BookId;
}

/** Either stated here, or by another group: the line is one of that resource, as far as banks go. */
export type BankWord = BankMovement | { readonly as: { readonly resource: ResourceName; readonly resourceId: Uuid } };

export interface BankMovement {
  /** The other sides of `pool_owed`: together the line's amount. */
  readonly against: readonly OtherSide[];
  /** Null where no bank shows this line by itself, such as a part of what an acquirer's report states. */
  readonly expected: Expected | null;
}

export interface OtherSide {
  readonly code: OperatorCode;
  /** The rail, acquirer or scheme. Left out for a code that has one account for all. */
  readonly party?: string;
  /** Minor units. */
  readonly amount: bigint;
}

/** How a line of a bank will name it. */
export interface Expected {
  /** Null: any payer. */
  readonly party: string | null;
  /** YYYY-MM-DD; null: on the day of the line. */
  readonly on: string | null;
  readonly endToEndId: string | null;
  readonly bankReference: string | null;
  readonly documentReference: string | null;
  readonly batchId: string | null;
}

/** A movement whose other side is one account. */
export function against(
  { amount }: Pick<AccountLine, 'amount'>,
  side: Omit<OtherSide, 'amount'>,
  expected: (Partial<Expected> & Pick<Expected, 'party'>) | null,
): BankMovement {
  const none = { on: null, endToEndId: null, bankReference: null, documentReference: null, batchId: null };
  return { against: [{ ...side, amount }], expected: expected && { ...none, ...expected } };
}

/**
 * By what a file may name lines of an account of the book's own, where no word of a bank does: a reference that the organisation gave. For a book's
 * own comparison (reconciliation/items/take-lines.ts).
 */
export interface LineNames {
  readonly resources: readonly ResourceName[];
  /** By the number of the line. */
  names(db: Queryable, bookId: BookId, lines: readonly AccountLine[]): Promise<ReadonlyMap<bigint, string>>;
}

/** A line of a bank that brings back a payout of which its rail has reported no return, approved by two persons. */
export interface ReturnedAtBank {
  readonly ofBook: BookId;
  readonly payoutId: Uuid;
  /** The same for every file that states the line: one return a bank reference. */
  readonly noticeId: Uuid;
  readonly amount: bigint;
  /** Of the line. */
  readonly bankLine: Uuid;
  /** Whether the rail has reported it by now, so that the line shows the return which that has booked. Asked once the payout is read. */
  isReported(): Promise<boolean>;
}
