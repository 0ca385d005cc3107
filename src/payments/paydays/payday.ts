/**
 * A payday of the sandbox acquirer: when it pays a test book all that it holds for it. It pays by itself on the day after, in the
 * book's own time, and at once when a simulation asks for it. The row stays open until all that was paid is booked.
 */
import { addDays, dayOf, startOfDay } from '../../calendar/day.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Instant } from '../../values/clock.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import type { Payday } from './settlement.ts';
import { paydays } from './settlement-table.ts';

/** Of what moves at this moment, or at one a day later: a command is decided after it was made. */
export function paydayTouches(bookId: BookId, { now, timeZone }: { now: Instant; timeZone: string }): Touch[] {
  const today = dayOf(now, timeZone);
  return [{ table: paydays, ids: [1, 2].map((later) => paydayId(bookId, addDays(today, later))) }];
}

/** Money has moved at the sandbox acquirer: it pays, or takes it, tomorrow. The command declares `paydayTouches`. */
export function expectPayday(draft: Draft): void {
  if (draft.livemode) return;
  const { timeZone, id: bookId } = draft.book;
  const day = addDays(dayOf(draft.moment.book, timeZone), 1);
  const id = paydayId(bookId, day);
  if (draft.get(paydays, id) === undefined) draft.put(paydays, id, newPayday(draft, id, startOfDay(day, timeZone)));
}

export function newPayday({ moment }: Draft, id: Uuid, paysAt: Instant): Payday {
  return {
    id,
    status: 'open',
    paysAt,
    reportIds: [],
    version: 1,
    dueAt: paysAt,
    createdAt: moment.book,
    updatedAt: moment.book,
  };
}

const paydayId = (bookId: BookId, day: string) => deriveId('acquirer-payday', bookId, day);
