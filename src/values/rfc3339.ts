/**
 * Times of RFC 3339, 5.6. Date.parse is no reader of these: it takes 30 February for 2 March, refuses a leap second, and takes a text without an
 * offset for a time of the machine's own zone.
 */
import type { Instant } from './clock.ts';

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})T(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})(?:\.(?<fraction>\d+))?(?:Z|(?<sign>[+-])(?<offsetHour>\d{2}):(?<offsetMinute>\d{2}))$/i;

/** A day of the calendar, YYYY-MM-DD: February has no 30th. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Undefined where the text is no such time. A leap second is the moment that follows it; what is finer than a millisecond is cut off. */
export function parseRfc3339(text: string): Instant | undefined {
  const match = DATE_TIME.exec(text);
  const [, day = ''] = match ?? [];
  if (!match || !isCalendarDay(day)) return undefined;
  const number = (name: string) => Number(match.groups![name] ?? 0);
  const [hour, minute, second] = [number('hour'), number('minute'), number('second')];
  const [offsetHour, offsetMinute] = [number('offsetHour'), number('offsetMinute')];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const offset = (offsetHour * 60 + offsetMinute) * (match.groups!.sign === '-' ? -1 : 1);
  const minutes = Date.parse(`${day}T00:00:00Z`) / 60_000 + hour * 60 + minute - offset;
  // It is inserted at the end of a day of UTC.
  if (second === 60 && (minutes + 1) % 1_440 !== 0) return undefined;
  const milliseconds = second === 60 ? 0 : Number((match.groups!.fraction ?? '').slice(0, 3).padEnd(3, '0'));
  return minutes * 60_000 + second * 1_000 + milliseconds;
}
