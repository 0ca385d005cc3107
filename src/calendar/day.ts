/** Days of a time zone: YYYY-MM-DD, as books count them. */
import { Temporal } from 'temporal-polyfill';
import type { Instant } from '../clock.ts';

/** The day on which the instant falls. Throws RangeError for an unknown time zone. */
export function dayOf(instant: Instant, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(instant))
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toString();
}

export function addDays(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

/** The first moment of the day: midnight, or what stands for it where clocks are put forward then. */
export function startOfDay(day: string, timeZone: string): Instant {
  return Temporal.PlainDate.from(day).toZonedDateTime({ timeZone }).startOfDay().epochMilliseconds;
}
