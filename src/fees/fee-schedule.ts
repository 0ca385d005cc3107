/**
 * Fee schedules: what a movement costs. Pure; each caller that prices a movement keeps its schedule and pins the fee
 * with the hold. Every amount is in minor units of the movement's currency.
 */
import { multiplyRatio, type Rounding } from '../money/rounding.ts';

export interface FeeSchedule {
  /** Charged for every movement. */
  readonly fixed: bigint;
  /** Charged beside it: hundredths of a per cent of the amount. */
  readonly basisPoints: bigint;
  /** The least that fixed part and basis points come to together; null for none. */
  readonly minimum: bigint | null;
  /** The most that they come to together; null for none. */
  readonly maximum: bigint | null;
  /** How the part in basis points is rounded to a whole minor unit. */
  readonly rounding: Rounding;
}

/** A schedule of basis points alone. Halves go to the even neighbor, so that many fees do not drift. */
export function proportionalFee(basisPoints: bigint): FeeSchedule {
  return { fixed: 0n, basisPoints, minimum: null, maximum: null, rounding: 'half_even' };
}

/** What is wrong with a schedule, as a sentence; undefined for one that can be charged. */
export function scheduleError({ fixed, basisPoints, minimum, maximum }: FeeSchedule): string | undefined {
  if (fixed < 0n) return 'The fixed part of a fee is not negative.';
  if (basisPoints < 0n || basisPoints > 10_000n) return 'Basis points are from 0 to 10,000.';
  if (minimum !== null && minimum < 0n) return 'The minimum of a fee is not negative.';
  if (maximum !== null && maximum < (minimum ?? 0n)) return 'The maximum of a fee is not below its minimum.';
  return undefined;
}

/** The fee of an amount. Throws RangeError for an amount below zero and for a schedule with a scheduleError. */
export function feeOf(amount: bigint, schedule: FeeSchedule): bigint {
  const error = scheduleError(schedule);
  if (error !== undefined) throw new RangeError(error);
  if (amount < 0n) throw new RangeError('A fee is of an amount that is not negative.');
  const ratio = { numerator: schedule.basisPoints, denominator: 10_000n };
  const fee = schedule.fixed + multiplyRatio(amount, ratio, schedule.rounding);
  if (schedule.minimum !== null && fee < schedule.minimum) return schedule.minimum;
  return schedule.maximum !== null && fee > schedule.maximum ? schedule.maximum : fee;
}
