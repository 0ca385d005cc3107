/**
 * A finding of a check: the rule, the ids of the rows, the expected and the actual value. Enough to find the rows
 * again.
 */
import type { BookId } from '../ledger/book/book.ts';

/** `noun.rule`: the noun that is checked, and the rule that is broken. */
export type Rule = `${string}.${string}`;

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
