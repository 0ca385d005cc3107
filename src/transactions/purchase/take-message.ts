/**
 * What one more message does to a purchase and its account: entries, hold, flags, and what a person should look at. Each amount is the
 * difference between the state with the message and the state without it, so that messages in any order add up to the same.
 * A reversal that waited for the message is booked with it, by an entry of its own.
 */

import { type AccountFacts, type AccountStep, accountStep } from '../booking/account-step.ts';
import { type MessageEntry, movement, type RolePosting, toCustomer } from '../booking/book-posting.ts';
import { afterRefund, creditedOf, type Dispute } from '../disputes/dispute.ts';
import { isPostingReversal, isRequest, type Message } from '../message/message.ts';
import { type MessageEvent, messageEvents } from './message-event.ts';
import { type MessageException, messageException } from './message-exception.ts';
import { isForced, messageFlags, type TransactionFlag } from './message-flags.ts';
import { findReversed, reversalsWaitingFor } from './posting-reversals.ts';
import { type Purchase, type PurchaseState, stateOf } from './purchase-state.ts';
import { type Lookalike, type OpenPurchase, resembling } from './resembling.ts';

export interface MessageFacts {
  readonly account: AccountFacts;
  /** The rules met a category or country that no list has. */
  readonly isUnlisted: boolean;
  /** Of a clearing: what it looks like, and what it may belong to. */
  readonly lookalike: Lookalike | null;
  readonly openPurchases: readonly OpenPurchase[];
}

/** What became of the message, in a word. */
export type MessageResult =
  /** A request: the decision is its answer (decide-request.ts). */
  | 'decided'
  /** A clearing or refund, or the reversal of one that is here. */
  | 'posted'
  | 'expired'
  /** Everything else; also a reversal that waits. */
  | 'recorded';

export interface MessageStep {
  readonly before: PurchaseState;
  readonly after: PurchaseState;
  /** The disputes, of which what is refunded may have taken back credits. */
  readonly disputes: readonly Dispute[];
  /** Of the message, then of the reversals that waited for it. Empty where nothing is posted. */
  readonly entries: readonly MessageEntry[];
  readonly result: MessageResult;
  /** In the order of the entries. A reversal that waits has its event when it is booked. */
  readonly events: readonly MessageEvent[];
  /** What is held more, the fee included; negative for less. */
  readonly heldChange: bigint;
  readonly account: AccountStep;
  readonly flags: readonly TransactionFlag[];
  readonly exception: MessageException | null;
  /** The purchase that a forced post resembles. */
  readonly resembles: string | null;
}

/** Throws RangeError for a reference that the purchase knows: the caller answers what was answered then. */
export function takeMessage(purchase: Purchase, message: Message, facts: MessageFacts): MessageStep {
  if (purchase.messages.some(({ reference }) => reference === message.reference))
    throw new RangeError(`Message ${message.reference} is recorded`);
  const before = stateOf(purchase);
  const { after, disputes, entries } = bookStages(purchase, message, before);
  const heldChange = heldOf(after) - heldOf(before);
  const posted = toCustomer(entries.flatMap(({ postings }) => postings));
  const account = accountStep(facts.account, { posted, held: heldChange, isPosted: entries.length > 0 });
  const isAlone = isForced(message, before.tally) && facts.lookalike !== null;
  return {
    before,
    after,
    disputes,
    entries,
    result: resultOf(message, purchase),
    events: messageEvents(message, { purchase, before, entries }),
    heldChange,
    account,
    flags: messageFlags({ message, before, after, account, isUnlisted: facts.isUnlisted }),
    exception: messageException({ ...purchase, message, before, after, account }),
    resembles: isAlone ? resembling(facts.lookalike, facts.openPurchases) : null,
  };
}

function heldOf({ amounts }: PurchaseState): bigint {
  return amounts.held + amounts.feeHeld;
}

/** The message alone, then each reversal that waited for it. */
function bookStages(
  purchase: Purchase,
  message: Message,
  before: PurchaseState,
): { after: PurchaseState; disputes: readonly Dispute[]; entries: MessageEntry[] } {
  const waited = reversalsWaitingFor(message, purchase.messages);
  let messages = purchase.messages.filter((known) => !waited.some(({ reference }) => reference === known.reference));
  let state = before;
  const stages: { reference: string; postings: RolePosting[] }[] = [];
  for (const stage of [message, ...waited]) {
    messages = [...messages, stage];
    const next = stateOf({ ...purchase, messages });
    stages.push({ reference: stage.reference, postings: postingsBetween(state, next) });
    state = next;
  }
  const isRefunded = state.amounts.refunded > before.amounts.refunded;
  const disputes = isRefunded ? afterRefund(purchase.disputes, state.amounts) : purchase.disputes;
  const overlap = creditedOf(purchase.disputes) - creditedOf(disputes);
  stages[0]!.postings.push(...movement('customer', 'scheme_settlement', overlap));
  return { after: state, disputes, entries: stages.filter(({ postings }) => postings.length > 0) };
}

function postingsBetween(before: PurchaseState, after: PurchaseState): RolePosting[] {
  const cleared = after.amounts.cleared - before.amounts.cleared;
  const refunded = after.amounts.refunded - before.amounts.refunded;
  const fee = after.amounts.fee - before.amounts.fee;
  return [
    ...movement('customer', 'scheme_settlement', cleared),
    ...movement('scheme_settlement', 'customer', refunded),
    ...movement('customer', 'due_operator', fee),
  ];
}

function resultOf(message: Message, { messages }: Purchase): MessageResult {
  if (isRequest(message)) return 'decided';
  if (message.type === 'expiry') return 'expired';
  if (isPostingReversal(message)) return findReversed(message, messages) === undefined ? 'recorded' : 'posted';
  return message.type === 'clearing' || message.type === 'refund' ? 'posted' : 'recorded';
}
