/** Rounding and allocation in whole minor units. An allocation's parts add up to the whole exactly. */
import bigInt from 'big-integer';

export const ROUNDINGS = ['half_even', 'half_up', 'down', 'up'] as const;

export type Rounding = (typeof ROUNDINGS)[number];

/**
 * `amount × numerator ÷ denominator`, rounded once at the end. Halves go to the even neighbour by default (banker's
 * rounding: no drift over many amounts). Amount and numerator may be negative: an amount and its negative are rounded
 * alike. Throws RangeError when the denominator is not positive.
 */
export function multiplyRatio(
  amount: bigint,
  ratio: { numerator: bigint; denominator: bigint },
  rounding: Rounding = 'half_even',
): bigint {
  if (ratio.denominator <= 0n) throw new RangeError('The denominator of a ratio is positive');
  const product = bigInt(amount).multiply(bigInt(ratio.numerator));
  const { quotient, remainder } = product.abs().divmod(bigInt(ratio.denominator));
  const rounded = roundsAway({ quotient, remainder, denominator: bigInt(ratio.denominator), rounding })
    ? quotient.next()
    : quotient;
  return toNative(product.isNegative() ? rounded.negate() : rounded);
}

function roundsAway(parts: {
  quotient: bigInt.BigInteger;
  remainder: bigInt.BigInteger;
  denominator: bigInt.BigInteger;
  rounding: Rounding;
}): boolean {
  const { quotient, remainder, denominator, rounding } = parts;
  if (remainder.isZero() || rounding === 'down') return false;
  if (rounding === 'up') return true;
  const half = remainder.multiply(2).compare(denominator);
  if (half !== 0) return half > 0;
  return rounding === 'half_up' || quotient.isOdd();
}

/**
 * Splits an amount by weights (largest remainder; ties go to the earlier part). The parts add up to the amount exactly.
 * Throws RangeError when a weight is negative or all are zero.
 */
export function allocate(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum.add(bigInt(weight)), bigInt.zero);
  if (total.isZero() || weights.some((weight) => weight < 0n))
    throw new RangeError('Weights are not negative and not all zero');
  const whole = bigInt(amount).abs();
  const parts = weights.map((weight, index) => {
    const { quotient, remainder } = whole.multiply(bigInt(weight)).divmod(total);
    return { index, quotient, remainder };
  });
  let left = parts.reduce((rest, part) => rest.subtract(part.quotient), whole);
  const byRemainder = [...parts].sort((a, b) => b.remainder.compare(a.remainder) || a.index - b.index);
  for (const part of byRemainder) {
    if (left.isZero()) break;
    part.quotient = part.quotient.next();
    left = left.prev();
  }
  return parts.map(({ quotient }) => toNative(amount < 0n ? quotient.negate() : quotient));
}

function toNative(value: bigInt.BigInteger): bigint {
  return BigInt(value.toString());
}
