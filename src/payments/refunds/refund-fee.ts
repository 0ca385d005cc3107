/** What of the fee a refund gives back. */
import { multiplyRatio } from '../../money/rounding.ts';
import type { Payment } from '../payment/payment.ts';

/**
 * The part in basis points, in cumulative proportion: all refunds together give back what one of their sum would, so that no
 * rounding adds up. Never below zero, since refunds that failed may have given back less than their part, and never more than the
 * refund itself: what is left over waits for the next one. The fixed part is the operator's for its work.
 */
export function allocatedFee(payment: ChargedPayment, amount: bigint): bigint {
  const { amountCaptured, amountRefunded, amountRefunding, fee, feeRefunded, feeFixed } = payment;
  const charged = fee + feeRefunded - feeFixed;
  if (charged <= 0n || amountCaptured === 0n) return 0n;
  const refunded = amountRefunded + amountRefunding + amount;
  const ratio = { numerator: refunded, denominator: amountCaptured };
  const back = multiplyRatio(charged, ratio, 'down') - feeRefunded;
  if (back <= 0n) return 0n;
  return back < amount ? back : amount;
}

export type ChargedPayment = Pick<
  Payment,
  'amountCaptured' | 'amountRefunded' | 'amountRefunding' | 'fee' | 'feeRefunded' | 'feeFixed'
>;
