import type { Payment } from './payment.ts';
import type { PaymentShare } from './share.ts';

/**
 * Whether a share that a refund took from takes it back when the refund fails; if not, the customer does. A waiting share does only
 * for a payment that waits in it: where its captures have moved on, nobody would ever move what came back.
 */
export function takesBack(
  { status, kind, availableOn }: PaymentShare,
  payment: Pick<Payment, 'availableOn' | 'amountSettled' | 'amountCaptured'>,
): boolean {
  if (status !== 'open') return false;
  return kind === 'ready' || (availableOn === payment.availableOn && payment.amountSettled < payment.amountCaptured);
}
