/** Whether more stands cleared than was authorized, measured where the hold is measured. What was never authorized is forced instead. */
import { multiplyRatio } from '../../money/rounding.ts';
import type { Tally } from './tally.ts';

export function isOverCleared(tally: Tally): boolean {
  return isBeyond(tally, 0);
}

/** Also beyond what the merchant's category may add. The limit is rounded down. */
export function isBeyondTolerance(tally: Tally, percent: number): boolean {
  return isBeyond(tally, percent);
}

function isBeyond({ account, merchant, has }: Tally, percent: number): boolean {
  if (!has.authorization) return false;
  const { authorized, reversed, standing } = merchant ?? account;
  const whole = authorized > reversed ? authorized - reversed : 0n;
  return standing > multiplyRatio(whole, { numerator: 100n + BigInt(percent), denominator: 100n }, 'down');
}
