/** Filters by days of a book. */
import { z } from 'zod';
import { addDays, startOfDay } from '../calendar/day.ts';
import type { Book } from '../ledger/book/book.ts';
import type { Between } from '../values/clock.ts';
import { day } from './schemas/fields.ts';

export interface Days {
  readonly gte?: string | undefined;
  readonly lte?: string | undefined;
}

/** A range of days, of which both ends are within it. */
export function daysFilter(what: string) {
  return z
    .strictObject({
      gte: day.optional().meta({ description: `${what} on that day of the book or later.` }),
      lte: day.optional().meta({ description: `${what} on that day of the book or before.` }),
    })
    .check(({ value, issues }) => {
      if (value.gte !== undefined && value.lte !== undefined && value.gte > value.lte)
        issues.push({
          code: 'custom',
          input: value,
          path: ['lte'],
          message: 'Expects a day that is not before `gte`.',
        });
    })
    .optional();
}

/** The moments of a range of days. */
export function momentsOf(days: Days | undefined, { timeZone }: Pick<Book, 'timeZone'>): Between | undefined {
  if (days === undefined) return undefined;
  return {
    from: days.gte === undefined ? undefined : startOfDay(days.gte, timeZone),
    before: days.lte === undefined ? undefined : startOfDay(addDays(days.lte, 1), timeZone),
  };
}
