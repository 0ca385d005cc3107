/** Days of a time zone: YYYY-MM-DD, as books count them. */
import { Temporal } from 'temporal-polyfill';
import type { Instant } from '../values/clock.ts';

/** The day on which the instant falls. Throws RangeError for an unknown time zone. */
export function dayOf(instant: Instant, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(instant))
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toString();
}

export function addDays(day: string, days: number): string {
  return dayOfNumber(dayNumber(day) + days);
}

const MS_PER_DAY = 86_400_000;

/** Days since 1970-01-01: compared and stepped in far less time than dates of Temporal. Throws RangeError for what is no day. */
export function dayNumber(day: string): number {
  const ms = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(ms)) throw new RangeError(`${day} is no day`);
  return ms / MS_PER_DAY;
}

export function dayOfNumber(number: number): string {
  return new Date(number * MS_PER_DAY).toISOString().slice(0, 10);
}

/** The first moment of the day: midnight, or what stands for it where clocks are put forward then. */
export function startOfDay(day: string, timeZone: string): Instant {
  return Temporal.PlainDate.from(day).toZonedDateTime({ timeZone }).startOfDay().epochMilliseconds;
}
