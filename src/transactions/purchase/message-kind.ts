/** The kind of a message that names none. */
import {
  type EntryMode,
  isCredit,
  isDebit,
  kindOf,
  type PurchaseFacts,
  type PurchaseKind,
} from '../../cards/purchase/purchase-facts.ts';
import type { Incoming, Message } from '../message/message.ts';

export interface KnownPurchase {
  readonly facts: PurchaseFacts;
  readonly messages: readonly (Message | Incoming)[];
}

const HAS_KIND: ReadonlySet<Message['type']> = new Set(['authorization', 'increment', 'advice', 'clearing']);

/**
 * The kind that the message names, else that of its purchase: an increment of cash is cash. Questions and credits lend theirs to no debit,
 * so what follows a verification or a refund goes by the MCC. Null for a message without one.
 */
export function messageKind(
  { type, kind }: { readonly type: Message['type']; readonly kind: PurchaseKind | null },
  { facts, messages }: KnownPurchase,
): PurchaseKind | null {
  if (kind !== null) return kind;
  if (!HAS_KIND.has(type)) return null;
  if (isDebit(facts.kind)) return facts.kind;
  // An advice may be of the credit that was asked for; a refund alone asks for nothing.
  const isOfCredit = type === 'advice' && isCredit(facts.kind) && messages.some(isAboutCredit);
  return isOfCredit ? facts.kind : kindOf({ kind: null, mcc: facts.mcc });
}

function isAboutCredit(message: Message | Incoming): boolean {
  return 'kind' in message && message.kind !== null && isCredit(message.kind);
}

/**
 * The first message sets them. What a question was about shows once a debit is here, and how the card was presented with the first message
 * that names it: rules and counters go by that from then on.
 */
export function factsOf(
  { kind, entryMode }: { readonly kind: PurchaseKind | null; readonly entryMode: EntryMode | null },
  known: PurchaseFacts,
): PurchaseFacts {
  const isDebitNow = kind !== null && isDebit(kind) && !isDebit(known.kind);
  const isPresented = entryMode !== null && known.entryMode === null;
  if (!isDebitNow && !isPresented) return known;
  return { ...known, ...(isDebitNow && { kind }), ...(isPresented && { entryMode }) };
}
