/** Cards, purchases and what they use up, as the core holds them and as the reference has them. */
import { cards } from '../../../../src/cards/card/card-table.ts';
import { counters } from '../../../../src/cards/counters/counter-table.ts';
import { transactionMessages } from '../../../../src/transactions/message/message-table.ts';
import { purchaseHoldId } from '../../../../src/transactions/purchase/purchase-id.ts';
import { type StoredPurchase, transactions } from '../../../../src/transactions/purchase/purchase-table.ts';
import type { Part, RealBook } from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { ReferenceCards } from './reference-cards.ts';
import { type ReferencePurchase, ReferencePurchases } from './reference-purchases.ts';

/** Messages, and holds of purchases, as they came. */
export function nameRows({ memory, names }: RealBook): void {
  const name = (id: string, as: string) => {
    if (names.nameOf(id) === id) names.bind(as, id);
  };
  for (const { id, networkReference: net, holds } of memory.rows(transactions).values()) {
    name(id, net);
    for (let at = 1; at <= holds; at++) name(purchaseHoldId(id, at), `held ${at} of ${net}`);
  }
  for (const { id, transactionId, ordinal, message } of memory.log(transactionMessages)) {
    const net = names.nameOf(transactionId);
    name(
      id,
      `message ${message.type === 'expiry' && message.reference.startsWith(' ') ? `expiry ${ordinal} of ${net}` : message.reference}`,
    );
  }
}

export const compareCards: NonNullable<Part['compare']> = [
  {
    real: ({ memory, names }) =>
      Object.fromEntries(
        [...memory.rows(cards).values()].map(({ id, status, closedReason, version }) => [
          names.nameOf(id),
          { status, closedReason, version },
        ]),
      ),
    expected: (book) =>
      Object.fromEntries(
        [...book.of(ReferenceCards).all].map(([name, { status, closedReason, version }]) => [
          name,
          { status, closedReason, version },
        ]),
      ),
  },
  {
    real: (real) =>
      Object.fromEntries(
        [...real.memory.rows(transactions).values()].map((purchase) => [
          real.names.nameOf(purchase.id),
          shownPurchase(purchase, real),
        ]),
      ),
    expected: (book) =>
      Object.fromEntries(
        [...book.of(ReferencePurchases).all].map(([net, purchase]) => [net, expectedPurchase(book, purchase)]),
      ),
  },
  {
    real: ({ memory, names }) =>
      Object.fromEntries(
        [...memory.rows(counters).values()]
          .filter(({ subjectId }) => memory.rows(cards).has(subjectId))
          .map(({ subjectId, allTime, refunded }) => [
            names.nameOf(subjectId),
            [allTime.amount, allTime.count, refunded],
          ]),
      ),
    expected: usedByCard,
  },
];

function shownPurchase(purchase: StoredPurchase, { names }: RealBook) {
  const { cardId, accountId, status, isOpen, version, holds, messages, expiresAt, resembles, decision } = purchase;
  const { authorized, reversed, held, feeHeld, cleared, refunded, fee } = purchase.amounts;
  return {
    ...{ card: names.nameOf(cardId), account: names.nameOf(accountId), status, isOpen, version, holds, messages },
    ...{ authorized, reversed, held, feeHeld, cleared, refunded, fee, expiresAt },
    flags: [...purchase.flags].sort(),
    resembles: resembles && names.nameOf(resembles),
    decision: decision && `${decision.decision} ${decision.declineCode ?? decision.approvedAmount}`,
  };
}

function expectedPurchase(book: ReferenceBook, purchase: ReferencePurchase) {
  const purchases = book.of(ReferencePurchases);
  const { card, account, version, holds, messages, expiresAt, resembles, decision, flags, net } = purchase;
  const { status, held, authorized, reversed, isReversedWhole, standing, refunded } = purchases.sums(net);
  return {
    ...{ card, account, status, isOpen: held > 0n, version, holds: holds.length, messages: messages.length },
    ...{ authorized, held, feeHeld: purchases.feeHeld(purchase), cleared: standing, refunded, expiresAt },
    reversed: isReversedWhole && authorized > reversed ? authorized : reversed,
    fee: purchases.feeBooked(purchase),
    ...{ flags: [...flags].sort(), resembles, decision },
  };
}

/** What stands cleared and what is held, of every purchase of a card that has used anything or given anything back. */
function usedByCard(book: ReferenceBook): Record<string, unknown> {
  const purchases = book.of(ReferencePurchases);
  const used = new Map<string, [amount: bigint, count: bigint, refunded: bigint]>();
  for (const { net, card, hasCounted } of purchases.all.values()) {
    const { standing, held, refunded } = purchases.sums(net);
    const [amount, count, back] = used.get(card) ?? [0n, 0n, 0n];
    const uses = standing + held;
    if (hasCounted) used.set(card, [amount + uses, count + (uses > 0n ? 1n : 0n), back + refunded]);
  }
  return Object.fromEntries(used);
}
