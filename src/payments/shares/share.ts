/**
 * A share: what payments of one account earned and will be released together, on one day. Captures of a day add to one row, so a
 * release is one row and one entry however many payments it is of.
 *
 *   waiting    captured, and not paid by the acquirer: what the API calls pending
 *   ready      paid, or released without waiting for that: what the API calls available, by day
 *   reserve    a waiting or ready share of its own, with a later day: what the API calls reserved
 *   lent       what refunds and disputes of other payments took out of a waiting share
 *   portion    the part of one capture, refund or dispute in one share
 *   round      how often a share was opened again: each round is released by itself
 *
 * Invariants: the book's merchant_pending in a currency is the sum of its open shares. What a waiting share holds and has lent is what
 * is left of the captures that wait in it: when all of them are settled, nothing stays behind.
 */

import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';

export type ShareKind =
  /** The acquirer has not paid it: it is never released, its captures move to a ready one as they are settled. */
  | 'waiting'
  /** Released when its time comes. */
  | 'ready';

export type ShareStatus = 'open' | 'released';

export interface PaymentShare {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly currency: string;
  readonly kind: ShareKind;
  /** Part of what captures earned, kept longer than the rest. */
  readonly isReserve: boolean;
  readonly status: ShareStatus;
  /** The day of release in the book's calendar: YYYY-MM-DD. */
  readonly availableOn: string;
  /** The moment of release in the book's time; null of a waiting one, which is nothing that falls due. */
  readonly releasesAt: Instant | null;
  /** What is left in it. */
  readonly amount: bigint;
  /**
   * Of a waiting one: what refunds and disputes of other payments took. With `amount` it is the rest of its captures.
   */
  readonly lent: bigint;
  /** How often it was opened again. */
  readonly round: number;
  readonly releaseId: Uuid | null;
  readonly version: number;
  /** `releasesAt` of a ready one, where the book's clock is not moved: when the sweeper looks. */
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface ShareKey {
  readonly accountId: Uuid;
  readonly currency: string;
  readonly availableOn: string;
  readonly kind: ShareKind;
  readonly isReserve: boolean;
}

/** Derived, so that a command names the share of a day before it exists. */
export function shareId(bookId: BookId, { accountId, currency, availableOn, kind, isReserve }: ShareKey): Uuid {
  const reserve = isReserve ? ['reserve'] : [];
  return deriveId('payment-share', bookId, accountId, currency, availableOn, kind, ...reserve);
}

export interface Release {
  readonly id: Uuid;
  readonly shareId: Uuid;
  /** Of the share: its lines are those of this round. */
  readonly round: number;
  readonly accountId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  readonly entryId: Uuid;
  /** It never changes: 1. */
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A line of a share: what a capture added, what a refund or dispute took out (negative). Append-only. */
export interface ShareLine {
  readonly id: Uuid;
  readonly shareId: Uuid;
  readonly paymentId: Uuid;
  readonly operationId: Uuid;
  /** Of the share, when it was written. */
  readonly round: number;
  readonly amount: bigint;
  readonly createdAt: Instant;
}
