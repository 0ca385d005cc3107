/**
 * Gives the money of a failed refund or a won dispute back to its funding (API.md §4). Money that waited for its
 * release waits again for the same day, as a reserve if it was one. Once that day has passed, it is available to the
 * customer at once.
 *
 *   taken from             goes back to
 *   the customer           the customer
 *   a capture's share      the share in which the capture waits for its acquirer; once that has paid, the ready share of the day
 *   other captures' share  the share, as far as they still wait in it and lack it; the rest to the ready share of the day
 *   a ready share          the share, or the customer where it was released
 */
import { startOfDay } from '../../calendar/day.ts';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PaymentOperation, Portion } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import { changeShare, openShare } from '../shares/earn-share.ts';
import { type PaymentShare, type ShareKey, shareId } from '../shares/share.ts';
import { paymentShares } from '../shares/share-table.ts';
import { accountOf, changeLeft, sharesOf } from './take-funding.ts';

/** A refund, or a dispute. */
export type Giver = Pick<PaymentOperation, 'id' | 'paymentId' | 'accountId' | 'currency'>;

/** A part of what is given back, and the account that gets it. */
export interface GivenBack {
  readonly account: Uuid;
  readonly amount: bigint;
}

/** The shares that portions may go back to: those that they were taken from, and the ready ones of the same days. */
export async function readWayBack(
  pool: Pool,
  bookId: BookId,
  { portions }: Pick<PaymentOperation, 'portions'>,
): Promise<Uuid[]> {
  const taken = [...new Set(sharesOf({ portions }))];
  if (taken.length === 0) return [];
  const shares = [...(await paymentShares.load(pool, bookId, taken)).values()];
  return shares.flatMap((share) => (share.kind === 'ready' ? [share.id] : [share.id, readyId(bookId, share)]));
}

/** What a command that gives portions back touches. `shares` is what readWayBack found. */
export function wayBackTouches({ portions }: Pick<PaymentOperation, 'portions'>, shares: readonly Uuid[]): Touch[] {
  const captures = [...new Set(portions.flatMap(({ captureId }) => captureId ?? []))];
  return [
    { table: paymentOperations, ids: captures },
    { table: paymentShares, ids: [...new Set([...sharesOf({ portions }), ...shares])] },
  ];
}

/** Puts an amount of a portion back into shares. Returns the accounts that get it, for the caller's entry. */
export function giveBack(draft: Draft, giver: Giver, portion: Portion, amount: bigint): GivenBack[] {
  const { captureId } = portion;
  return waysBack(draft, giver, portion, amount).map((way) => {
    const { share } = way;
    if (share !== null) {
      const lent = share.kind === 'waiting' && captureId === undefined ? -way.amount : 0n;
      changeShare(draft, share, { operation: giver, amount: way.amount, lent });
      if (captureId) changeLeft(draft, captureId, { shareId: share.id, amount: way.amount });
    }
    return { account: accountOf(draft, giver, share?.id ?? null), amount: way.amount };
  });
}

interface Way {
  /** Null: the customer. */
  readonly share: PaymentShare | null;
  readonly amount: bigint;
}

function waysBack(draft: Draft, { accountId }: Giver, portion: Portion, amount: bigint): Way[] {
  const { shareId: id, captureId } = portion;
  if (id === null) return [{ share: null, amount }];
  const from = draft.get(paymentShares, id);
  if (!from) throw new Error(`Share ${id} does not exist`);
  const isClosed = draft.account(accountId).status === 'closed';
  const ready = readyOf(draft, from, isClosed);
  if (from.kind === 'ready') return [{ share: ready, amount }];
  const waits = captureId ? waitingOf(draft, captureId, amount) : min(from.lent, amount);
  return [
    { share: from, amount: waits },
    { share: ready, amount: amount - waits },
  ].filter((way) => way.amount > 0n);
}

/** The part that goes back to waiting: all of it while the acquirer has not paid the capture. */
function waitingOf(draft: Draft, captureId: Uuid, amount: bigint): bigint {
  return draft.get(paymentOperations, captureId)!.settledAt === null ? amount : 0n;
}

/**
 * The ready share of the same day and kind; null once that day has passed, since nothing waits any more. A share that
 * is due and not released yet still gets it, unless the account is closed, and releases it with the rest.
 */
function readyOf(draft: Draft, from: PaymentShare, isClosed: boolean): PaymentShare | null {
  const key: ShareKey = { ...keyOf(from), kind: 'ready' };
  const isOver = startOfDay(from.availableOn, draft.book.timeZone) <= draft.moment.book;
  if (!isOver) return openShare(draft, key);
  const ready = draft.get(paymentShares, from.kind === 'ready' ? from.id : shareId(draft.book.id, key));
  return ready?.status === 'open' && !isClosed ? ready : null;
}

function keyOf({ accountId, currency, availableOn, isReserve }: PaymentShare): Omit<ShareKey, 'kind'> {
  return { accountId, currency, availableOn, isReserve };
}

function readyId(bookId: BookId, share: PaymentShare): Uuid {
  return shareId(bookId, { ...keyOf(share), kind: 'ready' });
}

const min = (one: bigint, other: bigint) => (one < other ? one : other);
