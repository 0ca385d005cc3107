import { publicId } from '../ids.ts';
import type { ClosingBlocker } from '../ledger/closing-blocker.ts';
import { openPayments } from './under-way-store.ts';

/** An account stays open while a payment for it can still be captured, a refund is under way or money waits for its release. */
export const paymentsUnderWay: ClosingBlocker = {
  touches: (accountId) => [{ table: openPayments, ids: [accountId] }],
  find(draft, accountId) {
    const found = draft.get(openPayments, accountId);
    if (!found) return undefined;
    const { paymentIds, refundIds, unreleased } = found;
    if (paymentIds.length > 0)
      return { type: 'payments_open', payments: paymentIds.map((id) => publicId('payment', id)) };
    if (refundIds.length > 0)
      return { type: 'refunds_pending', refunds: refundIds.map((id) => publicId('refund', id)) };
    return unreleased > 0n ? { type: 'unreleased_shares', unreleased } : undefined;
  },
};
