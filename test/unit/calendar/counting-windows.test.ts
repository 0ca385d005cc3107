import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CALENDAR_WINDOWS,
  type CalendarWindow,
  endOfWindow,
  windowStartsOf,
} from '../../../src/calendar/counting-windows.ts';

test.each`
  at                            | timeZone                 | day             | week            | month           | year
  ${'2027-03-01T20:59:59.999Z'} | ${'Asia/Amman'}          | ${'2027-03-01'} | ${'2027-03-01'} | ${'2027-03-01'} | ${'2027-01-01'}
  ${'2027-03-01T21:00:00.000Z'} | ${'Asia/Amman'}          | ${'2027-03-02'} | ${'2027-03-01'} | ${'2027-03-01'} | ${'2027-01-01'}
  ${'2027-03-07T23:59:59.999Z'} | ${'UTC'}                 | ${'2027-03-07'} | ${'2027-03-01'} | ${'2027-03-01'} | ${'2027-01-01'}
  ${'2027-03-08T00:00:00.000Z'} | ${'UTC'}                 | ${'2027-03-08'} | ${'2027-03-08'} | ${'2027-03-01'} | ${'2027-01-01'}
  ${'2027-01-01T00:00:00.000Z'} | ${'UTC'}                 | ${'2027-01-01'} | ${'2026-12-28'} | ${'2027-01-01'} | ${'2027-01-01'}
  ${'2027-01-01T07:59:59.999Z'} | ${'America/Los_Angeles'} | ${'2026-12-31'} | ${'2026-12-28'} | ${'2026-12-01'} | ${'2026-01-01'}
  ${'1969-12-31T12:00:00.000Z'} | ${'UTC'}                 | ${'1969-12-31'} | ${'1969-12-29'} | ${'1969-12-01'} | ${'1969-01-01'}
`('$at in $timeZone falls into the week of $week', ({ at, timeZone, ...starts }) => {
  expect(windowStartsOf(Date.parse(at), timeZone)).toEqual(starts);
});

test.each`
  window     | startsOn        | timeZone           | end
  ${'day'}   | ${'2027-03-28'} | ${'Europe/Berlin'} | ${'2027-03-28T22:00:00Z'}
  ${'day'}   | ${'2028-02-28'} | ${'UTC'}           | ${'2028-02-29T00:00:00Z'}
  ${'week'}  | ${'2027-03-22'} | ${'Europe/Berlin'} | ${'2027-03-28T22:00:00Z'}
  ${'month'} | ${'2027-02-01'} | ${'UTC'}           | ${'2027-03-01T00:00:00Z'}
  ${'month'} | ${'2027-12-01'} | ${'Asia/Amman'}    | ${'2027-12-31T21:00:00Z'}
  ${'year'}  | ${'2028-01-01'} | ${'UTC'}           | ${'2029-01-01T00:00:00Z'}
  ${'year'}  | ${'2027-01-01'} | ${'UTC'}           | ${'2028-01-01T00:00:00Z'}
`('the $window of $startsOn ends at $end', ({ window, startsOn, timeZone, end }) => {
  expect(endOfWindow(window as CalendarWindow, { startsOn, timeZone })).toBe(Date.parse(end));
});

test('a moment is in the windows that it falls into, and not in the ones behind', () => {
  const zones = fc.constantFrom('UTC', 'Asia/Amman', 'Europe/Berlin', 'America/New_York', 'Pacific/Apia');
  const moments = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) });
  fc.assert(
    fc.property(moments, zones, (instant, timeZone) => {
      const starts = windowStartsOf(instant, timeZone);
      for (const window of CALENDAR_WINDOWS) {
        const end = endOfWindow(window, { startsOn: starts[window], timeZone });
        expect(end).toBeGreaterThan(instant);
        expect(windowStartsOf(end - 1, timeZone)[window]).toBe(starts[window]);
        expect(windowStartsOf(end, timeZone)[window] > starts[window]).toBe(true);
      }
    }),
  );
});

test('a time zone that does not exist is no time zone', () => {
  expect(() => windowStartsOf(0, 'Mars/Olympus')).toThrow(RangeError);
});
