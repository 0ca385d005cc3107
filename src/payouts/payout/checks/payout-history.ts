/**
 * Derives from a payout's row what must have happened: which steps are booked, with which postings, and what is left of
 * its hold. States the rules of API.md §2 a second time, apart from the code that decides: its decisions are checked
 * here.
 */

import { type ChartCode, chartAccountId } from '../../../ledger/account/chart.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { PostingDraft } from '../../../ledger/entry/entry.ts';
import type { HoldStatus } from '../../../ledger/hold/hold.ts';
import type { Payout } from '../payout.ts';

/** Returns every series of steps that leads to the payout's status. */
export function possibleSteps(payout: Payout): string[][] {
  const returns = Array.from({ length: payout.returns }, (_, at) => `returned_${at + 1}`);
  switch (payout.status) {
    case 'requires_approval':
    case 'scheduled':
    case 'rejected':
    case 'pending':
    case 'canceled':
      return [[]];
    case 'processing':
      return [['reserved']];
    case 'failed':
      // A payout that fails before it is sent has no entry, so no entry gives anything back.
      return payout.sentAt === null ? [[]] : [['reserved', 'failed']];
    case 'paid':
    case 'returned':
      return [
        ['reserved', 'paid', ...returns],
        ['reserved', 'failed', 'paid_after_failed', ...returns],
      ];
  }
}

/** Returns the postings of one step. `returned` is the amount that comes back in it. Zero postings are omitted. */
export function postingsOf(bookId: BookId, payout: Payout, step: string, returned: bigint): PostingDraft[] {
  const chart = (code: ChartCode) => chartAccountId(bookId, code, payout.currency);
  const { accountId: account, amount, fee, destination } = payout;
  const payee = destination.type === 'account' ? destination.accountId : chart('pool');
  const postings = (): PostingDraft[] => {
    switch (step) {
      case 'reserved':
        return [{ debit: account, credit: chart('payouts_in_transit'), amount }];
      case 'paid':
        return [
          { debit: chart('payouts_in_transit'), credit: payee, amount },
          { debit: account, credit: chart('due_operator'), amount: fee },
        ];
      case 'failed':
        return [{ debit: chart('payouts_in_transit'), credit: account, amount }];
      case 'paid_after_failed':
        return [{ debit: account, credit: chart('pool'), amount }];
      default:
        return [{ debit: chart('pool'), credit: account, amount: returned }];
    }
  };
  return postings().filter((posting) => posting.amount > 0n);
}

/** Whether nothing must be held for the payout. Undefined where it depends on when the payout ended. */
export function mustBeUnheld({ status, approval, scheduledFor }: Payout): boolean | undefined {
  if (status === 'requires_approval' || status === 'scheduled' || status === 'rejected') return true;
  const hasWaited = approval !== null || scheduledFor !== null;
  return hasWaited && (status === 'canceled' || status === 'failed') ? undefined : false;
}

/** Returns what the hold of amount and fee has left after these steps, and its status. */
export function holdAfter(payout: Payout, steps: readonly string[]): { remaining: bigint; status: HoldStatus } {
  if (payout.status === 'pending') return { remaining: payout.amount + payout.fee, status: 'open' };
  // The reservation captures the amount. Without a fee, that leaves nothing of the hold.
  const captured = steps.includes('reserved');
  if (payout.status === 'processing' && payout.fee > 0n) return { remaining: payout.fee, status: 'open' };
  const givenBack = !captured || (steps.includes('failed') && payout.fee > 0n);
  return { remaining: 0n, status: givenBack ? 'released' : 'captured' };
}
