/** Reversals of what was posted, and what they find. One that finds nothing waits, and is booked in one commit with what it names. */
import { isInquiry } from '../../cards/purchase/purchase-facts.ts';
import { isPostingReversal, isRequest, type Message, type PostingReversal } from '../message/message.ts';

/** Whether the message posts something by itself, and so can be what a reversal names. */
function isPosting(message: Message): boolean {
  if (message.type === 'clearing' || message.type === 'refund') return true;
  if (message.type === 'advice') return message.isApproved && message.form === 'single';
  return isRequest(message) && message.decision.isApproved && message.form === 'single' && !isInquiry(message.kind);
}

/** What the reversal takes back; undefined while it waits. */
export function findReversed({ reverses }: PostingReversal, messages: readonly Message[]): Message | undefined {
  return messages.find((message) => message.reference === reverses && isPosting(message));
}

/** Those that have waited for the message: none where it posts nothing that they could take back. */
export function reversalsWaitingFor(message: Message, messages: readonly Message[]): PostingReversal[] {
  if (!isPosting(message)) return [];
  return messages.filter(isPostingReversal).filter(({ reverses }) => reverses === message.reference);
}

/** References of messages that reversals wait for. */
export function waitingFor(messages: readonly Message[]): string[] {
  const waits = messages.filter(isPostingReversal).filter((reversal) => findReversed(reversal, messages) === undefined);
  return [...new Set(waits.map(({ reverses }) => reverses))];
}

/** What reversals take back of each message that they name: an amount, or all of it. */
export function takenByReference(messages: readonly Message[]): Map<string, bigint | 'all'> {
  const taken = new Map<string, bigint | 'all'>();
  for (const { reverses, amount } of messages.filter(isPostingReversal)) {
    const before = taken.get(reverses) ?? 0n;
    taken.set(reverses, before === 'all' || amount === null ? 'all' : before + amount);
  }
  return taken;
}
