/** When a payment is settled: nothing is left to capture, and the acquirer has paid all that was. */
import type { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Payment } from './payment.ts';
import { paymentResource } from './payment-resource.ts';

export function isWhollySettled({
  status,
  amountSettled,
  amountCaptured,
}: Pick<Payment, 'status' | 'amountSettled' | 'amountCaptured'>): boolean {
  return status === 'captured' && amountCaptured > 0n && amountSettled === amountCaptured;
}

/** captured → settled at once, where its captures were settled before the rest was voided or expired. */
export function settleIfPaid(draft: Draft, payment: Payment): Payment {
  if (!isWhollySettled(payment)) return payment;
  return advance(draft, paymentResource, payment, { status: 'settled' }, { event: 'payment.settled' });
}
