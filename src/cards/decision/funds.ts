/** What an account still covers, with the fee that is held beside an amount. */
import { type FeeSoFar, feeOfMore } from '../program/program-fees.ts';
import type { AccountFacts } from './decision-input.ts';

/** What may still leave the account, overdraft included. Null: there is no limit. */
export function spendable({ posted, held, floor }: AccountFacts): bigint | null {
  return floor === null ? null : posted - held - floor;
}

/** An amount with what it adds to the fee. */
export function withFee(amount: bigint, fee: FeeSoFar): bigint {
  return amount + feeOfMore(amount, fee);
}

/**
 * The largest amount that is covered with its fee, up to `atMost`; 0 where none is. An amount with its fee grows with the amount (a fee never
 * falls), so halving finds it: some sixty steps for the largest amounts.
 */
export function largestCovered(fee: FeeSoFar, { funds, atMost }: { funds: bigint | null; atMost: bigint }): bigint {
  if (funds === null || withFee(atMost, fee) <= funds) return atMost;
  let covered = 0n;
  let above = atMost;
  while (above - covered > 1n) {
    const middle = (covered + above) / 2n;
    if (withFee(middle, fee) <= funds) covered = middle;
    else above = middle;
  }
  return covered;
}
