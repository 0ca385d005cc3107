import { multiplyRatio } from './rounding.ts';

/** The price of a movement: hundredths of a per cent of its amount. */
export interface FeeRate {
  basisPoints: bigint;
}

/** The fee of an amount, in the amount's minor units; halves go to even. */
export function feeOf(amount: bigint, rate: FeeRate): bigint {
  return multiplyRatio(amount, { numerator: rate.basisPoints, denominator: 10_000n });
}
