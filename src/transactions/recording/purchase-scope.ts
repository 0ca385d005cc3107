/** The rows that a message of a purchase may change, named before it is decided. */
import type { Scope } from '../../cards/controls/controls.ts';
import { hasOwnCounter } from '../../cards/controls/controls-content.ts';
import { controlsInForce } from '../../cards/controls/controls-table.ts';
import { counters, limitCounterId } from '../../cards/counters/counter-table.ts';
import { lineTouches } from '../../cards/lines/line.ts';
import { programs } from '../../cards/program/program-table.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { holds } from '../../ledger/hold/hold-table.ts';
import type { Uuid } from '../../values/ids.ts';
import { transactionDisputes } from '../disputes/dispute-table.ts';
import { messagesOfPurchases } from '../message/messages-store.ts';
import { lookalikeKey, lookalikes } from '../purchase/lookalike-store.ts';
import { purchaseHoldId } from '../purchase/purchase-id.ts';
import { transactions } from '../purchase/purchase-table.ts';
import type { CardScope } from './card-scopes.ts';

export interface PurchaseScope {
  readonly bookId: BookId;
  readonly purchaseId: Uuid;
  readonly networkReference: string;
  readonly card: CardScope;
  /** How many holds the purchase has had, as far as was read. */
  readonly holds: number;
  /** All that it has had: whatever is refunded may take back their credits. Of an expiry none. */
  readonly disputes: readonly Uuid[];
  /** The merchant of a clearing that may be forced: its open purchases are looked at. */
  readonly looksFor: string | null;
}

export function touchesOf({ bookId, purchaseId, card, holds: known, disputes, looksFor }: PurchaseScope): Touch[] {
  const { accountId, currency, line } = card;
  const subjects = [line.lineId, accountId, bookId];
  return [
    { table: transactions, ids: [purchaseId] },
    { table: messagesOfPurchases, ids: [purchaseId] },
    { table: holds, ids: holdIds(purchaseId, known) },
    { table: accounts, ids: [accountId, ...chartOf(bookId, currency)] },
    ...lineTouches(line),
    { table: programs, ids: [bookId] },
    { table: controlsInForce, ids: subjects },
    { table: counters, ids: counterIds(card) },
    { table: transactionDisputes, ids: disputes },
    // Which card of the line a token pays with is decided under the lock.
    { table: lookalikes, ids: looksFor === null ? [] : line.cardIds.map((id) => lookalikeKey(id, looksFor)) },
  ];
}

/** Its last hold, and the one that may follow. A purchase that nobody has read has had one at most, mostly. */
function holdIds(purchaseId: Uuid, known: number): Uuid[] {
  const last = Math.max(known, 1);
  return [purchaseHoldId(purchaseId, last), purchaseHoldId(purchaseId, last + 1)];
}

function chartOf(bookId: BookId, currency: string): Uuid[] {
  return (['scheme_settlement', 'due_operator'] as const).map((code) => chartAccountId(bookId, code, currency));
}

function counterIds({ versions, currency, counterIds: { card, account, program } }: CardScope): Uuid[] {
  const own = versions.flatMap(({ id, content }) =>
    content.limits.flatMap((limit, place) => (hasOwnCounter(limit) ? [limitCounterId(id, place, currency)] : [])),
  );
  return [card, account, program, ...own];
}

/** Of each scope of controls: the line, the account, the book. */
export function subjectsOf({ bookId, card }: Pick<PurchaseScope, 'bookId' | 'card'>): Readonly<Record<Scope, Uuid>> {
  return { card: card.line.lineId, account: card.accountId, program: bookId };
}

/** Throws StaleRead where more was made of the purchase than was read. */
export function requireRead(
  { holds: known, disputes }: PurchaseScope,
  purchase: { readonly holds: number; readonly disputes: number },
  { needsDisputes }: { readonly needsDisputes: boolean },
): void {
  const isBehind = purchase.holds > Math.max(known, 1) || (needsDisputes && purchase.disputes !== disputes.length);
  if (isBehind) throw new StaleRead('The transaction has changed meanwhile. Send the message again.');
}
