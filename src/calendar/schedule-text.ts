/**
 * A release schedule in a few characters, as the row of each capture keeps the one that was in force: `2d settled`,
 * `3b:target2 17:00 1000/90`. In order: days, or business days of a calendar; the cut-off; whether the acquirer pays first; the reserve in
 * basis points, and its days. A tenth of the schedule as JSON.
 */
import { CALENDARS, type CalendarName } from './business-days.ts';
import type { ReleaseSchedule } from './release-schedule.ts';

export function scheduleText({ days, unit, calendar, cutOff, onceSettled, reserve }: ReleaseSchedule): string {
  const parts = [
    unit === 'business_days' ? `${days}b:${calendar}` : `${days}d`,
    cutOff,
    onceSettled ? 'settled' : null,
    reserve && `${reserve.basisPoints}/${reserve.days}`,
  ];
  return parts.filter((part) => part !== null).join(' ');
}

const TEXT = new RegExp(
  `^(?<days>\\d{1,5})(?:d|b:(?<calendar>${CALENDARS.join('|')}))(?: (?<cutOff>(?:[01]\\d|2[0-3]):[0-5]\\d))?(?<settled> settled)?` +
    '(?: (?<basisPoints>\\d{1,4})/(?<reserveDays>\\d{1,5}))?$',
);

/**
 * Undefined for any other text, such as that of a later version with further calendars. The calendar of calendar days is not kept:
 * it has no effect on them.
 */
export function scheduleOfText(text: string): ReleaseSchedule | undefined {
  const found = TEXT.exec(text)?.groups;
  if (found === undefined) return undefined;
  const { days, calendar, cutOff, settled, basisPoints, reserveDays } = found;
  return {
    days: Number(days),
    unit: calendar === undefined ? 'days' : 'business_days',
    calendar: (calendar ?? CALENDARS[0]) as CalendarName,
    cutOff: cutOff ?? null,
    onceSettled: settled !== undefined,
    reserve: basisPoints === undefined ? null : { basisPoints: Number(basisPoints), days: Number(reserveDays) },
  };
}
