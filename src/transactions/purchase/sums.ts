/** The sums of a purchase in one currency: the account's, or the merchant's where every part has an amount in it. */

import { multiplyRatio } from '../../money/rounding.ts';
import type { MerchantAmount } from '../message/message.ts';

/** An amount that counts. */
export interface Part {
  readonly amount: bigint;
  /** What reversals that name the message leave of it. */
  readonly standing: bigint;
  readonly merchant: MerchantAmount | null;
  /** Posted without a clearing. */
  readonly isSingle: boolean;
}

/** tally.ts explains each. */
export interface Sums {
  readonly authorized: bigint;
  readonly reversed: bigint;
  readonly cleared: bigint;
  readonly standing: bigint;
}

export interface MerchantSums extends Sums {
  readonly currency: string;
}

export interface CountedParts {
  readonly authorized: readonly Part[];
  readonly reversals: readonly Part[];
  readonly clearings: readonly Part[];
  readonly isReversedWhole: boolean;
}

export function measuresOf(parts: CountedParts): { account: Sums; merchant: MerchantSums | null } {
  return { account: sumUp(parts), merchant: merchantSums(parts) };
}

function sumUp({ authorized, reversals, clearings, isReversedWhole }: CountedParts): Sums {
  const reversed = total(reversals, 'amount');
  const singles = authorized.filter(({ isSingle }) => isSingle);
  const posted = total(singles, 'standing');
  const back = isReversedWhole || reversed > posted ? posted : reversed;
  return {
    authorized: total(authorized, 'amount'),
    reversed,
    cleared: total(clearings, 'amount') + total(singles, 'amount') - back,
    standing: total(clearings, 'standing') + posted - back,
  };
}

function total(parts: readonly Part[], member: 'amount' | 'standing'): bigint {
  return parts.reduce((sum, part) => sum + part[member], 0n);
}

/**
 * Null where a part has no amount of its merchant, or two of them have different currencies. 0 does not count: what is worth something in the
 * account and nothing to the merchant, by a message or by rounding a part down, cannot be measured there.
 */
function merchantSums({ authorized, reversals, clearings, isReversedWhole }: CountedParts): MerchantSums | null {
  const parts = [...authorized, ...reversals, ...clearings].filter(({ amount }) => amount > 0n);
  const currency = parts[0]?.merchant?.currency;
  const isMeasured = ({ merchant }: Part) =>
    merchant !== null && merchant.currency === currency && merchant.amount > 0n;
  if (currency === undefined || !parts.every(isMeasured)) return null;
  const sums = sumUp({
    authorized: authorized.map(inMerchantCurrency),
    reversals: reversals.map(inMerchantCurrency),
    clearings: clearings.map(inMerchantCurrency),
    isReversedWhole,
  });
  return { ...sums, currency };
}

/** What stands is the same part of both amounts, rounded down. */
function inMerchantCurrency({ amount, standing, merchant, isSingle }: Part): Part {
  const whole = merchant?.amount ?? 0n;
  const ratio = { numerator: standing, denominator: amount };
  return {
    amount: whole,
    standing: amount === 0n ? 0n : multiplyRatio(whole, ratio, 'down'),
    merchant,
    isSingle,
  };
}
