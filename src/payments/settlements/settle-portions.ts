/**
 * Moves the earnings of a settled capture from their waiting share to the ready one of the same day, which releases
 * them. Earnings whose day has passed are released at once, together with all that the command settles for the account.
 */
import { accountTouches } from '../../accounts/account/account-resource.ts';
import { dayOf, startOfDay } from '../../calendar/day.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PaymentOperation, Portion } from '../operations/payment-operation.ts';
import { changeShare, openShare } from '../shares/earn-share.ts';
import { releaseShare } from '../shares/release-shares.ts';
import { type PaymentShare, shareId } from '../shares/share.ts';
import { paymentShares } from '../shares/share-table.ts';

/** Of a capture with the shares that its portions name. */
export function portionTouches(
  bookId: BookId,
  { portions, accountId, currency }: PaymentOperation,
  shares: ReadonlyMap<Uuid, PaymentShare>,
): Touch[] {
  const own = portions.flatMap(({ shareId: id }) => (id === null ? [] : [id])).map((id) => shares.get(id)!);
  return [
    { table: paymentShares, ids: own.flatMap((share) => [share.id, shareId(bookId, { ...share, kind: 'ready' })]) },
    ...accountTouches({ accountId, currency }),
  ];
}

/** Moves the portions of one command. `finish` releases those whose day has passed. */
export class PortionMoves {
  readonly #draft: Draft;
  /** By account: what is released at once. */
  readonly #direct = new Map<Uuid, PaymentShare>();

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  /**
   * Returns the capture's portions. What refunds and disputes of other payments took of the share is missing here, and is no longer
   * owed to it.
   */
  move(capture: PaymentOperation): readonly Portion[] {
    return capture.portions.flatMap((portion) => {
      const share = portion.shareId === null ? undefined : this.#draft.get(paymentShares, portion.shareId);
      if (share?.kind !== 'waiting' || share.status !== 'open') return [portion];
      const amount = share.amount < portion.amount ? share.amount : portion.amount;
      const missing = portion.amount - amount;
      if (portion.amount > 0n) changeShare(this.#draft, share, { operation: capture, amount: -amount, lent: -missing });
      // A refund took it all.
      if (amount === 0n) return [];
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
      lent: 0n,
      round: 0,
      releaseId: null,
      version: 0,
      dueAt: null,
      createdAt: moment.book,
      updatedAt: moment.book,
    };
  }
}
