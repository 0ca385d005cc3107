/** Business days of named calendars. Days are YYYY-MM-DD, as in day.ts. */
import { dayNumber, dayOfNumber } from './day.ts';

export const CALENDARS = ['sat_sun', 'fri_sat', 'target2'] as const;

export type CalendarName =
  /** Saturday and Sunday are days off. */
  | 'sat_sun'
  /** Friday and Saturday are days off. */
  | 'fri_sat'
  /** Saturday and Sunday, and the closing days of TARGET, the euro's settlement system. */
  | 'target2';

/** As Date.getUTCDay counts them. Day 0 of day.ts is a Thursday. */
const [SUNDAY, THURSDAY, FRIDAY, SATURDAY] = [0, 4, 5, 6];

const DAYS_OFF: Readonly<Record<CalendarName, readonly number[]>> = {
  sat_sun: [SATURDAY, SUNDAY],
  fri_sat: [FRIDAY, SATURDAY],
  target2: [SATURDAY, SUNDAY],
};

/** Throws RangeError for any other text. */
export function isBusinessDay(day: string, calendar: CalendarName): boolean {
  return isOpen(dayNumber(day), calendar);
}

/** The day itself, or the first business day after it. */
export function businessDayFrom(day: string, calendar: CalendarName): string {
  return dayOfNumber(openFrom(dayNumber(day), calendar));
}

/** The business day that is so many business days after the day. 0: the day itself, or the first after it. */
export function addBusinessDays(day: string, days: number, calendar: CalendarName): string {
  let found = openFrom(dayNumber(day), calendar);
  for (let left = days; left > 0; left--) found = openFrom(found + 1, calendar);
  return dayOfNumber(found);
}

function openFrom(day: number, calendar: CalendarName): number {
  let found = day;
  while (!isOpen(found, calendar)) found++;
  return found;
}

function isOpen(day: number, calendar: CalendarName): boolean {
  if (DAYS_OFF[calendar].includes((day + THURSDAY) % 7)) return false;
  return calendar !== 'target2' || !isTargetClosingDay(day);
}

/**
 * The closing days beside weekends since 2002: New Year's Day, Good Friday, Easter Monday, 1 May, 25 and 26 December.
 * By the ECB's "Long-term calendar for TARGET closing days", 14 December 2000.
 */
function isTargetClosingDay(day: number): boolean {
  const [year, month, dayOfMonth] = dayOfNumber(day).split('-').map(Number);
  if (month === 1 || month === 5) return dayOfMonth === 1;
  if (month === 12) return dayOfMonth === 25 || dayOfMonth === 26;
  if (month !== 3 && month !== 4) return false;
  const fromEaster = day - easterSunday(year!);
  return fromEaster === -2 || fromEaster === 1;
}

/** By the anonymous Gregorian algorithm: J. Meeus, Astronomical Algorithms, chapter 8. */
function easterSunday(year: number): number {
  const cycle = year % 19;
  const [century, yearOfCentury] = [Math.floor(year / 100), year % 100];
  const [leapCenturies, centuryRest] = [Math.floor(century / 4), century % 4];
  const moonCorrection = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * cycle + century - leapCenturies - moonCorrection + 15) % 30;
  const toSunday = (32 + 2 * centuryRest + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const exception = Math.floor((cycle + 11 * epact + 22 * toSunday) / 451);
  const sum = epact + toSunday - 7 * exception + 114;
  // The sum has the month and the day in it, counted by months of 31 days.
  const month = String(Math.floor(sum / 31)).padStart(2, '0');
  return dayNumber(`${year}-${month}-${String((sum % 31) + 1).padStart(2, '0')}`);
}
