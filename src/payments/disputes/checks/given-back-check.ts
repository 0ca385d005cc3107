/** Checks what failed refunds and won disputes gave back: no account was credited before the day on which its money is available. */
import { dayOf } from '../../../calendar/day.ts';
import type { CheckContext } from '../../../group/check-context.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import type { PaymentOperation } from '../../operations/payment-operation.ts';
import { type Dispute, partsOf } from '../dispute.ts';
import { debitsOf } from './booked.ts';
import type { PaymentHistory } from './payment-check-store.ts';

const GIVES_BACK = ['failed', 'failed_late', 'won'];

export function checkFailedRefund(context: CheckContext, history: PaymentHistory, refund: PaymentOperation): void {
  checkGivenBack(context, history, { kind: 'refund', of: refund, parts: refund.portions });
}

export function checkWonDispute(context: CheckContext, history: PaymentHistory, dispute: Dispute): void {
  const parts = partsOf(dispute).map(({ portion, disputed, fee }) => ({
    shareId: portion.shareId,
    amount: dispute.feeRefunded > 0n ? disputed + fee : disputed,
  }));
  checkGivenBack(context, history, { kind: 'dispute', of: dispute, parts });
}

interface Given {
  readonly kind: 'refund' | 'dispute';
  readonly of: Pick<PaymentOperation, 'id' | 'accountId' | 'currency'>;
  /** What it had taken, and gives back. */
  readonly parts: readonly { readonly shareId: Uuid | null; readonly amount: bigint }[];
}

/** The account gets what it gave itself, and what it would have by then. */
function checkGivenBack(
  { report }: CheckContext,
  { steps, shares, timeZone }: PaymentHistory,
  { kind, of: { id, accountId, currency }, parts }: Given,
): void {
  const entry = steps.get(id)?.find(({ step }) => GIVES_BACK.includes(step));
  if (!entry) return;
  const credited = -debitsOf([entry], accountId);
  const today = dayOf(entry.postedAt, timeZone);
  const isOver = (shareId: Uuid | null) =>
    shareId === null || (shares.get(shareId)?.availableOn ?? '9999-12-31') <= today;
  const due = parts.reduce((sum, { shareId, amount }) => (isOver(shareId) ? sum + amount : sum), 0n);
  if (credited <= due) return;
  report({
    check: 'payment.available_on',
    ids: { [kind]: publicId(kind, id), account: publicId('account', accountId) },
    expected: `at most ${due} ${currency} credited`,
    actual: `${credited} ${currency} credited`,
    detail: 'Money was given back to the account before the day on which it is available.',
  });
}
