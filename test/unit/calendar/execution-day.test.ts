import { expect, test } from 'vitest';
import {
  arrivalDay,
  type ExecutionSchedule,
  executionDay,
  expectedArrival,
} from '../../../src/calendar/execution-day.ts';

const VIENNA: ExecutionSchedule = {
  timeZone: 'Europe/Vienna',
  cutOff: '16:00',
  calendar: 'target2',
  holidays: [],
  daysToArrive: 0,
};

test.each`
  why                                           | at                                 | change                                             | day             | arrives
  ${'before the cut-off'}                       | ${'2027-03-25T15:59:59.999+01:00'} | ${{}}                                              | ${'2027-03-25'} | ${'2027-03-25'}
  ${'at the cut-off, before Easter'}            | ${'2027-03-25T16:00:00+01:00'}     | ${{}}                                              | ${'2027-03-30'} | ${'2027-03-30'}
  ${'the same, a day to arrive'}                | ${'2027-03-25T16:00:00+01:00'}     | ${{ daysToArrive: 1 }}                             | ${'2027-03-30'} | ${'2027-03-31'}
  ${'on Good Friday'}                           | ${'2027-03-26T09:00:00+01:00'}     | ${{}}                                              | ${'2027-03-30'} | ${'2027-03-30'}
  ${'a calendar that knows no Easter'}          | ${'2027-03-25T16:00:00+01:00'}     | ${{ calendar: 'sat_sun' }}                         | ${'2027-03-26'} | ${'2027-03-26'}
  ${'a holiday of the bank'}                    | ${'2027-03-30T09:00:00+02:00'}     | ${{ holidays: ['2027-03-30'] }}                    | ${'2027-03-31'} | ${'2027-03-31'}
  ${'a holiday among the days to arrive'}       | ${'2027-03-30T09:00:00+02:00'}     | ${{ holidays: ['2027-03-31'], daysToArrive: 1 }}   | ${'2027-03-30'} | ${'2027-04-01'}
  ${'after the cut-off of a Friday'}            | ${'2027-04-02T17:00:00+02:00'}     | ${{}}                                              | ${'2027-04-05'} | ${'2027-04-05'}
  ${'on a Saturday before the cut-off'}         | ${'2027-04-03T09:00:00+02:00'}     | ${{ daysToArrive: 1 }}                             | ${'2027-04-05'} | ${'2027-04-06'}
  ${'without a cut-off, at the end of the day'} | ${'2027-03-25T23:59:59+01:00'}     | ${{ cutOff: null }}                                | ${'2027-03-25'} | ${'2027-03-25'}
  ${'the day there, not the day in UTC'}        | ${'2027-03-30T00:30:00+02:00'}     | ${{}}                                              | ${'2027-03-30'} | ${'2027-03-30'}
  ${'another week: Sunday is a business day'}   | ${'2027-04-01T17:00:00+03:00'}     | ${{ calendar: 'fri_sat', timeZone: 'Asia/Amman' }} | ${'2027-04-04'} | ${'2027-04-04'}
  ${'clocks put forward past the cut-off'}      | ${'2027-03-28T03:00:00+02:00'}     | ${{ cutOff: '02:30', calendar: 'fri_sat' }}        | ${'2027-03-29'} | ${'2027-03-29'}
  ${'clocks put back: the first 02:30 counts'}  | ${'2027-10-31T02:10:00+01:00'}     | ${{ cutOff: '02:30', calendar: 'fri_sat' }}        | ${'2027-11-01'} | ${'2027-11-01'}
  ${'the end of the year'}                      | ${'2027-12-31T16:00:00+01:00'}     | ${{}}                                              | ${'2028-01-03'} | ${'2028-01-03'}
`('$why: executed on $day, there on $arrives', ({ at, change, day, arrives }) => {
  const schedule = { ...VIENNA, ...change };
  expect(executionDay(schedule, Date.parse(at))).toBe(day);
  expect(arrivalDay(schedule, Date.parse(at))).toBe(arrives);
});

test.each`
  at                             | expected
  ${'2027-03-25T10:00:00+01:00'} | ${'2027-03-25T10:00:00+01:00'}
  ${'2027-03-25T16:00:00+01:00'} | ${'2027-03-30T00:00:00+02:00'}
`('what is ordered at $at is expected at $expected', ({ at, expected }) => {
  expect(expectedArrival(VIENNA, Date.parse(at))).toBe(Date.parse(expected));
});
