/**
 * The schedule of an account's statements: which days the next one has, and its number. Statements chain: each begins on the day behind the one before
 * it, also where nobody asked for any in between.
 * Next: schedule-table.ts (its row), make-statements.ts (which makes them).
 */
import { addDays, dayOf } from '../../calendar/day.ts';
import type { Book } from '../../ledger/book/book.ts';
import { endOfDay } from '../../ledger/clock/finish-day.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { StatementDays } from './statement.ts';

export const STATEMENT_SCHEDULES = ['daily', 'monthly'] as const;
export type ScheduleName = (typeof STATEMENT_SCHEDULES)[number];

export interface StatementSchedule extends StatementDays {
  readonly accountId: Uuid;
  /** `paused`: statements are not requested, or the account is closed and its last one is made. */
  readonly status: 'open' | 'paused';
  readonly schedule: ScheduleName;
  /** Of the last statement; 0 before the first. */
  readonly number: bigint;
  /** The first moment behind `to`. Null while it is paused. */
  readonly endsAt: Instant | null;
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The last day of the period that has the day. */
function lastDayOf(schedule: ScheduleName, day: string): string {
  if (schedule === 'daily') return day;
  const [year, month] = day.split('-').map(Number) as [number, number];
  return addDays(
    month === 12
      ? `${String(year + 1).padStart(4, '0')}-01-01`
      : `${day.slice(0, 5)}${String(month + 1).padStart(2, '0')}-01`,
    -1,
  );
}

interface Asked {
  readonly accountId: Uuid;
  readonly schedule: ScheduleName;
  readonly book: Pick<Book, 'timeZone'>;
  readonly now: Instant;
}

/** As asked for now. The first statement is of the whole day or month; a further one goes on behind the last. */
export function scheduled(
  known: StatementSchedule | undefined,
  { accountId, schedule, book, now }: Asked,
): StatementSchedule {
  const today = dayOf(now, book.timeZone);
  const from = known?.from ?? (schedule === 'daily' ? today : `${today.slice(0, 8)}01`);
  // A day that is not begun yet is the next one's.
  const to = lastDayOf(schedule, from > today ? from : today);
  const endsAt = endOfDay(to, book);
  return {
    ...{ accountId, status: 'open', schedule, number: known?.number ?? 0n, from, to, endsAt, dueAt: endsAt },
    ...{ createdAt: known?.createdAt ?? now, updatedAt: now },
  };
}

/** No further statements are made. Lines after the last one are on the next, if the schedule resumes. */
export function paused(schedule: StatementSchedule, now: Instant): StatementSchedule {
  return { ...schedule, status: 'paused', endsAt: null, dueAt: null, updatedAt: now };
}

/** Behind a statement that is made. */
export function continued(schedule: StatementSchedule, book: Pick<Book, 'timeZone'>, now: Instant): StatementSchedule {
  const from = addDays(schedule.to, 1);
  const to = lastDayOf(schedule.schedule, from);
  const endsAt = endOfDay(to, book);
  return { ...schedule, number: schedule.number + 1n, from, to, endsAt, dueAt: endsAt, updatedAt: now };
}
