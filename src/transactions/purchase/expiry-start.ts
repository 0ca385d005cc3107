/** When the days of an authorization begin to run, and which. How many they are: cards/program/program-terms.ts. */
import type { Program } from '../../cards/program/program.ts';
import { expiryDaysOf } from '../../cards/program/program-terms.ts';
import { isInquiry } from '../../cards/purchase/purchase-facts.ts';
import { isRequest, type Message } from '../message/message.ts';
import { isStatusCheck } from './fuel.ts';

/** How many days the purchase lasts, from the message that `restartsExpiry` names. */
export function expiryDays(messages: readonly Message[], mcc: string, program: Pick<Program, 'expiryDays'>): number {
  const hasStatusCheck = messages.some((message) => isRequest(message) && isStatusCheck(message));
  return expiryDaysOf(program, { mcc, isStatusCheck: hasStatusCheck });
}

/**
 * Whether the days run anew from this message: from the first that makes the purchase, from the first that authorizes something, and from
 * each increment that is approved. A completion leaves them as they are.
 */
export function restartsExpiry(before: readonly Message[], message: Message): boolean {
  if (before.length === 0) return true;
  if (!isApproved(message)) return false;
  const isIncrement = message.type === 'increment' || (message.type === 'advice' && message.of === 'increment');
  return isIncrement || !before.some(isApproved);
}

function isApproved(message: Message): boolean {
  if (message.type === 'advice') return message.isApproved && message.reason !== 'completion';
  return isRequest(message) && message.decision.isApproved && !isInquiry(message.kind);
}
