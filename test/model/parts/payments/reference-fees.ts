/** What the reference charges for a payment: 5 minor units, and 2.5 %, of which halves go to the even neighbor. */

export const FEE = { fixed: 5n, basisPoints: 250n } as const;
/** Of a chargeback. */
export const DISPUTE_FEE = 15n;

/** Of all that was captured. */
export function feeOfTotal(captured: bigint): bigint {
  if (captured === 0n) return 0n;
  const [whole, rest] = [(captured * FEE.basisPoints) / 10_000n, (captured * FEE.basisPoints) % 10_000n];
  const isUp = 2n * rest > 10_000n || (2n * rest === 10_000n && whole % 2n === 1n);
  return FEE.fixed + whole + (isUp ? 1n : 0n);
}

export interface Charged {
  readonly captured: bigint;
  readonly refunded: bigint;
  readonly refunding: bigint;
  readonly fee: bigint;
  readonly feeRefunded: bigint;
}

/** What of the fee goes back with a refund: all together give back what one of their sum would, none more than itself. Not the fixed part. */
export function feeGivenBack({ captured, refunded, refunding, fee, feeRefunded }: Charged, amount: bigint): bigint {
  const charged = fee + feeRefunded - FEE.fixed;
  if (charged <= 0n) return 0n;
  const back = (charged * (refunded + refunding + amount)) / captured - feeRefunded;
  if (back <= 0n) return 0n;
  return back < amount ? back : amount;
}
