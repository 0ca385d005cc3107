import { describe, expect, test } from 'vitest';
import { addBusinessDays, businessDayFrom, CALENDARS, isBusinessDay } from '../../../src/calendar/business-days.ts';
import { addDays } from '../../../src/calendar/day.ts';

/** The closing days that fall on a day between Monday and Friday, as the ECB lists them. */
const TARGET_CLOSING_DAYS: Readonly<Record<number, readonly string[]>> = {
  2024: ['01-01', '03-29', '04-01', '05-01', '12-25', '12-26'],
  2025: ['01-01', '04-18', '04-21', '05-01', '12-25', '12-26'],
  2026: ['01-01', '04-03', '04-06', '05-01', '12-25'],
  2027: ['01-01', '03-26', '03-29'],
  2028: ['04-14', '04-17', '05-01', '12-25', '12-26'],
  2029: ['01-01', '03-30', '04-02', '05-01', '12-25', '12-26'],
  2030: ['01-01', '04-19', '04-22', '05-01', '12-25', '12-26'],
  2035: ['01-01', '03-23', '03-26', '05-01', '12-25', '12-26'],
  2038: ['01-01', '04-23', '04-26'],
};

const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay();

function daysOf(year: number): string[] {
  const days: string[] = [];
  for (let day = `${year}-01-01`; day.startsWith(String(year)); day = addDays(day, 1)) days.push(day);
  return days;
}

describe('calendars', () => {
  test.each(Object.keys(TARGET_CLOSING_DAYS).map(Number))(
    'TARGET is closed on its days of %i, and on weekends',
    (year) => {
      const closed = daysOf(year).filter((day) => !isBusinessDay(day, 'target2'));
      const weekends = daysOf(year).filter((day) => weekday(day) === 0 || weekday(day) === 6);
      const listed = TARGET_CLOSING_DAYS[year]!.map((day) => `${year}-${day}`);
      expect(closed).toEqual([...new Set([...weekends, ...listed])].sort());
      expect(listed.every((day) => !weekends.includes(day))).toBe(true);
    },
  );

  test.each`
    calendar     | daysOff
    ${'sat_sun'} | ${[6, 0]}
    ${'fri_sat'} | ${[5, 6]}
  `('$calendar knows its weekends and no holidays', ({ calendar, daysOff }) => {
    for (const day of daysOf(2026)) expect(isBusinessDay(day, calendar)).toBe(!daysOff.includes(weekday(day)));
  });

  test.each`
    calendar     | day             | days  | behind
    ${'sat_sun'} | ${'2026-11-27'} | ${1}  | ${'2026-11-30'}
    ${'sat_sun'} | ${'2026-11-27'} | ${5}  | ${'2026-12-04'}
    ${'sat_sun'} | ${'2026-11-28'} | ${0}  | ${'2026-11-30'}
    ${'sat_sun'} | ${'2026-11-28'} | ${1}  | ${'2026-12-01'}
    ${'sat_sun'} | ${'2026-12-24'} | ${1}  | ${'2026-12-25'}
    ${'sat_sun'} | ${'2026-11-02'} | ${90} | ${'2027-03-08'}
    ${'fri_sat'} | ${'2026-11-26'} | ${1}  | ${'2026-11-29'}
    ${'fri_sat'} | ${'2026-11-26'} | ${2}  | ${'2026-11-30'}
    ${'fri_sat'} | ${'2026-11-29'} | ${4}  | ${'2026-12-03'}
    ${'fri_sat'} | ${'2026-11-29'} | ${5}  | ${'2026-12-06'}
    ${'target2'} | ${'2026-04-02'} | ${1}  | ${'2026-04-07'}
    ${'target2'} | ${'2026-04-02'} | ${2}  | ${'2026-04-08'}
    ${'target2'} | ${'2025-12-24'} | ${1}  | ${'2025-12-29'}
    ${'target2'} | ${'2025-12-31'} | ${1}  | ${'2026-01-02'}
    ${'target2'} | ${'2024-02-28'} | ${1}  | ${'2024-02-29'}
  `('$days business days of $calendar behind $day are on $behind', ({ calendar, day, days, behind }) => {
    expect(addBusinessDays(day, days, calendar)).toBe(behind);
  });

  test('a business day is found from every day of six years, and is never before it', () => {
    for (const calendar of CALENDARS)
      for (const day of [2024, 2025, 2026, 2027, 2028, 2029].flatMap(daysOf)) {
        const found = businessDayFrom(day, calendar);
        expect(isBusinessDay(found, calendar)).toBe(true);
        expect(found >= day && found <= addDays(day, 5)).toBe(true);
        expect(addBusinessDays(day, 1, calendar) > found).toBe(true);
      }
  });

  test('what is no day is refused', () => {
    expect(() => isBusinessDay('2026-13-01', 'sat_sun')).toThrow(RangeError);
  });
});
