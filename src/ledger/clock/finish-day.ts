/**
 * Finished days of a book. Entries are dated at `last_posted_at` or later, so a day is finished once that lies behind its end. In a
 * quiet book a command moves it there, and nothing else: what was decided before is committed before.
 */
import { addDays, startOfDay } from '../../calendar/day.ts';
import type { Instant } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { Book } from '../book/book.ts';
import type { Command } from '../command/command.ts';

/** The first moment behind a day of the book. */
export function endOfDay(day: string, { timeZone }: Pick<Book, 'timeZone'>): Instant {
  return startOfDay(addDays(day, 1), timeZone);
}

export function isFinished(day: string, book: Pick<Book, 'timeZone' | 'lastPostedAt'>): boolean {
  return book.lastPostedAt >= endOfDay(day, book);
}

/** The answer is whether the day is finished: not while it lasts. */
export function finishDay({ day, requestId }: { readonly day: string; readonly requestId: Uuid }): Command<boolean> {
  return {
    id: newId(),
    name: 'day.finish',
    requestId,
    touches: [],
    decide({ book }, moment) {
      const isOver = moment.book >= endOfDay(day, book);
      const finished = isOver && !isFinished(day, book) ? { ...book, lastPostedAt: moment.book } : book;
      return { book: finished, entries: [], events: [], rows: [], appends: [], jobs: [], answer: isOver };
    },
  };
}
