/** Cards, purchases and what they use up, as the core holds them and as the reference has them. */
import { cards } from '../../../../src/cards/card/card-table.ts';
import { controlsInForce } from '../../../../src/cards/controls/controls-table.ts';
import { counters } from '../../../../src/cards/counters/counter-table.ts';
import { transactionMessages } from '../../../../src/transactions/message/message-table.ts';
import type { StoredRule } from '../../../../src/transactions/message/stored-decision.ts';
import { purchaseHoldId } from '../../../../src/transactions/purchase/purchase-id.ts';
import { type StoredPurchase, transactions } from '../../../../src/transactions/purchase/purchase-table.ts';
import { CURRENCIES } from '../../names.ts';
import type { Part, RealBook } from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { sum } from '../../reference-ledger.ts';
import { compareControls } from './controls-kinds.ts';
import { compareDisputes } from './dispute-kinds.ts';
import { disputedOf } from './purchase-disputes.ts';
import { countOf, countsFor, firstUsedIn, SCOPES, startOf, type Use, WINDOWS } from './purchase-limits.ts';
import { ReferenceCards } from './reference-cards.ts';
import { ReferenceControls } from './reference-controls.ts';
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
  compareControls,
  compareDisputes,
  { real: countersOf, expected: expectedCounters },
];

function shownPurchase(purchase: StoredPurchase, { names }: RealBook) {
  const { cardId, accountId, status, isOpen, version, holds, messages, expiresAt, resembles, decision } = purchase;
  const { authorized, reversed, held, feeHeld, cleared, refunded, disputed, fee } = purchase.amounts;
  return {
    ...{ card: names.nameOf(cardId), account: names.nameOf(accountId), status, isOpen, version, holds, messages },
    ...{ authorized, reversed, held, feeHeld, cleared, refunded, disputed, fee, expiresAt },
    flags: [...purchase.flags].sort(),
    resembles: resembles && names.nameOf(resembles),
    decision: decision && `${decision.decision} ${decision.declineCode ?? decision.approvedAmount}`,
    rules: (decision?.rules ?? []).filter(([rule]) => rule === 'cash' || rule === 'limit').map(shownRule),
  };
}

function shownRule([rule, scope, verdict, window, limit, used, , measured]: StoredRule): string {
  const measure = rule === 'limit' ? ` ${window} ${measured ?? 'amount'} ${used} of ${limit}` : '';
  return `${verdict} ${rule} ${scope}${measure}`;
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
    ...{ flags: [...flags].sort(), resembles, decision, rules: purchase.rules },
    disputed: disputedOf(purchase.disputes),
  };
}

/** Those of scopes, and those of limits in force: what was retired stands as it stood then. */
function countersOf({ memory, names }: RealBook): Record<string, unknown> {
  const inForce = [...memory.rows(controlsInForce).values()].flatMap(({ active, shadow }) => [active?.id, shadow?.id]);
  return Object.fromEntries(
    [...memory.rows(counters).values()]
      .filter(({ controlsId }) => controlsId === null || inForce.includes(controlsId))
      .map(({ subjectId, controlsId, place, currency, day, week, month, year, allTime, refunded }) => {
        const subject = subjectId === memory.book.id ? 'the book' : names.nameOf(subjectId);
        const of = controlsId === null ? subject : `${names.nameOf(controlsId)} ${place}`;
        return [`${of} ${currency}`, { day, week, month, year, allTime, refunded }];
      }),
  );
}

/** Each counter by the purchases that it counts, in the windows of its last change. */
function expectedCounters(book: ReferenceBook): Record<string, unknown> {
  const purchases = book.of(ReferencePurchases);
  const controls = book.of(ReferenceControls);
  const shown: Record<string, unknown> = {};
  const show = (of: string, uses: readonly Use[]) => {
    const at = purchases.counted.get(of);
    if (at !== undefined) shown[of] = countedUses(uses, at);
  };
  for (const currency of CURRENCIES) {
    const all = purchases.uses(currency);
    for (const scope of SCOPES) {
      const subjects = new Set(all.map((use) => use.subjects[scope]));
      const of = (subject: string) => all.filter((use) => use.subjects[scope] === subject);
      for (const subject of subjects) show(`${subject} ${currency}`, of(subject));
      for (const { name, subject, status, content, behind } of controls.all.filter((one) => one.scope === scope))
        for (const [place, limit] of content.limits.entries()) {
          if (status !== 'active' && status !== 'shadow') continue;
          const version = { name, content, behind: behind! };
          show(
            `${name} ${place} ${currency}`,
            of(subject).filter((use) => countsFor(limit, version, use)),
          );
        }
    }
  }
  return shown;
}

function countedUses(uses: readonly Use[], at: number) {
  const windows = WINDOWS.map((window) => [
    window,
    { startsOn: startOf(window, at), ...countOf(firstUsedIn(uses, window, at)) },
  ]);
  const refunded = sum(uses.map((use) => use.refunded));
  return { ...Object.fromEntries(windows), allTime: countOf(uses), refunded };
}
