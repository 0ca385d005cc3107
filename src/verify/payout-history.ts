/**
 * What a payout's row says must have happened: which steps were booked, with which postings, and what is left of its hold.
 * The rules of API.md §2, said a second time and from the other end: what was decided is held against it.
 */

import type { BookId } from '../ledger/book.ts';
import { type ChartCode, chartAccountId } from '../ledger/chart.ts';
import type { PostingDraft } from '../ledger/entry.ts';
import type { HoldStatus } from '../ledger/hold.ts';
import type { Payout } from '../payouts/payout.ts';

/** Every series of steps that leads to this status. */
export function possibleSteps(payout: Payout): string[][] {
  const returns = Array.from({ length: payout.returns }, (_, at) => `returned_${at + 1}`);
  switch (payout.status) {
    case 'pending':
    case 'canceled':
      return [[]];
    case 'processing':
      return [['reserved']];
    case 'failed':
      // Before it was sent nothing had been booked, so nothing had to be given back.
      return payout.sentAt === null ? [[]] : [['reserved', 'failed']];
    case 'paid':
    case 'returned':
      return [
        ['reserved', 'paid', ...returns],
        ['reserved', 'failed', 'paid_after_failed', ...returns],
      ];
  }
}

/** The postings of one step; `returned` is what came back in it. Zero postings are omitted. */
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

/** What a hold of amount and fee has left once these steps were booked, and what became of it. */
export function holdAfter(payout: Payout, steps: readonly string[]): { remaining: bigint; status: HoldStatus } {
  if (payout.status === 'pending') return { remaining: payout.amount + payout.fee, status: 'open' };
  // The amount was captured on reservation; without a fee nothing was left of the hold then.
  const captured = steps.includes('reserved');
  if (payout.status === 'processing' && payout.fee > 0n) return { remaining: payout.fee, status: 'open' };
  const givenBack = !captured || (steps.includes('failed') && payout.fee > 0n);
  return { remaining: 0n, status: givenBack ? 'released' : 'captured' };
}
