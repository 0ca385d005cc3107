/** Release schedules as rows of captures keep them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CALENDARS } from '../../../src/calendar/business-days.ts';
import type { ReleaseSchedule } from '../../../src/calendar/release-schedule.ts';
import { scheduleOfText, scheduleText } from '../../../src/calendar/schedule-text.ts';
import { releaseIn } from '../../support/payments.ts';

test.each`
  change                                                                                     | text
  ${{ onceSettled: false }}                                                                  | ${'2d'}
  ${{}}                                                                                      | ${'2d settled'}
  ${{ calendar: 'target2' }}                                                                 | ${'2d settled'}
  ${{ cutOff: '17:00' }}                                                                     | ${'2d 17:00 settled'}
  ${{ unit: 'business_days', calendar: 'fri_sat' }}                                          | ${'2b:fri_sat settled'}
  ${{ reserve: { basisPoints: 250, days: 90 } }}                                             | ${'2d settled 250/90'}
  ${{ days: 30, cutOff: '00:00', reserve: { basisPoints: 1, days: 1 }, onceSettled: false }} | ${'30d 00:00 1/1'}
`('$change is $text', ({ change, text }) => {
  expect(scheduleText(releaseIn(change))).toBe(text);
});

const schedules: fc.Arbitrary<ReleaseSchedule> = fc.record({
  days: fc.integer({ min: 0, max: 365 }),
  unit: fc.constantFrom('days' as const, 'business_days' as const),
  calendar: fc.constantFrom(...CALENDARS),
  cutOff: fc.option(fc.constantFrom('00:00', '09:30', '23:59')),
  onceSettled: fc.boolean(),
  reserve: fc.option(
    fc.record({ basisPoints: fc.integer({ min: 1, max: 9_999 }), days: fc.integer({ min: 1, max: 365 }) }),
  ),
});

test('every schedule is read as it was written, but for the calendar of calendar days', () => {
  fc.assert(
    fc.property(schedules, (schedule) => {
      const calendar = schedule.unit === 'days' ? 'sat_sun' : schedule.calendar;
      expect(scheduleOfText(scheduleText(schedule))).toEqual({ ...schedule, calendar });
      expect(scheduleText(schedule).length).toBeLessThanOrEqual(38);
    }),
  );
});

test.each([
  '',
  '2',
  'd',
  '-1d',
  '2d ',
  ' 2d',
  '2x',
  '2b',
  '2b:moon',
  '2d 24:00',
  '2d settled settled',
  '2d 10000/90',
  '2d 1000/90 settled',
])('"%s" is no schedule', (text) => {
  expect(scheduleOfText(text)).toBeUndefined();
});
