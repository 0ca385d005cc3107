import { type Account, posted } from './account.ts';
import type { Posting } from './entry.ts';

/** A posting, from its two accounts as they are after it: their line numbers and balances are those of the posting. */
export function newPosting(line: { ordinal: number; amount: bigint; debited: Account; credited: Account }): Posting {
  return {
    ordinal: line.ordinal,
    debitAccountId: line.debited.id,
    creditAccountId: line.credited.id,
    amount: line.amount,
    currency: line.debited.currency,
    debitLine: line.debited.lines,
    debitBalanceAfter: posted(line.debited),
    creditLine: line.credited.lines,
    creditBalanceAfter: posted(line.credited),
  };
}
