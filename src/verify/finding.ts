/**
 * A finding of a check: the rule, the ids of the rows, the expected and the actual value. Enough to find the rows
 * again.
 */
import type { BookId } from '../ledger/book.ts';

/** `noun.rule`: the noun that is checked, and the rule that does not hold. */
export type Rule =
  | 'journal.sequence'
  | 'journal.time'
  | 'journal.chain'
  | 'journal.head'
  | 'journal.postings'
  | 'journal.text'
  | 'journal.resource'
  | 'journal.step'
  | 'journal.orphan'
  | 'account.known'
  | 'account.currency'
  | 'account.lines'
  | 'account.balance_after'
  | 'account.totals'
  | 'account.held'
  | 'account.floor'
  | 'book.balanced'
  | 'book.readable'
  | 'hold.steps'
  | 'hold.remaining'
  | 'hold.status'
  | 'hold.account'
  | 'hold.resource'
  | 'hold.event'
  | 'hold.kind'
  | 'event.sequence'
  | 'event.time'
  | 'event.payload'
  | 'event.entries'
  | 'event.text'
  | 'delivery.missing'
  | 'delivery.event'
  | 'delivery.forgotten'
  | 'delivery.overdue'
  | 'payout.state'
  | 'payout.steps'
  | 'payout.postings'
  | 'payout.entry_ids'
  | 'payout.returns'
  | 'payout.hold'
  | 'payout.due'
  | 'payout.overdue'
  | 'notice.due'
  | 'notice.kept'
  | 'notice.overdue'
  | 'inbound_transfer.entry'
  | 'idempotency.answer'
  | 'idempotency.resource'
  | 'checkpoint.signature'
  | 'checkpoint.entries'
  | 'checkpoint.events'
  | 'checkpoint.nodes'
  | 'checkpoint.book';

export interface Finding {
  readonly check: Rule;
  readonly book: BookId;
  /** Ids as the API shows them, so that they can be looked up there: `account`, `entry`, `payout`, … */
  readonly ids: Readonly<Record<string, string>>;
  readonly expected: string;
  readonly actual: string;
  /** One sentence for people. */
  readonly detail: string;
}
