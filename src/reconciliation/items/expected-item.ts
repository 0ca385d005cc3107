/**
 * An expected item: a movement that a bank will show, because a book's share of the money at banks has moved, or an acquirer's report states a
 * payment. It is in the operator's book and never edited: lines of statements match it.
 * In a book's own comparison it is a line of an account of that book, which a file is to show.
 * Invariant: its amount stands on its clearing account from the entry that made it until it is matched.
 * Next: expected-item-table.ts (its rows).
 */
import type { Instant } from '../../values/clock.ts';
import type { ResourceName, Uuid } from '../../values/ids.ts';

export type ExpectedItemStatus =
  /** No bank has shown it. The mirror makes it. */
  | 'open'
  /** Lines have shown a part of it. */
  | 'partly_matched'
  /** Lines have shown all of it, or it was closed at the opening of a bank account. */
  | 'matched';

export type ItemDirection = 'in' | 'out';

/** The accounts on which items stand until they are matched. The first two are one a party. */
export type ItemClearing =
  | 'rail_clearing'
  | 'acquirer_clearing'
  | 'unallocated'
  /** A book's own comparison: the item is a line of that account, and nothing moves it. */
  | 'account';

export interface ExpectedItem {
  readonly id: Uuid;
  /** The rail, acquirer or processor that pays or takes it at the bank. Null: whoever pays in. */
  readonly party: string | null;
  readonly clearing: ItemClearing;
  /** Of the ledger. */
  readonly clearingAccountId: Uuid;
  /** As the bank will show it: `in` is a credit. */
  readonly direction: ItemDirection;
  /** Minor units, always positive. */
  readonly amount: bigint;
  /** What no line has shown yet. */
  readonly amountOpen: bigint;
  readonly currency: string;
  /** YYYY-MM-DD, in the operator's time zone. */
  readonly expectedOn: string;
  readonly status: ExpectedItemStatus;
  /** The bank account that has shown it, or at whose opening it was closed. */
  readonly bankAccountId: Uuid | null;
  /** The book whose money it is. A report is of several: then the operator's own. */
  readonly ofBook: Uuid;
  /** What moved the money there: a payout, a return, a transfer, a report. */
  readonly resource: ResourceName | 'acquirer_report';
  readonly resourceId: Uuid;
  /** Of the book's pool account, or of the account that is compared. Null for a report. */
  readonly poolLine: bigint | null;
  /** Ours, under which the party was asked. */
  readonly endToEndId: string | null;
  /** The party's own reference of the movement. */
  readonly bankReference: string | null;
  /** Of the document that states it, such as an acquirer's report. */
  readonly documentReference: string | null;
  /** Of the file by which the party was asked, with others. */
  readonly batchId: string | null;
  /** The entry that put it on its clearing account. */
  readonly entryId: Uuid;
  /** The entry that closed it at the opening of a bank account. */
  readonly openingEntryId: Uuid | null;
  /** Of an item that is overdue. */
  readonly exceptionId: Uuid | null;
  readonly createdAt: Instant;
}
