/** Where what a capture earned waits for its release: it adds to the share of its day. */
import { addDays, dayOf, startOfDay } from '../../calendar/day.ts';
import { possibleReleaseDays, type ReleaseSchedule, releaseDaysOf } from '../../calendar/release-schedule.ts';
import type { Pool } from '../../db/pool.ts';
import type { Book, BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { momentOf } from '../../ledger/commit/batch.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { multiplyRatio } from '../../money/rounding.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import type { PaymentOperation, Portion } from '../operations/payment-operation.ts';
import type { Payment } from '../payment/payment.ts';
import { scheduleInForce } from './book-schedule.ts';
import { loadBookWithSchedule } from './book-schedule-store.ts';
import { type PaymentShare, type ShareKey, shareId } from './share.ts';
import { paymentShares, shareLines } from './share-table.ts';

/** Of a capture today or tomorrow, before or after the cut-off: a command is decided after it was made. */
export function shareTouches(
  bookId: BookId,
  { accountId, currency }: Pick<Payment, 'accountId' | 'currency'>,
  release: ReleaseSchedule,
  { now, timeZone }: Today,
): Touch[] {
  const kind = release.onceSettled ? 'waiting' : 'ready';
  const keys = possibleReleaseDays(release, dayOf(now, timeZone)).flatMap(({ availableOn, reservedUntil }) => [
    { availableOn, isReserve: false },
    ...(reservedUntil === null ? [] : [{ availableOn: reservedUntil, isReserve: true }]),
  ]);
  return [{ table: paymentShares, ids: keys.map((key) => shareId(bookId, { accountId, currency, kind, ...key })) }];
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
  return todayOf(clock, book);
}

/** Today, and how what is captured now is released. */
export interface ReleaseTerms {
  readonly today: Today;
  readonly release: ReleaseSchedule;
}

/** `release` of the runtime is for books without a schedule of their own. */
export async function readRelease(
  { pool, clock, release }: { pool: Pool; clock: Clock; release: ReleaseSchedule },
  bookId: BookId,
): Promise<ReleaseTerms> {
  const found = await loadBookWithSchedule(pool, bookId);
  if (!found) throw new Error(`Book ${bookId} does not exist`);
  return { today: todayOf(clock, found.book), release: scheduleInForce(found.own, release).schedule };
}

function todayOf(clock: Clock, book: Book): Today {
  return { now: momentOf(clock, book).book, timeZone: book.timeZone };
}

/** Throws StaleRead where the book has been advanced meanwhile, past the days that were declared: it is decided again. */
export function requireDay({ moment, book }: Draft, { now, timeZone }: Today): void {
  const day = dayOf(moment.book, book.timeZone);
  const today = dayOf(now, timeZone);
  if (day === today || day === addDays(today, 1)) return;
  throw new StaleRead('The clock of the book has moved on meanwhile.');
}

/**
 * Adds what a capture earned to its share, and to that of the reserve. The command declares `shareTouches`. `availableOn` is the day of
 * what is not reserved.
 */
export function earnShares(
  draft: Draft,
  operation: Pick<PaymentOperation, 'id' | 'paymentId' | 'accountId' | 'currency'>,
  { earned, release }: { earned: bigint; release: ReleaseSchedule },
): { portions: Portion[]; availableOn: string } {
  const { accountId, currency } = operation;
  if (earned < 0n) throw new RangeError(`A capture cannot earn ${earned}`);
  const kind = release.onceSettled ? 'waiting' : 'ready';
  const parts = earnedParts(release, { earned, at: draft.moment.book, timeZone: draft.book.timeZone });
  const portions = parts.map(({ amount, ...day }) => {
    const share = openShare(draft, { accountId, currency, kind, ...day });
    changeShare(draft, share, { operation, amount });
    return { shareId: share.id, amount };
  });
  return { portions, availableOn: parts[0].availableOn };
}

/** What a capture earned for one day. */
export interface EarnedPart {
  readonly availableOn: string;
  readonly isReserve: boolean;
  readonly amount: bigint;
}

/** What is not reserved, which may be nothing, and behind it the reserve, where there is any. */
export function earnedParts(
  release: ReleaseSchedule,
  { earned, at, timeZone }: { earned: bigint; at: Instant; timeZone: string },
): readonly [ordinary: EarnedPart, ...reserve: EarnedPart[]] {
  const { availableOn, reservedUntil } = releaseDaysOf(release, at, timeZone);
  const reserved = reservedPart(release, earned);
  const ordinary = { availableOn, isReserve: false, amount: earned - reserved };
  return reserved > 0n ? [ordinary, { availableOn: reservedUntil!, isReserve: true, amount: reserved }] : [ordinary];
}

/** The part of what a capture earned that is reserved: rounded down, so that the rest has what cannot be divided. */
export function reservedPart({ reserve }: ReleaseSchedule, earned: bigint): bigint {
  if (reserve === null) return 0n;
  return multiplyRatio(earned, { numerator: BigInt(reserve.basisPoints), denominator: 10_000n }, 'down');
}

/**
 * Adds an amount to a share, or takes it out if negative, and writes the line about it. `lent` changes what the share
 * has lent. Throws RangeError where the share's amount, or what it has lent, would fall below zero.
 */
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
  if (changed.amount < 0n || changed.lent < 0n)
    throw new RangeError(`Share ${share.id} would hold ${changed.amount} and have lent ${changed.lent}`);
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

/** The share of a day, or a new empty one. */
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
