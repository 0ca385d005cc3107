/** What of a limit is used up, what remains, and when it begins anew. */
import { endOfWindow, type WindowStarts } from '../../calendar/counting-windows.ts';
import type { Instant } from '../../values/clock.ts';
import { hasOwnCounter, type Limit } from '../controls/controls-content.ts';
import { atMoment, type Counted, type Counter } from './counter.ts';

export interface Measure {
  readonly limit: bigint;
  /** May be above the limit: advices and clearings count, and nobody can refuse them. */
  readonly used: bigint;
  /** Never below 0. */
  readonly remaining: bigint;
}

export interface LimitUsage {
  /** Null for a limit without an amount. */
  readonly amount: Measure | null;
  /** Null for a limit without a count. */
  readonly count: Measure | null;
  /** Null where no period ends. */
  readonly resetsAt: Instant | null;
  /** Null where every purchase counts. */
  readonly countedSince: Instant | null;
}

export function measure({ limit, used }: Pick<Measure, 'limit' | 'used'>): Measure {
  return { limit, used, remaining: used < limit ? limit - used : 0n };
}

/** What counts against a limit of a period, by a counter at its moment. One of a single purchase has nothing used up before it. */
export function usedOf({ window, netOfRefunds }: Limit, counter: Counter): Counted {
  if (window === 'authorization') return { amount: 0n, count: 0n };
  if (window !== 'all_time') return counter[window];
  if (!netOfRefunds) return counter.allTime;
  const { amount, count } = counter.allTime;
  return { amount: amount > counter.refunded ? amount - counter.refunded : 0n, count };
}

/** As reading controls shows it. `countedSince`: of the version that has the limit. */
export function limitUsage(
  limit: Limit,
  counter: Counter,
  at: { readonly now: WindowStarts; readonly timeZone: string; readonly countedSince: Instant | null },
): LimitUsage {
  const { window, amount, count } = limit;
  const current = atMoment(counter, at.now);
  const used = usedOf(limit, current);
  const isCalendar = window !== 'authorization' && window !== 'all_time';
  return {
    amount: amount === null ? null : measure({ limit: amount, used: used.amount }),
    count: count === null ? null : measure({ limit: count, used: used.count }),
    resetsAt: isCalendar ? endOfWindow(window, { startsOn: current[window].startsOn, timeZone: at.timeZone }) : null,
    countedSince: hasOwnCounter(limit) ? at.countedSince : null,
  };
}
