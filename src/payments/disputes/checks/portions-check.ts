/** Checks that the portions of refunds and disputes are all that left: what is given back goes by them. */
import type { CheckContext } from '../../../group/check-context.ts';
import { chartAccountId } from '../../../ledger/account/chart.ts';
import { publicId } from '../../../values/ids.ts';
import { type PaymentOperation, sumOfPortions } from '../../operations/payment-operation.ts';
import type { Dispute } from '../dispute.ts';
import { debitsOf } from './booked.ts';
import type { PaymentHistory } from './payment-check-store.ts';

/**
 * The amount less the fee that the operator gave. The row of a failed refund has no fee any more: its entry shows what
 * it was.
 */
export function checkPortionsOfRefund(
  context: CheckContext,
  { steps }: PaymentHistory,
  refund: PaymentOperation,
): void {
  const { id, status, amount, currency } = refund;
  const taken = (steps.get(id) ?? []).filter(({ step }) => step === 'refunded');
  if (status === 'failed' && taken.length === 0) return;
  const operator = chartAccountId(context.book.id, 'due_operator', currency);
  const fee = status === 'failed' ? debitsOf(taken, operator) : refund.fee;
  checkSum(context, { kind: 'refund', of: refund, due: amount - fee });
}

/** The amount and the fee. An inquiry takes nothing. */
export function checkPortionsOfDispute(context: CheckContext, dispute: Dispute): void {
  const due = dispute.stage === 'chargeback' ? dispute.amount + dispute.fee : 0n;
  checkSum(context, { kind: 'dispute', of: dispute, due });
}

function checkSum(
  { report }: CheckContext,
  { kind, of, due }: { kind: 'refund' | 'dispute'; of: Pick<PaymentOperation, 'id' | 'portions'>; due: bigint },
): void {
  const sum = sumOfPortions(of.portions);
  if (sum === due) return;
  report({
    check: 'payment.portions',
    ids: { [kind]: publicId(kind, of.id) },
    expected: `portions of ${due}`,
    actual: `portions of ${sum}`,
    detail: `The portions of the ${kind} are not what was taken for it.`,
  });
}
