/** What is out of the ordinary about a message. A purchase shows the flags of all its messages. */

import { type AccountStep, accountFlags } from '../booking/account-step.ts';
import { isRequest, type Message } from '../message/message.ts';
import { isStatusCheck } from './fuel.ts';
import { isOverCleared } from './over-cleared.ts';
import { hasEndedEarly, type PurchaseState } from './purchase-state.ts';
import type { Tally } from './tally.ts';

/** In the order in which they are shown. */
export const TRANSACTION_FLAGS = [
  /** Posted without an authorization. */
  'forced',
  /** Posted after the authorization had ended. */
  'late',
  /** A refund without a purchase of ours. */
  'unmatched',
  'stand_in',
  'offline',
  /** A status check: more is held than was asked for. */
  'fuel',
  /** More stands cleared than was authorized. */
  'over_cleared',
  'below_floor',
  'account_frozen',
  'account_closed',
  /** The rules met a category or country that no list has. */
  'unlisted',
] as const;

export type TransactionFlag = (typeof TRANSACTION_FLAGS)[number];

export interface FlaggedStep {
  readonly message: Message;
  readonly before: PurchaseState;
  readonly after: PurchaseState;
  readonly account: AccountStep;
  readonly isUnlisted: boolean;
}

export function messageFlags({ message, before, after, account, isUnlisted }: FlaggedStep): TransactionFlag[] {
  const flags = new Set<TransactionFlag>(accountFlags(account));
  if (isForced(message, before.tally)) flags.add('forced');
  if (isLate(message, before.tally)) flags.add('late');
  if (isUnmatched(message, before.tally)) flags.add('unmatched');
  if (message.type === 'advice' && message.reason !== 'completion') flags.add(message.reason);
  if (isRequest(message) && isStatusCheck(message)) flags.add('fuel');
  if (message.type === 'clearing' && isOverCleared(after.tally)) flags.add('over_cleared');
  if (isUnlisted) flags.add('unlisted');
  return inOrder(flags);
}

/** The flags of a purchase, from those of its messages. */
export function inOrder(flags: Iterable<TransactionFlag>): TransactionFlag[] {
  const found = new Set(flags);
  return TRANSACTION_FLAGS.filter((flag) => found.has(flag));
}

export function isForced(message: Message, before: Tally): boolean {
  return message.type === 'clearing' && !before.has.authorization;
}

function isLate(message: Message, before: Tally): boolean {
  if (message.type === 'clearing') return hasEndedEarly(before.has) || isReversed(before);
  if (message.type !== 'refund' || !before.has.refundRequest || before.has.refund) return false;
  return hasEndedEarly(before.has) || before.requested === 0n;
}

/** Whether reversals have taken all that was authorized. */
export function isReversed({ account, has }: Tally): boolean {
  return has.wholeReversal || (account.reversed > 0n && account.reversed >= account.authorized);
}

function isUnmatched(message: Message, { has, credited }: Tally): boolean {
  return message.type === 'refund' && !has.authorization && !has.clearing && credited === 0n;
}
