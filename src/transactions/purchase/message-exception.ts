/** What a person should look at about a message: at most one thing, the first that fits. The message is booked all the same. */

import { type AccountStep, movable } from '../booking/account-step.ts';
import { type Clearing, isFinal, type Message } from '../message/message.ts';
import { isReversed } from './message-flags.ts';
import { isBeyondTolerance } from './over-cleared.ts';
import type { PurchaseState, PurchaseTerms } from './purchase-state.ts';
import { standingClearings, type Tally } from './tally.ts';

export type MessageException =
  /** A closed account was debited: who pays? */
  | { readonly kind: 'clearing_account_closed' }
  /** A piece that stands came again, or a second final clearing of one amount. */
  | { readonly kind: 'clearing_repeated' }
  | { readonly kind: 'clearing_after_decline' }
  | { readonly kind: 'clearing_after_reversal' }
  /** More than the tolerance of the category. */
  | { readonly kind: 'clearing_exceeds_authorization' }
  /** A closed account was credited. `movable` may be moved to another account, and is 0 where the account is still below zero. */
  | { readonly kind: 'refund_account_closed'; readonly movable: bigint }
  /** More is refunded than stands cleared. */
  | { readonly kind: 'refund_exceeds_cleared' }
  /** Reversals of messages that have not come. */
  | { readonly kind: 'reversal_unmatched'; readonly references: readonly string[] };

export interface ExceptionalStep {
  readonly message: Message;
  /** Recorded before it. */
  readonly messages: readonly Message[];
  readonly terms: PurchaseTerms;
  readonly before: PurchaseState;
  readonly after: PurchaseState;
  readonly account: AccountStep;
}

export function messageException(step: ExceptionalStep): MessageException | null {
  const { message, before, after, account } = step;
  if (account.before.status === 'closed' && account.isPosted) return ofClosedAccount(message, account);
  if (message.type === 'clearing') return ofClearing(message, step);
  if (refundsMore(step) && exceedsCleared(after)) return { kind: 'refund_exceeds_cleared' };
  if (message.type === 'expiry' && before.waitingFor.length > 0)
    return { kind: 'reversal_unmatched', references: before.waitingFor };
  return null;
}

function ofClosedAccount(message: Message, account: AccountStep): MessageException {
  const isDebited = message.type === 'clearing' || account.posted < account.before.posted;
  return isDebited ? { kind: 'clearing_account_closed' } : { kind: 'refund_account_closed', movable: movable(account) };
}

function ofClearing(clearing: Clearing, { messages, terms, before, after }: ExceptionalStep): MessageException | null {
  if (isRepeated(clearing, messages)) return { kind: 'clearing_repeated' };
  if (isDeclined(before.tally)) return { kind: 'clearing_after_decline' };
  if (isReversed(before.tally)) return { kind: 'clearing_after_reversal' };
  if (isBeyondTolerance(after.tally, terms.tolerancePercent)) return { kind: 'clearing_exceeds_authorization' };
  return null;
}

/** One whose reversal came first is no repetition: it does not stand. */
function isRepeated(clearing: Clearing, messages: readonly Message[]): boolean {
  const [stands] = standingClearings([clearing, ...messages]);
  if (stands !== clearing) return false;
  return standingClearings(messages).some((known) => {
    if (clearing.sequence !== null && known.sequence?.number === clearing.sequence.number) return true;
    return isFinal(clearing) && isFinal(known) && known.amount === clearing.amount;
  });
}

/** By the network, or by us with nothing approved beside it. */
function isDeclined({ has }: Tally): boolean {
  return has.networkDecline || (has.decline && !has.authorization);
}

/** A refund, or a credit that is posted at once. */
function refundsMore({ message, before, after }: ExceptionalStep): boolean {
  return message.type === 'refund' || after.amounts.refunded > before.amounts.refunded;
}

function exceedsCleared({ tally, amounts }: PurchaseState): boolean {
  return (tally.has.authorization || tally.has.clearing) && amounts.refunded > amounts.cleared;
}
