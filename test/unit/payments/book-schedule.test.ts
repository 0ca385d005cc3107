/** How the schedule of a book is shown, and how a percentage is read. */
import { expect, test } from 'vitest';
import type { ReleaseSchedule } from '../../../src/calendar/release-schedule.ts';
import { updateReleaseSchedule } from '../../../src/payments/shares/api/release-schedule-schemas.ts';
import { basisPointsOf, scheduleInForce, scheduleView } from '../../../src/payments/shares/book-schedule.ts';
import { bookSchedules, SCHEDULE_ID } from '../../../src/payments/shares/book-schedule-store.ts';
import { reservedPart } from '../../../src/payments/shares/earn-share.ts';
import { requestScheduleUpdate } from '../../../src/payments/shares/update-schedule.ts';
import { newId } from '../../../src/values/ids.ts';
import { MemoryBook } from '../../support/memory-book.ts';
import { releaseIn } from '../../support/payments.ts';

const BOOK = { mode: 'test', timeZone: 'Asia/Amman' } as const;
const viewOf = (change: Partial<ReleaseSchedule>) => scheduleView(scheduleInForce(undefined, releaseIn(change)), BOOK);

test('the schedule of the installation is shown as version 1, never changed', () => {
  expect(viewOf({})).toEqual({
    object: 'release_schedule',
    livemode: false,
    days: 2,
    unit: 'days',
    calendar: 'sat_sun',
    cut_off: null,
    time_zone: 'Asia/Amman',
    when: 'settled',
    reserve: null,
    version: 1,
    updated_at: null,
  });
});

test('a schedule of its own is in force', () => {
  const own = { schedule: releaseIn({ days: 7, onceSettled: false }), version: 3, updatedAt: 0 };
  expect(scheduleView(scheduleInForce(own, releaseIn()), BOOK)).toMatchObject({
    ...{ days: 7, when: 'captured', version: 3, updated_at: '1970-01-01T00:00:00.000Z' },
  });
});

test('the calendar of the installation applies to a book that sets business days for itself, though the installation counts calendar days', async () => {
  const book = new MemoryBook();
  const asked = { bookId: book.book.id, actor: 'test', requestId: newId(), idempotencyKey: null };
  const { command } = await requestScheduleUpdate.prepare(
    { release: releaseIn({ unit: 'days', calendar: 'target2' }) },
    { ...asked, fingerprint: Buffer.alloc(0), change: { unit: 'business_days' } },
  );
  book.answer(command);
  expect(book.get(bookSchedules, SCHEDULE_ID).schedule).toMatchObject({ unit: 'business_days', calendar: 'target2' });
});

test('every percentage is shown as it is read', () => {
  for (let basisPoints = 1; basisPoints < 10_000; basisPoints++) {
    const { reserve } = viewOf({ reserve: { basisPoints, days: 90 } });
    expect(Number(reserve!.percent)).toBe(basisPoints / 100);
    expect(basisPointsOf(reserve!.percent)).toBe(basisPoints);
    expect(updateReleaseSchedule.safeParse({ reserve }).success).toBe(true);
  }
});

test.each`
  percent    | basisPoints
  ${'10'}    | ${1_000}
  ${'10.00'} | ${1_000}
  ${'2.5'}   | ${250}
  ${'2.05'}  | ${205}
  ${'0.01'}  | ${1}
  ${'99.99'} | ${9_999}
`('$percent % is $basisPoints basis points', ({ percent, basisPoints }) => {
  expect(updateReleaseSchedule.safeParse({ reserve: { percent, days: 90 } }).success).toBe(true);
  expect(basisPointsOf(percent)).toBe(basisPoints);
});

test.each(['0', '0.0', '0.00', '100', '100.0', '-1', '1e1', '1.', '.5', '05', '2.555', ' 2', '2 ', '', '٢'])(
  '"%s" is no percentage of a reserve',
  (percent) => {
    expect(updateReleaseSchedule.safeParse({ reserve: { percent, days: 90 } }).success).toBe(false);
  },
);

test.each`
  basisPoints | earned       | reserved
  ${1_000}    | ${19_490n}   | ${1_949n}
  ${1_000}    | ${9n}        | ${0n}
  ${1_000}    | ${19n}       | ${1n}
  ${250}      | ${399n}      | ${9n}
  ${9_999}    | ${1n}        | ${0n}
  ${1}        | ${2n ** 60n} | ${115_292_150_460_684n}
  ${1_000}    | ${0n}        | ${0n}
`('of $earned, $basisPoints basis points are $reserved', ({ basisPoints, earned, reserved }) => {
  expect(reservedPart(releaseIn({ reserve: { basisPoints, days: 90 } }), earned)).toBe(reserved);
});

test('nothing is reserved without a reserve', () => {
  expect(reservedPart(releaseIn(), 1_000n)).toBe(0n);
});
