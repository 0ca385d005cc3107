/**
 * A refund may have taken money of other payments out of a share. When it fails, that goes back to the share or, if this is false, to
 * the customer. A waiting share takes back only what it still lacks (`lent`). The captures that were settled meanwhile have moved on
 * without the rest, and no later settlement would move it out of the share.
 */
import type { PaymentShare } from './share.ts';

export function takesBack({ status, kind, lent }: PaymentShare, amount: bigint): boolean {
  return status === 'open' && (kind === 'ready' || lent >= amount);
}
