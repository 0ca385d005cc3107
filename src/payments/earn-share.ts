/** Where what a capture earned waits for its release: it adds to the share of its day. */
import { addDays, dayOf, startOfDay } from '../calendar/day.ts';
import type { ReleaseSchedule } from '../calendar/release-schedule.ts';
import type { Clock, Instant } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors.ts';
import { momentOf } from '../ledger/batch.ts';
import type { BookId } from '../ledger/book.ts';
import { loadBook } from '../ledger/book-store.ts';
import type { Touch } from '../ledger/command.ts';
import type { Draft } from '../ledger/draft.ts';
import type { Payment } from './payment.ts';
import type { PaymentOperation, Portion } from './payment-operation.ts';
import { type PaymentShare, type ShareKey, shareId } from './share.ts';
import { paymentShares, shareLines } from './share-table.ts';

/** Of a capture at this moment, or at one a day later: a command is decided after it was made. */
export function shareTouches(
  bookId: BookId,
  { accountId, currency }: Pick<Payment, 'accountId' | 'currency'>,
  { days, onceSettled }: ReleaseSchedule,
  { now, timeZone }: Today,
): Touch[] {
  const today = dayOf(now, timeZone);
  const kind = onceSettled ? 'waiting' : 'ready';
  const ids = [days, days + 1].map((later) =>
    shareId(bookId, { accountId, currency, kind, availableOn: addDays(today, later) }),
  );
  return [{ table: paymentShares, ids }];
}

/** Of the book, when a command about its shares is made. */
export interface Today {
  readonly now: Instant;
  readonly timeZone: string;
}

/** By the book's own time: that of a test book may have been advanced. */
export async function readToday({ pool, clock }: { pool: Pool; clock: Clock }, bookId: BookId): Promise<Today> {
  const book = await loadBook(pool, bookId);
  if (!book) throw new Error(`Book ${bookId} does not exist`);
  return { now: momentOf(clock, book).book, timeZone: book.timeZone };
}

/** Throws `service_unavailable` where the book has been advanced meanwhile, past the days that were declared: it is decided again. */
export function requireDay({ moment, book }: Draft, { now, timeZone }: Today): void {
  const day = dayOf(moment.book, book.timeZone);
  const today = dayOf(now, timeZone);
  if (day === today || day === addDays(today, 1)) return;
  throw new ApiError('service_unavailable', { detail: 'The clock of the book has moved on meanwhile.' });
}

/** The day on which what is captured now is released. */
export function releaseDay(draft: Draft, { days }: ReleaseSchedule): string {
  return addDays(dayOf(draft.moment.book, draft.book.timeZone), days);
}

/** Adds what a capture earned to its share. The command declares `shareTouches`. */
export function earnShare(
  draft: Draft,
  operation: Pick<PaymentOperation, 'id' | 'paymentId' | 'accountId' | 'currency'>,
  earned: { amount: bigint; availableOn: string; onceSettled: boolean },
): Portion {
  const { accountId, currency } = operation;
  const { amount, availableOn } = earned;
  const share = openShare(draft, { accountId, currency, availableOn, kind: earned.onceSettled ? 'waiting' : 'ready' });
  changeShare(draft, share, { operation, amount });
  return { shareId: share.id, amount };
}

/** Puts in, or takes out, and writes the line that says so. `lent` is what that changes of what the share has lent. */
export function changeShare(
  draft: Draft,
  share: PaymentShare,
  {
    operation,
    amount,
    lent = 0n,
  }: { operation: Pick<PaymentOperation, 'id' | 'paymentId'>; amount: bigint; lent?: bigint },
): PaymentShare {
  const changed: PaymentShare = {
    ...share,
    amount: share.amount + amount,
    lent: share.lent + lent,
    version: share.version + 1,
    updatedAt: draft.moment.book,
  };
  draft.put(paymentShares, share.id, changed);
  if (amount === 0n) return changed;
  draft.append(shareLines, {
    id: draft.mintId(),
    shareId: share.id,
    paymentId: operation.paymentId,
    operationId: operation.id,
    round: share.round,
    amount,
    createdAt: draft.moment.book,
  });
  return changed;
}

/** The share of a day, or a new one that nobody has put anything into. */
export function openShare(draft: Draft, key: ShareKey): PaymentShare {
  const id = shareId(draft.book.id, key);
  const known = draft.get(paymentShares, id);
  if (known?.status === 'open') return known;
  // Null where it waits for its acquirer: no clock releases it.
  const releasesAt = key.kind === 'ready' ? startOfDay(key.availableOn, draft.book.timeZone) : null;
  // A clock that is behind around midnight captures for a day that has been released: its share opens again.
  if (known) return { ...known, status: 'open', round: known.round + 1, releasesAt, dueAt: releasesAt };
  return {
    id,
    ...key,
    status: 'open',
    releasesAt,
    amount: 0n,
    lent: 0n,
    round: 0,
    releaseId: null,
    version: 0,
    dueAt: releasesAt,
    createdAt: draft.moment.book,
    updatedAt: draft.moment.book,
  };
}
