/** The message of a line, as the API would have received it. */
import { isDebit, kindOf, type PurchaseKind } from '../../cards/purchase/purchase-facts.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { parsePublicId, type Uuid } from '../../values/ids.ts';
import {
  type Clearing,
  type Incoming,
  isFinal,
  isPostingReversal,
  isRepeatOf,
  type Message,
} from '../message/message.ts';
import type { CardNamed, ReceivedMessage } from '../recording/received-message.ts';
import type { ClearingLine } from './clearing-line.ts';

/** The message came in no request. */
export const NO_REQUEST = Buffer.alloc(0);

export function messageOfLine(
  line: ClearingLine,
  { bookId, actor, requestId }: { bookId: BookId; actor: string; requestId: Uuid },
): ReceivedMessage {
  return {
    ...{ bookId, actor, requestId, idempotencyKey: null, fingerprint: NO_REQUEST },
    messageReference: line.messageReference,
    of: { networkReference: line.networkReference },
    type: line.type,
    card: line.card === null ? null : cardNamed(line.card),
    merchant: {
      ...{ merchantId: line.merchantId, acquirerId: null, mcc: line.mcc, country: line.merchantCountry },
      ...{ name: line.merchantName, city: '', postalCode: null, terminal: null, entryMode: null },
    },
    kind: line.kind,
    currency: line.currency,
    checks: null,
    interchange: line.interchange,
    businessDate: line.businessDate,
    incoming: () => incomingOf(line),
  };
}

/** What is no id of ours is a reference of the processor's. */
function cardNamed(card: string): Exclude<CardNamed, { tokenId: Uuid }> {
  const cardId = parsePublicId('card', card);
  return cardId === undefined ? { cardReference: card } : { cardId };
}

function incomingOf(line: ClearingLine): Exclude<Incoming, { type: 'authorization' | 'increment' }> {
  const { messageReference: reference, amount, merchantAmount: merchant } = line;
  switch (line.type) {
    case 'clearing': {
      const { type, kind, sequence, isFinal } = line;
      return { type, reference, kind, amount, merchant, sequence, isFinal };
    }
    case 'refund':
      return { type: line.type, reference, amount, merchant };
    default:
      return { type: line.type, reference, reverses: line.reverses!, amount };
  }
}

/**
 * Whether the message that was recorded under the reference of a line is the message of the line. The API names no
 * direction of a reversal, and may leave out its amount, which then is the whole amount of the reversed message.
 */
export function matchesLine(known: Message, messages: readonly Message[], line: ClearingLine): boolean {
  const again = incomingOf(line);
  if (known.type === 'clearing' && again.type === 'clearing') {
    const kind = kindMeant(messages, line);
    return isRepeatOf(spelledOut(known, kind), spelledOut(again, kind));
  }
  if (!isPostingReversal(known) || !isPostingReversal(again)) return isRepeatOf(known, again);
  if (known.reverses !== again.reverses) return false;
  if (known.amount !== null) return known.amount === again.amount;
  const reversed = messages.find(({ reference }) => reference === known.reverses);
  return reversed === undefined || !('amount' in reversed) || reversed.amount === again.amount;
}

/** Members that are left out, as they are meant. */
function spelledOut(clearing: Clearing, kind: PurchaseKind): Clearing {
  return { ...clearing, kind: clearing.kind ?? kind, isFinal: isFinal(clearing) };
}

/** The kind of a clearing that names none: that of its purchase, else of its merchant. */
function kindMeant(messages: readonly Message[], { mcc }: ClearingLine): PurchaseKind {
  const kinds = messages.map((message) => ('kind' in message ? message.kind : null));
  return kinds.find((kind) => kind !== null && isDebit(kind)) ?? kindOf({ kind: null, mcc });
}
