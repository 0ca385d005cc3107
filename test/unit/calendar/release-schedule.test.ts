import { describe, expect, test } from 'vitest';
import { addDays, dayOf } from '../../../src/calendar/day.ts';
import { possibleReleaseDays, type ReleaseSchedule, releaseDaysOf } from '../../../src/calendar/release-schedule.ts';

const DAYS: ReleaseSchedule = {
  days: 2,
  unit: 'days',
  calendar: 'sat_sun',
  cutOff: null,
  onceSettled: true,
  reserve: null,
};

const at = (text: string) => Date.parse(text);

describe('days of release', () => {
  test.each`
    what                                     | change                                                     | captured                      | timeZone           | availableOn
    ${'two days on'}                         | ${{}}                                                      | ${'2026-11-25T23:59:59Z'}     | ${'UTC'}           | ${'2026-11-27'}
    ${'from midnight on, a day later'}       | ${{}}                                                      | ${'2026-11-26T00:00:00Z'}     | ${'UTC'}           | ${'2026-11-28'}
    ${'in the time zone of the book'}        | ${{}}                                                      | ${'2026-11-25T21:00:00Z'}     | ${'Asia/Amman'}    | ${'2026-11-28'}
    ${'before the cut-off'}                  | ${{ cutOff: '17:00' }}                                     | ${'2026-11-25T16:59:59.999Z'} | ${'UTC'}           | ${'2026-11-27'}
    ${'from the cut-off on'}                 | ${{ cutOff: '17:00' }}                                     | ${'2026-11-25T17:00:00Z'}     | ${'UTC'}           | ${'2026-11-28'}
    ${'the cut-off is local'}                | ${{ cutOff: '17:00' }}                                     | ${'2026-11-25T14:00:00Z'}     | ${'Asia/Amman'}    | ${'2026-11-28'}
    ${'a cut-off at midnight moves all'}     | ${{ cutOff: '00:00' }}                                     | ${'2026-11-25T00:00:00Z'}     | ${'UTC'}           | ${'2026-11-28'}
    ${'Friday to Monday'}                    | ${{ days: 1, unit: 'business_days' }}                      | ${'2026-11-27T12:00:00Z'}     | ${'UTC'}           | ${'2026-11-30'}
    ${'Friday after the cut-off, as Monday'} | ${{ days: 1, unit: 'business_days', cutOff: '10:00' }}     | ${'2026-11-27T12:00:00Z'}     | ${'UTC'}           | ${'2026-12-01'}
    ${'Saturday, as Monday'}                 | ${{ days: 1, unit: 'business_days' }}                      | ${'2026-11-28T12:00:00Z'}     | ${'UTC'}           | ${'2026-12-01'}
    ${'Thursday to Sunday where it is on'}   | ${{ days: 1, unit: 'business_days', calendar: 'fri_sat' }} | ${'2026-11-26T12:00:00Z'}     | ${'Asia/Amman'}    | ${'2026-11-29'}
    ${'Thursday night is Friday in Amman'}   | ${{ days: 1, unit: 'business_days', calendar: 'fri_sat' }} | ${'2026-11-26T21:30:00Z'}     | ${'Asia/Amman'}    | ${'2026-11-30'}
    ${'a week of Sunday to Thursday'}        | ${{ days: 5, unit: 'business_days', calendar: 'fri_sat' }} | ${'2026-11-29T09:00:00Z'}     | ${'Asia/Amman'}    | ${'2026-12-06'}
    ${'over Easter'}                         | ${{ days: 1, unit: 'business_days', calendar: 'target2' }} | ${'2026-04-02T12:00:00Z'}     | ${'Europe/Berlin'} | ${'2026-04-07'}
    ${'on Good Friday, as Tuesday'}          | ${{ days: 1, unit: 'business_days', calendar: 'target2' }} | ${'2026-04-03T12:00:00Z'}     | ${'Europe/Berlin'} | ${'2026-04-08'}
    ${'over the end of the year'}            | ${{ days: 2, unit: 'business_days', calendar: 'target2' }} | ${'2026-12-30T12:00:00Z'}     | ${'Europe/Berlin'} | ${'2027-01-04'}
    ${'at once'}                             | ${{ days: 0 }}                                             | ${'2026-11-25T12:00:00Z'}     | ${'UTC'}           | ${'2026-11-25'}
    ${'spring: before a cut-off in the gap'} | ${{ cutOff: '02:30' }}                                     | ${'2026-03-29T00:59:59Z'}     | ${'Europe/Berlin'} | ${'2026-03-31'}
    ${'spring: behind the gap'}              | ${{ cutOff: '02:30' }}                                     | ${'2026-03-29T01:00:00Z'}     | ${'Europe/Berlin'} | ${'2026-04-01'}
    ${'autumn: before the first 02:30'}      | ${{ cutOff: '02:30' }}                                     | ${'2026-10-25T00:29:59Z'}     | ${'Europe/Berlin'} | ${'2026-10-27'}
    ${'autumn: at the first 02:30'}          | ${{ cutOff: '02:30' }}                                     | ${'2026-10-25T00:30:00Z'}     | ${'Europe/Berlin'} | ${'2026-10-28'}
    ${'autumn: the hour again'}              | ${{ cutOff: '02:30' }}                                     | ${'2026-10-25T01:10:00Z'}     | ${'Europe/Berlin'} | ${'2026-10-28'}
  `('$what: captured $captured, available on $availableOn', ({ change, captured, timeZone, availableOn }) => {
    expect(releaseDaysOf({ ...DAYS, ...change }, at(captured), timeZone)).toEqual({ availableOn, reservedUntil: null });
  });

  test.each`
    what                                | change                                                                  | captured                  | availableOn     | reservedUntil
    ${'calendar days from the capture'} | ${{ reserve: { basisPoints: 1_000, days: 90 } }}                        | ${'2026-11-25T12:00:00Z'} | ${'2026-11-27'} | ${'2027-02-23'}
    ${'beside business days'}           | ${{ unit: 'business_days', reserve: { basisPoints: 1_000, days: 30 } }} | ${'2026-11-28T12:00:00Z'} | ${'2026-12-02'} | ${'2026-12-30'}
    ${'after the cut-off'}              | ${{ cutOff: '10:00', reserve: { basisPoints: 1_000, days: 90 } }}       | ${'2026-11-25T12:00:00Z'} | ${'2026-11-28'} | ${'2027-02-24'}
    ${'never before the rest'}          | ${{ days: 10, reserve: { basisPoints: 1_000, days: 3 } }}               | ${'2026-11-25T12:00:00Z'} | ${'2026-12-05'} | ${'2026-12-05'}
  `('reserve, $what', ({ change, captured, availableOn, reservedUntil }) => {
    expect(releaseDaysOf({ ...DAYS, ...change }, at(captured), 'UTC')).toEqual({ availableOn, reservedUntil });
  });

  describe.each(['days', 'business_days'] as const)('in %s', (unit) => {
    test.each`
      what                     | from                      | until
      ${'the spring change'}   | ${'2026-03-28T00:00:00Z'} | ${'2026-03-30T06:00:00Z'}
      ${'Easter'}              | ${'2026-04-02T00:00:00Z'} | ${'2026-04-08T00:00:00Z'}
      ${'the autumn change'}   | ${'2026-10-24T00:00:00Z'} | ${'2026-10-26T06:00:00Z'}
      ${'the end of the year'} | ${'2026-12-23T00:00:00Z'} | ${'2027-01-03T00:00:00Z'}
    `('over $what: who captures later is never released earlier, and on a possible day', ({ from, until }) => {
      const timeZone = 'Europe/Berlin';
      for (const cutOff of [null, '02:30', '17:00']) {
        const schedule = {
          ...DAYS,
          calendar: 'target2',
          cutOff,
          unit,
          reserve: { basisPoints: 500, days: 30 },
        } as const;
        let before = { availableOn: '', reservedUntil: '' as string | null };
        for (let moment = at(from); moment < at(until); moment += 55 * 60_000) {
          const days = releaseDaysOf(schedule, moment, timeZone);
          expect(days.availableOn >= before.availableOn && days.reservedUntil! >= before.reservedUntil!).toBe(true);
          const declared = dayOf(moment, timeZone);
          expect(possibleReleaseDays(schedule, declared)).toContainEqual(days);
          expect(possibleReleaseDays(schedule, addDays(declared, -1))).toContainEqual(days);
          before = days;
        }
      }
    });
  });

  test.each`
    change                                                             | possible
    ${{}}                                                              | ${2}
    ${{ cutOff: '17:00' }}                                             | ${3}
    ${{ unit: 'business_days' }}                                       | ${1}
    ${{ unit: 'business_days', calendar: 'fri_sat' }}                  | ${1}
    ${{ unit: 'business_days', reserve: { basisPoints: 1, days: 9 } }} | ${1}
  `('from a Saturday $change have $possible days of release', ({ change, possible }) => {
    expect(possibleReleaseDays({ ...DAYS, ...change }, '2026-11-28')).toHaveLength(possible);
  });
});
