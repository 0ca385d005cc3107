import { multiplyRatio } from './rounding.ts';

/** What a movement costs: hundredths of a per cent of its amount. */
export interface FeeRate {
  basisPoints: bigint;
}

/** The fee of an amount in its own minor units, halves to even; never less than zero. */
export function feeOf(amount: bigint, rate: FeeRate): bigint {
  return multiplyRatio(amount, { numerator: rate.basisPoints, denominator: 10_000n });
}
