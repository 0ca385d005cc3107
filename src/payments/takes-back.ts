/**
 * Whether a share that a refund took from takes it back when the refund fails; if not, the customer does. A waiting share does only
 * while captures wait in it, the payment's own or others: where all have moved on, nobody would ever move what came back.
 */
import type { Payment } from './payment.ts';
import type { PaymentShare } from './share.ts';

export function takesBack(
  { status, kind, amount, availableOn }: PaymentShare,
  payment: Pick<Payment, 'availableOn' | 'amountSettled' | 'amountCaptured'>,
): boolean {
  if (status !== 'open') return false;
  return (
    kind === 'ready' ||
    amount > 0n ||
    (availableOn === payment.availableOn && payment.amountSettled < payment.amountCaptured)
  );
}
