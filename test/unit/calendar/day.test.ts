import { expect, test } from 'vitest';
import { addDays, dayOf, startOfDay } from '../../../src/calendar/day.ts';

test.each`
  day             | days   | behind
  ${'2024-02-28'} | ${1}   | ${'2024-02-29'}
  ${'2025-02-28'} | ${1}   | ${'2025-03-01'}
  ${'2026-12-31'} | ${1}   | ${'2027-01-01'}
  ${'2026-01-01'} | ${-1}  | ${'2025-12-31'}
  ${'2026-03-28'} | ${365} | ${'2027-03-28'}
`('$days days behind $day is $behind', ({ day, days, behind }) => {
  expect(addDays(day, days)).toBe(behind);
});

test.each`
  day             | timeZone           | starts
  ${'2026-03-29'} | ${'Europe/Berlin'} | ${'2026-03-28T23:00:00.000Z'}
  ${'2026-03-30'} | ${'Europe/Berlin'} | ${'2026-03-29T22:00:00.000Z'}
  ${'2026-11-25'} | ${'Asia/Amman'}    | ${'2026-11-24T21:00:00.000Z'}
  ${'2026-04-24'} | ${'Africa/Cairo'}  | ${'2026-04-23T22:00:00.000Z'}
`('$day starts in $timeZone at $starts', ({ day, timeZone, starts }) => {
  const start = startOfDay(day, timeZone);
  expect(new Date(start).toISOString()).toBe(starts);
  expect(dayOf(start, timeZone)).toBe(day);
  expect(dayOf(start - 1, timeZone)).toBe(addDays(day, -1));
});
