/** The events of a purchase: one a message, named by the message. */
import { isCredit, isInquiry } from '../../cards/purchase/purchase-facts.ts';
import type { MessageEntry } from '../booking/book-posting.ts';
import { type DecidedRequest, isRequest, type Message, type PostingReversal } from '../message/message.ts';
import { isForced } from './message-flags.ts';
import { findReversed, reversalsWaitingFor } from './posting-reversals.ts';
import type { Purchase, PurchaseState } from './purchase-state.ts';

export type MessageEventName =
  | 'authorized'
  | 'verified'
  | 'incremented'
  | 'declined'
  | 'advised'
  | 'reversed'
  | 'cleared'
  | 'force_posted'
  | 'clearing_reversed'
  | 'refunded'
  | 'refund_reversed'
  | 'expired';

/** `transaction.` and this name. */
export interface MessageEvent {
  readonly reference: string;
  readonly name: MessageEventName;
}

/** The event of the message, then those of what waited for it and is booked with it. */
export function messageEvents(
  message: Message,
  { purchase, before, entries }: { purchase: Purchase; before: PurchaseState; entries: readonly MessageEntry[] },
): MessageEvent[] {
  const messages = [...purchase.messages, message];
  const named = (reference: string, name: MessageEventName | null) => (name === null ? [] : [{ reference, name }]);
  const isBooked = (reference: string) => entries.some((entry) => entry.reference === reference);
  const waited = reversalsWaitingFor(message, purchase.messages).filter(({ reference }) => isBooked(reference));
  return [
    ...named(message.reference, eventName(message, { before, messages })),
    ...waited.flatMap((reversal) => named(reversal.reference, reversalEvent(reversal, messages))),
  ];
}

function eventName(
  message: Message,
  { before, messages }: { before: PurchaseState; messages: readonly Message[] },
): MessageEventName | null {
  if (isRequest(message)) return requestEvent(message);
  switch (message.type) {
    case 'advice':
      return 'advised';
    case 'reversal':
      return 'reversed';
    case 'clearing':
      return isForced(message, before.tally) ? 'force_posted' : 'cleared';
    case 'refund':
      return 'refunded';
    case 'expiry':
      return 'expired';
    default:
      return reversalEvent(message, messages);
  }
}

function requestEvent({ type, kind, decision }: DecidedRequest): MessageEventName {
  if (!decision.isApproved) return 'declined';
  if (isInquiry(kind)) return 'verified';
  return type === 'increment' ? 'incremented' : 'authorized';
}

/** By what is taken back, whatever the sender calls it. Null while it waits: it has its event when it is booked. */
function reversalEvent(reversal: PostingReversal, messages: readonly Message[]): MessageEventName | null {
  const reversed = findReversed(reversal, messages);
  if (reversed === undefined) return null;
  const isOfCredit = reversed.type === 'refund' || ('form' in reversed && isCredit(reversed.kind));
  return isOfCredit ? 'refund_reversed' : 'clearing_reversed';
}
