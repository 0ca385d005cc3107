/**
 * When captures are released (API.md §4): so many days, or business days, after the day that they count as. A release is at the start
 * of its day in the book's time zone. Part of what a capture earns may be kept longer: the reserve.
 */
import type { Instant } from '../values/clock.ts';
import { addBusinessDays, businessDayFrom, type CalendarName } from './business-days.ts';
import { isAfterCutOff } from './cut-off.ts';
import { addDays, dayOf } from './day.ts';

export interface ReleaseSchedule {
  readonly days: number;
  readonly unit: 'days' | 'business_days';
  /** Of business days. Without effect on calendar days, until a change of the unit alone makes it one of business days. */
  readonly calendar: CalendarName;
  /** `HH:MM` in the book's time zone: from then on, captures count as those of the next day. Null: a day ends at midnight. */
  readonly cutOff: string | null;
  /** Only amounts that the acquirer has paid are released. */
  readonly onceSettled: boolean;
  readonly reserve: Reserve | null;
}

export interface Reserve {
  /** Hundredths of a per cent of what a capture earns, its fee deducted. */
  readonly basisPoints: number;
  /** Calendar days from the day that the capture counts as, whatever the unit of the rest. */
  readonly days: number;
}

export interface ReleaseDays {
  /** Of all that is not reserved. */
  readonly availableOn: string;
  /** Of the reserve: never before the rest. Null without one. */
  readonly reservedUntil: string | null;
}

/** Throws RangeError for an unknown time zone. */
export function releaseDaysOf(schedule: ReleaseSchedule, captured: Instant, timeZone: string): ReleaseDays {
  const day = dayOf(captured, timeZone);
  return releaseDaysFrom(schedule, isAfterCutOff(schedule, captured, { day, timeZone }) ? addDays(day, 1) : day);
}

/** Of a capture at any moment of the day or of the one after it: before the cut-off, or after. Each pair once. */
export function possibleReleaseDays(schedule: ReleaseSchedule, day: string): ReleaseDays[] {
  const later = schedule.cutOff === null ? [0, 1] : [0, 1, 2];
  const possible = later.map((days) => releaseDaysFrom(schedule, addDays(day, days)));
  // Days off have the release days of the business day after them.
  return possible.filter(
    (one, at) =>
      possible.findIndex(
        (other) => other.availableOn === one.availableOn && other.reservedUntil === one.reservedUntil,
      ) === at,
  );
}

/**
 * A capture on a day off counts as one of the next business day, as banks date their receipts (Directive (EU)
 * 2015/2366, article 78): a later capture is never released earlier.
 */
function releaseDaysFrom({ days, unit, calendar, reserve }: ReleaseSchedule, day: string): ReleaseDays {
  const isBusiness = unit === 'business_days';
  const counted = isBusiness ? businessDayFrom(day, calendar) : day;
  const availableOn = isBusiness ? addBusinessDays(counted, days, calendar) : addDays(counted, days);
  if (reserve === null) return { availableOn, reservedUntil: null };
  const reservedUntil = addDays(counted, reserve.days);
  return { availableOn, reservedUntil: reservedUntil < availableOn ? availableOn : reservedUntil };
}
