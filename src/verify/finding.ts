/** What a check found wrong: which rule, where, what was expected and what is there. Enough to find the rows again. */
import type { BookId } from '../ledger/book.ts';

/** `noun.rule`: the noun is the check's, the rule what it promises. */
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
  /** As the API shows them, so that they can be looked up there: `account`, `entry`, `payout`, … */
  readonly ids: Readonly<Record<string, string>>;
  readonly expected: string;
  readonly actual: string;
  /** In words. */
  readonly detail: string;
}
