/**
 * A counter: what purchases have used up in the current day, week, month and year, and in all, of one scope and currency. Whether or not a
 * limit exists. A limit of a period with a filter has a counter of its own, which the purchases that it is for change likewise.
 * Invariant: each window is the sum of what the purchases that count in it use up now, so the order of their changes does not matter.
 * Next: usage.ts (what a purchase uses up), limit-usage.ts (what a limit shows of it).
 */
import { CALENDAR_WINDOWS, type CalendarWindow, type WindowStarts } from '../../calendar/counting-windows.ts';
import { countOf, type UsageChange } from './usage.ts';

export interface Counted {
  readonly amount: bigint;
  /** Purchases. */
  readonly count: bigint;
}

export interface WindowCount extends Counted {
  /** The first day of the window, YYYY-MM-DD. */
  readonly startsOn: string;
}

export interface Counter extends Readonly<Record<CalendarWindow, WindowCount>> {
  readonly allTime: Counted;
  /** Refunds less their reversals, from the first purchase on. Never negative. */
  readonly refunded: bigint;
}

const NOTHING: Counted = { amount: 0n, count: 0n };

export function newCounter(now: WindowStarts): Counter {
  return {
    day: newWindow(now.day),
    week: newWindow(now.week),
    month: newWindow(now.month),
    year: newWindow(now.year),
    allTime: NOTHING,
    refunded: 0n,
  };
}

function newWindow(startsOn: string): WindowCount {
  return { startsOn, amount: 0n, count: 0n };
}

/**
 * The counter as it stands at a moment: windows that have ended begin anew. A moment before the one that it has come to changes nothing:
 * clocks of two processes may differ by a little.
 */
export function atMoment(counter: Counter, now: WindowStarts): Counter {
  if (CALENDAR_WINDOWS.every((window) => counter[window].startsOn >= now[window])) return counter;
  return {
    day: begunAnew(counter.day, now.day),
    week: begunAnew(counter.week, now.week),
    month: begunAnew(counter.month, now.month),
    year: begunAnew(counter.year, now.year),
    allTime: counter.allTime,
    refunded: counter.refunded,
  };
}

function begunAnew(window: WindowCount, startsOn: string): WindowCount {
  return window.startsOn >= startsOn ? window : newWindow(startsOn);
}

/** The counter after a purchase uses up more or less. Windows of its first use that have ended are past: nothing of them is changed. */
export function countChange(counter: Counter, change: UsageChange, now: WindowStarts): Counter {
  const current = atMoment(counter, now);
  const { before, after, countsIn } = change;
  const added: Counted = { amount: after.amount - before.amount, count: countOf(after) - countOf(before) };
  const inWindow = (window: CalendarWindow) => addedTo(current[window], added, countsIn?.[window]);
  return {
    day: inWindow('day'),
    week: inWindow('week'),
    month: inWindow('month'),
    year: inWindow('year'),
    allTime: sum(current.allTime, added),
    refunded: notNegative(current.refunded + after.refunded - before.refunded),
  };
}

function addedTo(window: WindowCount, added: Counted, startsOn: string | undefined): WindowCount {
  if (window.startsOn !== startsOn) return window;
  const { amount, count } = sum(window, added);
  return { startsOn, amount, count };
}

function sum(counted: Counted, added: Counted): Counted {
  return { amount: notNegative(counted.amount + added.amount), count: notNegative(counted.count + added.count) };
}

function notNegative(value: bigint): bigint {
  return value > 0n ? value : 0n;
}
