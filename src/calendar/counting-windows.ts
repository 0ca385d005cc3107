/**
 * Windows in which something is counted: the day, the week from Monday, the month and the year of a time zone. A window is named by its
 * first day, YYYY-MM-DD.
 */
import { BoundedMap } from '../values/bounded-map.ts';
import type { Instant } from '../values/clock.ts';
import { addDays, dayNumber, dayOf, dayOfNumber, startOfDay } from './day.ts';

export const CALENDAR_WINDOWS = ['day', 'week', 'month', 'year'] as const;

export type CalendarWindow = (typeof CALENDAR_WINDOWS)[number];

/** The first day of each window. */
export type WindowStarts = Readonly<Record<CalendarWindow, string>>;

/**
 * The windows into which the instant falls. Throws RangeError for an unknown time zone. Those of a minute are remembered: Temporal takes
 * tens of microseconds, and every authorization asks.
 */
export function windowStartsOf(instant: Instant, timeZone: string): WindowStarts {
  if (instant < WHOLE_MINUTES_FROM) return windowsOfDay(dayOf(instant, timeZone));
  const minute = `${Math.floor(instant / MS_PER_MINUTE)} ${timeZone}`;
  const known = windowsOfMinutes.get(minute);
  if (known !== undefined) return known;
  const starts = windowsOfDay(dayOf(instant, timeZone));
  windowsOfMinutes.set(minute, starts);
  return starts;
}

const MS_PER_MINUTE = 60_000;
/** Since then every time zone differs from UTC by whole minutes (IANA; Liberia was the last), so days begin with a minute. */
const WHOLE_MINUTES_FROM = Date.UTC(1973, 0, 1);
/** A few for each book that is busy; an entry has some 200 bytes. */
const MINUTES_KEPT = 1_000;
const windowsOfMinutes = new BoundedMap<string, WindowStarts>(MINUTES_KEPT);

/** Throws RangeError for what is no day. */
export function windowsOfDay(day: string): WindowStarts {
  return { day, week: mondayOf(day), month: `${day.slice(0, -2)}01`, year: `${day.slice(0, -5)}01-01` };
}

/** ISO 8601: a week begins on Monday. Day 0 of day.ts is a Thursday. */
function mondayOf(day: string): string {
  const number = dayNumber(day);
  const fromMonday = (((number + 3) % 7) + 7) % 7;
  return dayOfNumber(number - fromMonday);
}

/** The first moment behind the window that begins on the day. Throws RangeError for an unknown time zone. */
export function endOfWindow(
  window: CalendarWindow,
  { startsOn, timeZone }: { readonly startsOn: string; readonly timeZone: string },
): Instant {
  return startOfDay(nextStart(window, startsOn), timeZone);
}

/** From any day of a month 31 days lead into the next one, from any day of a year 366 into the next year. */
function nextStart(window: CalendarWindow, startsOn: string): string {
  if (window === 'day') return addDays(startsOn, 1);
  if (window === 'week') return addDays(startsOn, 7);
  return windowsOfDay(addDays(startsOn, window === 'month' ? 31 : 366))[window];
}
