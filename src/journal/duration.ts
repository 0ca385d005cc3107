/** Durations of ISO 8601 (5.5.2.2, with designators): `P2D`, `P1Y6M`, `PT36H`, `P2W`. Whole numbers, none negative. */
import type { Instant } from '../values/clock.ts';

const FORM = /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
/** More digits than any length of time that a book is moved by. */
const DIGITS_MAX = 9;
const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

export interface Duration {
  /** Of the calendar: months differ in length. */
  readonly months: number;
  readonly ms: number;
}

/** Undefined for any other text. */
export function parseDuration(text: string): Duration | undefined {
  const parts = FORM.exec(text)?.slice(1);
  if (parts === undefined || parts.some((part) => part !== undefined && part.length > DIGITS_MAX)) return undefined;
  const [years, months, weeks, days, hours, minutes, seconds] = parts.map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    months: years * 12 + months,
    ms: (weeks * 7 + days) * DAY_MS + hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS,
  };
}

/**
 * The moment that much later, in UTC: the months first, and of a month that is too short its last day. NaN beyond the
 * calendar.
 */
export function laterBy(from: Instant, { months, ms }: Duration): Instant {
  const date = new Date(from);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const daysOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, daysOfMonth));
  return date.getTime() + ms;
}
