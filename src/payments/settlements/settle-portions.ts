/**
 * What a settled capture earned is released on its day: it moves from the share that waits to the ready one of the same day. When
 * that day is over it is released at once, with all that the same command settles for the account.
 */
import { accountTouches } from '../../accounts/account-resource.ts';
import { dayOf, startOfDay } from '../../calendar/day.ts';
import type { Uuid } from '../../ids.ts';
import type { BookId } from '../../ledger/book.ts';
import type { Touch } from '../../ledger/command.ts';
import type { Draft } from '../../ledger/draft.ts';
import { changeShare, openShare } from '../earn-share.ts';
import type { Payment } from '../payment.ts';
import type { PaymentOperation, Portion } from '../payment-operation.ts';
import { releaseShare } from '../release-shares.ts';
import { type PaymentShare, shareId } from '../share.ts';
import { paymentShares } from '../share-table.ts';
import { sharePartKey, shareParts } from './share-part-store.ts';

/** Of a capture with the shares that its portions name. */
export function portionTouches(
  bookId: BookId,
  { portions, paymentId, accountId, currency }: PaymentOperation,
  shares: ReadonlyMap<Uuid, PaymentShare>,
): Touch[] {
  const own = portions.flatMap(({ shareId: id }) => (id === null ? [] : [id])).map((id) => shares.get(id)!);
  return [
    { table: paymentShares, ids: own.flatMap((share) => [share.id, shareId(bookId, { ...share, kind: 'ready' })]) },
    { table: shareParts, ids: own.map(({ id }) => sharePartKey(id, paymentId)) },
    ...accountTouches({ accountId, currency }),
  ];
}

/** Moves portions in one command. `finish` releases what is over. */
export class PortionMoves {
  readonly #draft: Draft;
  /** What the moves so far took of the parts that were loaded. */
  readonly #moved = new Map<string, bigint>();
  /** By account: what is released at once. */
  readonly #direct = new Map<Uuid, PaymentShare>();

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  /** `whole`: no capture of the payment waits any more, so nothing of it stays behind. Returns the capture's portions. */
  move(capture: PaymentOperation, { whole }: { whole: boolean }): readonly Portion[] {
    return capture.portions.flatMap((portion) => {
      const share = portion.shareId === null ? undefined : this.#draft.get(paymentShares, portion.shareId);
      if (share?.kind !== 'waiting' || share.status !== 'open') return [portion];
      const key = sharePartKey(share.id, capture.paymentId);
      const left = (this.#draft.get(shareParts, key)?.amount ?? 0n) - (this.#moved.get(key) ?? 0n);
      const amount = max(min(share.amount, whole ? left : min(portion.amount, left)), 0n);
      // A refund took it all.
      if (amount === 0n) return [];
      this.#moved.set(key, (this.#moved.get(key) ?? 0n) + amount);
      changeShare(this.#draft, share, { operation: capture, amount: -amount });
      return [{ shareId: this.#add(share, capture, amount), amount }];
    });
  }

  finish(): void {
    for (const share of this.#direct.values()) releaseShare(this.#draft, share);
  }

  #add({ accountId, currency, availableOn, isReserve }: PaymentShare, capture: PaymentOperation, amount: bigint): Uuid {
    const draft = this.#draft;
    if (startOfDay(availableOn, draft.book.timeZone) > draft.moment.book) {
      const ready = openShare(draft, { accountId, currency, availableOn, kind: 'ready', isReserve });
      return changeShare(draft, ready, { operation: capture, amount }).id;
    }
    const direct = this.#direct.get(accountId) ?? this.#newDirect({ accountId, currency });
    this.#direct.set(accountId, changeShare(draft, direct, { operation: capture, amount }));
    return direct.id;
  }

  #newDirect({ accountId, currency }: Pick<PaymentShare, 'accountId' | 'currency'>): PaymentShare {
    const { moment, book } = this.#draft;
    return {
      id: this.#draft.mintId(),
      accountId,
      currency,
      kind: 'ready',
      isReserve: false,
      status: 'open',
      availableOn: dayOf(moment.book, book.timeZone),
      releasesAt: moment.book,
      amount: 0n,
      releaseId: null,
      version: 0,
      dueAt: null,
      createdAt: moment.book,
      updatedAt: moment.book,
    };
  }
}

/** Whether the parts are as the command's payments are: a command of the same batch may have changed them behind the load. */
export function partsAreCurrent(draft: Draft, capture: PaymentOperation, payment: Payment): boolean {
  return capture.portions.every(({ shareId: id }) => {
    const part = id === null ? undefined : draft.get(shareParts, sharePartKey(id, payment.id));
    return part === undefined || part.paymentVersion === payment.version;
  });
}

const min = (one: bigint, other: bigint) => (one < other ? one : other);
const max = (one: bigint, other: bigint) => (one > other ? one : other);
