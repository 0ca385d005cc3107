/** What the page of a payment shows, by what the payment waits for. Pure. */
import { publicId } from '../../values/ids.ts';
import { awaitsCard, type Payment } from '../payment/payment.ts';
import { asciiUrl, withPayment } from '../payment/return-url.ts';

export type CheckoutState = 'form' | 'processing' | 'challenge' | 'paid' | 'failed' | 'canceled' | 'expired';

export function checkoutState(payment: Payment): CheckoutState {
  if (awaitsCard(payment)) return 'form';
  switch (payment.status) {
    case 'requires_action':
      return payment.nextAction === null ? 'expired' : 'challenge';
    case 'processing':
      return 'processing';
    case 'failed':
    case 'canceled':
    case 'expired':
      return payment.status;
    default:
      return 'paid';
  }
}

/** Whether the payment's answer is known, as far as the payer's page goes. */
export function hasAnswer({ status }: Pick<Payment, 'status'>): boolean {
  return status !== 'processing';
}

/** The number of the attempt that the form is for: sent twice, a card is charged once. */
export function attemptNumber({ attempts }: Pick<Payment, 'attempts'>): number {
  return attempts.length + 1;
}

/** A merchant's URL with the payment that it is about, as a header or a link has it; null where the merchant gave none. */
export function backUrl(url: string | null, { id }: Pick<Payment, 'id'>): string | null {
  return url === null ? null : asciiUrl(withPayment(url, publicId('payment', id)));
}
