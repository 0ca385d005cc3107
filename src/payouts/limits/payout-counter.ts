/**
 * What payouts of a book have used of its limits, in one currency: in the day and in the month of the last payout that counted, in the
 * time zone of the book. A payout counts with its amount when money is held for it.
 * Invariant: each window is the sum of the payouts that count in it and have neither failed nor been canceled.
 * Next: payout-counter-table.ts (the row), count-payout.ts (who changes it). Pure.
 */
import { endOfWindow } from '../../calendar/counting-windows.ts';
import type { PayoutLimits } from '../../rails/settings/rail-settings.ts';
import type { Instant } from '../../values/clock.ts';

export interface PayoutCounter {
  readonly currency: string;
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly dayAmount: bigint;
  /** Of the month of the day. */
  readonly monthAmount: bigint;
}

export const LIMIT_WINDOWS = ['payout', 'day', 'month'] as const;

export type LimitWindow = (typeof LIMIT_WINDOWS)[number];

/** A limit with what is used of it. */
export interface LimitUsage {
  readonly window: LimitWindow;
  readonly limit: bigint;
  readonly used: bigint;
  /** Null for the limit of one payout, of which nothing is used before it. */
  readonly resetsAt: Instant | null;
}

export function newPayoutCounter(currency: string, day: string): PayoutCounter {
  return { currency, day, dayAmount: 0n, monthAmount: 0n };
}

function monthOf(day: string): string {
  return `${day.slice(0, -2)}01`;
}

/** The counter as it stands on a day. A day before its own changes nothing: clocks of two processes may differ by a little. */
export function onDay(counter: PayoutCounter, day: string): PayoutCounter {
  if (counter.day >= day) return counter;
  const monthAmount = monthOf(counter.day) === monthOf(day) ? counter.monthAmount : 0n;
  return { ...counter, day, dayAmount: 0n, monthAmount };
}

/** The counter with more or less of a payout that counts on a day. Windows that have ended are past: nothing of them changes. */
export function counted(counter: PayoutCounter, amount: bigint, day: string): PayoutCounter {
  return {
    ...counter,
    dayAmount: counter.dayAmount + (counter.day === day ? amount : 0n),
    monthAmount: counter.monthAmount + (monthOf(counter.day) === monthOf(day) ? amount : 0n),
  };
}

/** Every limit with its use, by a counter at its day. */
export function usagesOf(limits: PayoutLimits, counter: PayoutCounter, timeZone: string): LimitUsage[] {
  const { payout, day, month } = limits;
  const usages: LimitUsage[] = [];
  if (payout !== null) usages.push({ window: 'payout', limit: payout, used: 0n, resetsAt: null });
  if (day !== null)
    usages.push({
      window: 'day',
      limit: day,
      used: counter.dayAmount,
      resetsAt: endOfWindow('day', { startsOn: counter.day, timeZone }),
    });
  if (month !== null)
    usages.push({
      window: 'month',
      limit: month,
      used: counter.monthAmount,
      resetsAt: endOfWindow('month', { startsOn: monthOf(counter.day), timeZone }),
    });
  return usages;
}

/** What remains of a limit. The operator may have lowered it below what is used. */
export function remainingOf({ limit, used }: Pick<LimitUsage, 'limit' | 'used'>): bigint {
  return used < limit ? limit - used : 0n;
}
