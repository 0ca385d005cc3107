/**
 * Whether a share that a refund took other payments' money from takes it back when the refund fails; if not, the customer does. A
 * waiting share does only while it lacks so much: captures that were settled meanwhile were paid without it, and of what came back
 * beyond that nobody would ever move anything.
 */
import type { PaymentShare } from './share.ts';

export function takesBack({ status, kind, lent }: PaymentShare, amount: bigint): boolean {
  return status === 'open' && (kind === 'ready' || lent >= amount);
}
