/** When an entry takes effect: on the day of its posting, on another day that is asked for, or on the first open day where that one is closed. */
import { addDays, dayOf, startOfDay } from '../../calendar/day.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Account } from '../account/account.ts';
import type { Book } from '../book/book.ts';
import type { Posting } from '../entry/entry.ts';
import type { EffectiveLine } from './journal-tables.ts';

/** Days are those of the book: YYYY-MM-DD. */
export interface Effect {
  readonly at: Instant;
  /** The day that was asked for, where it is closed. */
  readonly occurredOn: string | null;
  /** Set where the entry takes effect on another day than it is posted on. */
  readonly days: { readonly postedOn: string; readonly effectiveOn: string } | null;
}

type Days = Pick<Book, 'timeZone' | 'closedThrough'>;

export function effectOf({ timeZone, closedThrough }: Days, postedAt: Instant, asked: Instant | undefined): Effect {
  if (asked === undefined || asked === postedAt) return { at: postedAt, occurredOn: null, days: null };
  const day = dayOf(asked, timeZone);
  const isClosed = closedThrough !== null && day <= closedThrough;
  const effectiveOn = isClosed ? addDays(closedThrough, 1) : day;
  const at = isClosed ? startOfDay(effectiveOn, timeZone) : asked;
  const postedOn = dayOf(postedAt, timeZone);
  return {
    at,
    occurredOn: isClosed ? day : null,
    days: postedOn === effectiveOn ? null : { postedOn, effectiveOn },
  };
}

/** The first day on which an entry may take effect. Null while every day is open. */
export function firstOpenDay({ closedThrough }: Pick<Book, 'closedThrough'>): string | null {
  return closedThrough === null ? null : addDays(closedThrough, 1);
}

/** The lines of an entry for the log of effective days. */
export function effectiveLinesOf(
  { sequence, postings }: { readonly sequence: bigint; readonly postings: readonly Posting[] },
  days: NonNullable<Effect['days']>,
  accountOf: (id: Uuid) => Account,
): EffectiveLine[] {
  const common = { entrySequence: sequence, ...days };
  return postings.flatMap(({ debitAccountId, debitLine, creditAccountId, creditLine, amount }) => [
    {
      ...common,
      accountId: debitAccountId,
      line: debitLine,
      change: accountOf(debitAccountId).side === 'debit' ? amount : -amount,
    },
    {
      ...common,
      accountId: creditAccountId,
      line: creditLine,
      change: accountOf(creditAccountId).side === 'credit' ? amount : -amount,
    },
  ]);
}
