/**
 * What a purchase uses up of limits: what is cleared and what is held of it, and one purchase while that is above zero. All of it counts in
 * the windows of the moment at which the purchase first used something, also what changes later.
 */
import type { WindowStarts } from '../../calendar/counting-windows.ts';
import type { Instant } from '../../values/clock.ts';

export interface Usage {
  /** Cleared less what was taken back, and held beside it. Never negative. */
  readonly amount: bigint;
  /** Refunds less their reversals. */
  readonly refunded: bigint;
}

export const NO_USAGE: Usage = { amount: 0n, refunded: 0n };

export interface UsageChange {
  readonly before: Usage;
  readonly after: Usage;
  /** Of the moment at which the purchase first used something, that of this change included. Null: it never has. */
  readonly countsIn: WindowStarts | null;
}

export function countOf({ amount }: Usage): bigint {
  return amount > 0n ? 1n : 0n;
}

/** When a purchase first used something. Fixed from then on, whatever is given back. */
export function firstUse(
  after: Usage,
  { known, now }: { readonly known: Instant | null; readonly now: Instant },
): Instant | null {
  return known ?? (after.amount > 0n ? now : null);
}

/** Whether a purchase counts in a counter that began at a moment: only from its own first message on is all of it known there. */
export function countsSince(countedSince: Instant | null, begunAt: Instant): boolean {
  return countedSince === null || begunAt >= countedSince;
}
