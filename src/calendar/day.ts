/** Days of a time zone: YYYY-MM-DD, as books count them. */
import { Temporal } from 'temporal-polyfill';
import type { Instant } from '../values/clock.ts';

/** The day on which the instant falls. Throws RangeError for an unknown time zone. */
export function dayOf(instant: Instant, timeZone: string): string {
  const quarter = Math.floor(instant / QUARTER_MS);
  let known = quarters.get(timeZone);
  if (known === undefined || known.size >= QUARTERS_KEPT) {
    known = new Map();
    if (quarters.size >= ZONES_KEPT) quarters.clear();
    quarters.set(timeZone, known);
  }
  let day = known.get(quarter);
  if (day === undefined) {
    const last = (quarter + 1) * QUARTER_MS - 1;
    const first = computedDay(quarter * QUARTER_MS, timeZone);
    day = first === computedDay(last, timeZone) ? first : null;
    known.set(quarter, day);
  }
  return day ?? computedDay(instant, timeZone);
}

/**
 * Days of quarters of an hour, by time zone: Temporal takes some 10 µs, and a report asks for each of its lines. A quarter that has the same day
 * at both ends has no other one. Null: the day changes within it, as under offsets of before 1972.
 */
const quarters = new Map<string, Map<number, string | null>>();
const QUARTER_MS = 900_000;
/** Of a zone: a month. */
const QUARTERS_KEPT = 3_000;
const ZONES_KEPT = 100;

function computedDay(instant: Instant, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(instant))
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toString();
}

export function addDays(day: string, days: number): string {
  return dayOfNumber(dayNumber(day) + days);
}

const MS_PER_DAY = 86_400_000;

/** Days since 1970-01-01: compared and stepped in far less time than dates of Temporal. Throws RangeError for any other text. */
export function dayNumber(day: string): number {
  const ms = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(ms)) throw new RangeError(`${day} is no day`);
  return ms / MS_PER_DAY;
}

export function dayOfNumber(number: number): string {
  return new Date(number * MS_PER_DAY).toISOString().slice(0, 10);
}

/** The first moment of the day: midnight, or the moment of the change where clocks are put forward then. */
export function startOfDay(day: string, timeZone: string): Instant {
  return Temporal.PlainDate.from(day).toZonedDateTime({ timeZone }).startOfDay().epochMilliseconds;
}

/** Whether a text names a time zone of the IANA database. An offset does not: it knows no summer time. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    return dayOf(0, text) !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
