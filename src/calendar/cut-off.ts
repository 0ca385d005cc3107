/** Cut-offs: a time of day from which on something counts as of the next day. */
import { Temporal } from 'temporal-polyfill';
import type { Instant } from '../values/clock.ts';

/**
 * Where clocks are put forward past the cut-off, it is the moment of the change; where they are put back and show it twice, the first
 * time counts. So what comes after another never counts as of an earlier day.
 */
export function isAfterCutOff(
  { cutOff }: { readonly cutOff: string | null },
  at: Instant,
  { day, timeZone }: { day: string; timeZone: string },
): boolean {
  if (cutOff === null) return false;
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(at)).toZonedDateTimeISO(timeZone);
  const plainTime = Temporal.PlainTime.from(cutOff);
  if (Temporal.PlainTime.compare(local.toPlainTime(), plainTime) >= 0) return true;
  return at >= Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
}

/** The moment of the day's cut-off, as isAfterCutOff counts it; without one, the start of the day. */
export function cutOffOf(day: string, { cutOff, timeZone }: { cutOff: string | null; timeZone: string }): Instant {
  const plainTime = cutOff === null ? undefined : Temporal.PlainTime.from(cutOff);
  return Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
}
