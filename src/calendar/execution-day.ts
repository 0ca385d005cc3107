/**
 * When a bank carries out an order and when its money should be there: by the cut-off, the business days and the time zone of who
 * carries it. Pure.
 */
import type { Instant } from '../values/clock.ts';
import { type CalendarName, isBusinessDay } from './business-days.ts';
import { isAfterCutOff } from './cut-off.ts';
import { addDays, dayOf, startOfDay } from './day.ts';

export interface ExecutionSchedule {
  readonly timeZone: string;
  /** `HH:MM` there: from then on, orders count as those of the next day. Null: a day ends at midnight. */
  readonly cutOff: string | null;
  readonly calendar: CalendarName;
  /** Closing days beside those of the calendar, YYYY-MM-DD. */
  readonly holidays: readonly string[];
  /** Business days from the day of execution to the arrival. */
  readonly daysToArrive: number;
}

/** The business day on which an order of the moment is carried out. Throws RangeError for an unknown time zone. */
export function executionDay(schedule: ExecutionSchedule, at: Instant): string {
  const day = dayOf(at, schedule.timeZone);
  return openFrom(isAfterCutOff(schedule, at, { day, timeZone: schedule.timeZone }) ? addDays(day, 1) : day, schedule);
}

/** The business day on which the money of an order should be there. */
export function arrivalDay(schedule: ExecutionSchedule, at: Instant): string {
  let day = executionDay(schedule, at);
  for (let left = schedule.daysToArrive; left > 0; left--) day = openFrom(addDays(day, 1), schedule);
  return day;
}

/** The same as a moment: the start of that day, or the moment itself where the day has begun. */
export function expectedArrival(schedule: ExecutionSchedule, at: Instant): Instant {
  return Math.max(at, startOfDay(arrivalDay(schedule, at), schedule.timeZone));
}

/** The day itself, or the first day after it on which the bank is open. */
function openFrom(day: string, { calendar, holidays }: ExecutionSchedule): string {
  let found = day;
  while (!isBusinessDay(found, calendar) || holidays.includes(found)) found = addDays(found, 1);
  return found;
}
