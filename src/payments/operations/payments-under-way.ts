import type { ClosingBlocker } from '../../ledger/command/closing-blocker.ts';
import { publicId } from '../../values/ids.ts';
import { openPayments } from './under-way-store.ts';

type PaymentBlock = 'payments_open' | 'refunds_pending' | 'disputes_open' | 'unreleased_shares';

/** An account stays open while a payment for it can still be captured, a refund is under way, a dispute is open or money waits for its release. */
export const paymentsUnderWay: ClosingBlocker<PaymentBlock> = {
  types: ['payments_open', 'refunds_pending', 'disputes_open', 'unreleased_shares'],
  touches: (accountId) => [{ table: openPayments, ids: [accountId] }],
  find(draft, accountId) {
    const found = draft.get(openPayments, accountId);
    if (!found) return undefined;
    const { paymentIds, refundIds, disputeIds, unreleased } = found;
    if (paymentIds.length > 0)
      return { type: 'payments_open', payments: paymentIds.map((id) => publicId('payment', id)) };
    if (refundIds.length > 0)
      return { type: 'refunds_pending', refunds: refundIds.map((id) => publicId('refund', id)) };
    if (disputeIds.length > 0)
      return { type: 'disputes_open', disputes: disputeIds.map((id) => publicId('dispute', id)) };
    return unreleased > 0n ? { type: 'unreleased_shares', unreleased } : undefined;
  },
};
