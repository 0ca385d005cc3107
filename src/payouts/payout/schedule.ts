/** When a payout is to be released: a moment, or a day of the book. Pure. */
import { startOfDay } from '../../calendar/day.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Book } from '../../ledger/book/book.ts';
import type { Moment } from '../../values/clock.ts';
import { formatInstant, type Instant } from '../../values/clock.ts';

/** As it is asked for. A day stands for its first moment in the book's time zone. */
export type ScheduledFor = { readonly at: Instant } | { readonly day: string };

const MS_PER_DAY = 86_400_000;
/** A year, whichever it is. */
const AHEAD_MAX_MS = 366 * MS_PER_DAY;

/**
 * The moment of release in the book's own time. Throws ApiError `parameter_invalid` for one that has passed or is more than a year ahead:
 * a fault of the request, which is kept under no key.
 */
export function releaseAt(asked: ScheduledFor, { timeZone }: Pick<Book, 'timeZone'>, now: Instant): Instant {
  const at = 'at' in asked ? asked.at : startOfDay(asked.day, timeZone);
  const begins = 'at' in asked ? '' : `The day begins at ${formatInstant(at)} in ${timeZone}. `;
  if (at <= now) throw invalid(`${begins}Expects a time after ${formatInstant(now)}, the book's own time.`);
  if (at > now + AHEAD_MAX_MS) throw invalid(`${begins}Expects a time at most a year ahead.`);
  return at;
}

function invalid(detail: string): ApiError {
  return new ApiError('parameter_invalid', { param: '/scheduled_for', detail });
}

/** When a worker looks at what is due in book time: right while the book's clock is not moved. */
export function dueInWallTime(at: Instant, { book, wall }: Moment): Instant {
  return wall + Math.max(0, at - book);
}
