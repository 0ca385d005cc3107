/** Moments of a bank's business days beside those of every schedule (calendar/execution-day.ts). Pure. */
import { isBusinessDay } from '../../calendar/business-days.ts';
import { cutOffOf } from '../../calendar/cut-off.ts';
import { addDays, dayOf, startOfDay } from '../../calendar/day.ts';
import type { ExecutionSchedule } from '../../calendar/execution-day.ts';
import type { Instant } from '../../values/clock.ts';

/** The last cut-off that has passed by now. */
export function lastCutOff(now: Instant, schedule: Pick<ExecutionSchedule, 'timeZone' | 'cutOff'>): Instant {
  const today = dayOf(now, schedule.timeZone);
  const ofToday = cutOffOf(today, schedule);
  return ofToday <= now ? ofToday : cutOffOf(addDays(today, -1), schedule);
}

/** The end of the business day that is so many business days behind: from then on, silence is reported. */
export function silentFrom(executionDay: string, days: number, schedule: ExecutionSchedule): Instant {
  const { calendar, holidays, timeZone } = schedule;
  let day = executionDay;
  for (let left = days; left > 0; left--) {
    do day = addDays(day, 1);
    while (!isBusinessDay(day, calendar) || holidays.includes(day));
  }
  return startOfDay(addDays(day, 1), timeZone);
}
