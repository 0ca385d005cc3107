/**
 * A hold reserves an amount of an account without posting. A hold is increased, captured (also in parts), released or
 * expired, and every step is a row. Invariant: an open hold's `remaining` is part of its account's held total.
 */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type HoldStatus =
  /** An amount remains reserved. */
  | 'open'
  /** Nothing remains, and the last step was a capture. */
  | 'captured'
  /** Nothing remains, and the last step was a release. */
  | 'released'
  /** Nothing remains, and the last step was an expiry. */
  | 'expired';

export interface Hold {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly currency: string;
  /** All that was ever reserved: its steps `created` and `increased`. */
  readonly amount: bigint;
  readonly remaining: bigint;
  readonly status: HoldStatus;
  readonly expiresAt: Instant | null;
  /** The number of steps so far; the ordinal of the last one. */
  readonly steps: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A step that takes from what remains. */
export type TakingKind = 'captured' | 'released' | 'expired';

export type HoldStepKind = 'created' | 'increased' | TakingKind;

export interface HoldStep {
  readonly holdId: Uuid;
  readonly ordinal: number;
  readonly kind: HoldStepKind;
  readonly amount: bigint;
  /** It left less available than the account's floor allows. */
  readonly floorOverridden: boolean;
  readonly createdAt: Instant;
}

/**
 * The hold after part of its remaining amount is captured, released or expired. Throws RangeError for an amount that is
 * not positive and for more than remains: the caller checks first.
 */
export function takeFromHold(hold: Hold, step: { kind: TakingKind; amount: bigint; moment: Instant }): Hold {
  if (step.amount <= 0n || step.amount > hold.remaining) {
    throw new RangeError(`Hold ${hold.id} has ${hold.remaining} left, ${step.amount} was to be ${step.kind}`);
  }
  const remaining = hold.remaining - step.amount;
  return {
    ...hold,
    remaining,
    status: remaining === 0n ? step.kind : 'open',
    steps: hold.steps + 1,
    updatedAt: step.moment,
  };
}

/**
 * The hold with more reserved. Throws RangeError for an amount that is not positive and for a hold that has ended: the
 * caller checks first, and checks that the account covers the amount.
 */
export function increaseHold(hold: Hold, step: { amount: bigint; moment: Instant }): Hold {
  if (step.amount <= 0n) throw new RangeError(`Hold ${hold.id} was to be increased by ${step.amount}`);
  if (hold.status !== 'open') throw new RangeError(`Hold ${hold.id} is ${hold.status} and was to be increased`);
  return {
    ...hold,
    amount: hold.amount + step.amount,
    remaining: hold.remaining + step.amount,
    steps: hold.steps + 1,
    updatedAt: step.moment,
  };
}
