/**
 * What a purchase uses up of limits: what is cleared and what is held of it, and one purchase while that is above zero. All of it counts in
 * the windows of the moment at which the purchase first used something, also what changes later.
 */
import type { WindowStarts } from '../../calendar/counting-windows.ts';
import type { Instant } from '../../values/clock.ts';
import type { ControlsEnforced } from '../controls/controls.ts';

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

/** The first message of a purchase. */
export interface Beginning {
  readonly at: Instant;
  /** The number of its event in the book. */
  readonly eventSequence: bigint;
}

/**
 * Whether a purchase counts in the counters that limits of a version have for themselves: only where it began behind the version is all of
 * it known there.
 */
export function countsSince(
  { countedSince, countedBehind }: Pick<ControlsEnforced, 'countedSince' | 'countedBehind'>,
  begun: Beginning,
): boolean {
  if (countedBehind !== null) return begun.eventSequence > countedBehind;
  return countedSince === null || begun.at >= countedSince;
}
