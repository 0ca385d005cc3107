/** Places of the journal, as reports and exports name them: a day, and the entries that count. */
import { addDays, dayOf } from '../../calendar/day.ts';
import type { Queryable } from '../../db/pool.ts';
import type { JournalPlace } from '../../ledger/balances/balances-at.ts';
import type { Book } from '../../ledger/book/book.ts';
import { endOfDay } from '../../ledger/clock/finish-day.ts';
import { findSequenceAt } from '../../ledger/journal/sequence-at-store.ts';

export const AXES = ['effective', 'posted'] as const;
/** By which day a line counts: that on which it takes effect, or that on which it was posted. */
export type Axis = (typeof AXES)[number];

export type BookOfReport = Pick<Book, 'id' | 'timeZone'>;

/** The end of a day. `sequence`: entries behind it do not count. */
export async function placeAt(
  db: Queryable,
  book: BookOfReport,
  { day, axis, sequence }: { readonly day: string; readonly axis: Axis; readonly sequence: bigint },
): Promise<JournalPlace> {
  const before = endOfDay(day, book);
  const postedThrough = await findSequenceAt(db, book.id, { head: sequence, before });
  return { sequence, postedThrough, day: axis === 'effective' ? day : null };
}

export const dayBefore = (day: string): string => addDays(day, -1);

/** Whether a text is a day of the calendar: not 2026-02-29. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && dayOf(time, 'UTC') === text;
}
