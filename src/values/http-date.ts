/**
 * Dates of HTTP headers (RFC 9110, 5.6.7): in the one form that is sent, and in the two obsolete ones that a recipient reads as well. Date.parse is
 * no reader of these: it takes `soon 1` for a day, and a date without a zone for one of the machine's own.
 */
import type { Instant } from './clock.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';
const FORMS = [
  /** IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`. */
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  /** rfc850-date: `Sunday, 06-Nov-94 08:49:37 GMT`. */
  new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT$`),
  /** asctime-date: `Sun Nov  6 08:49:37 1994`. */
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} (?<day>\\d{2}| \\d) ${TIME} (?<year>\\d{4})$`),
];

/** A year of two digits that would be further ahead has passed (RFC 9110, 5.6.7). */
const YEARS_AHEAD = 50;

/** Undefined where the text is no such date. */
export function parseHttpDate(text: string, now: Instant): Instant | undefined {
  const parts = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!parts) return undefined;
  const number = (name: string) => Number(parts[name]);
  const [month, day, hour, minute, second] = [
    ...[MONTHS.indexOf(parts.month!), number('day'), number('hour'), number('minute'), number('second')],
  ] as [number, number, number, number, number];
  // A leap second is the 60th.
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const year = parts.year!.length === 2 ? fullYear(number('year'), now) : number('year');
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  return date.setUTCHours(hour, minute, second);
}

function fullYear(twoDigits: number, now: Instant): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + YEARS_AHEAD ? year - 100 : year;
}
