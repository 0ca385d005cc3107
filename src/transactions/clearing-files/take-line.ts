/** What becomes of one line, in the draft of a command that takes several: it is booked, it was booked before, or it is left to people. */
import { type IdempotencyRecord, messageKey } from '../../idempotency/idempotency-key.ts';
import { idempotencyKeys } from '../../idempotency/idempotency-table.ts';
import type { Refusal, Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { resourceReference, type Uuid } from '../../values/ids.ts';
import { messagesOfPurchases } from '../message/messages-store.ts';
import { touchesOf } from '../recording/purchase-scope.ts';
import { recordReceived } from '../recording/receive-message.ts';
import { matchesLine, NO_REQUEST } from './message-of-line.ts';
import type { ReadLine } from './read-lines.ts';

export type LineExceptionKind = 'clearing_unknown_card' | 'clearing_currency_mismatch' | 'message_contradicts';

/** Nothing of the line is booked. */
export interface LineException {
  readonly kind: LineExceptionKind;
  readonly detail: string;
}

export type TakenLine =
  | { readonly is: 'booked'; readonly entryIds: readonly Uuid[] }
  /** The same message is recorded already. */
  | { readonly is: 'known' }
  | { readonly is: 'exception'; readonly exception: LineException };

export function lineTouches({ line, scope }: ReadLine): Touch[] {
  if (scope === null) return [];
  return [{ table: idempotencyKeys, ids: [messageKey(line.messageReference)] }, ...touchesOf(scope)];
}

/** Throws StaleRead where what the line was read from no longer holds. */
export function takeLine(draft: Draft, read: ReadLine): TakenLine {
  const { line, received, scope } = read;
  if (scope === null)
    return exceptionOf(read, 'clearing_unknown_card', 'names a card that this book does not have at the processor.');
  const key = messageKey(line.messageReference);
  const known = draft.get(idempotencyKeys, key);
  if (known !== undefined) return ofKnown(draft, read, known);
  const recorded = recordReceived(draft, { received, read: { scope, tokenId: null }, messageId: draft.mintId() });
  if ('refused' in recorded) return refused(read, recorded);
  draft.put(idempotencyKeys, key, recordOf(key, { draft, read, resourceId: scope.purchaseId }));
  return { is: 'booked', entryIds: recorded.entryIds };
}

function ofKnown(draft: Draft, read: ReadLine, known: IdempotencyRecord): TakenLine {
  const { line, scope } = read;
  const messages = (draft.get(messagesOfPurchases, scope!.purchaseId)?.messages ?? []).map(({ message }) => message);
  const message = messages.find(({ reference }) => reference === line.messageReference);
  const isSame =
    message !== undefined && line.currency === scope!.card.currency && matchesLine(message, messages, line);
  if (isSame) return { is: 'known' };
  const { resource, resourceId } = known;
  const of = resource === null || resourceId === null ? 'another message' : resourceReference(resource, resourceId);
  return exceptionOf(
    read,
    'message_contradicts',
    `has the reference of a message of ${of}, which said something else.`,
  );
}

function refused(read: ReadLine, { refused, detail }: Refusal): TakenLine {
  const reason = detail ?? 'is refused.';
  if (refused === 'currency_mismatch')
    return exceptionOf(read, 'clearing_currency_mismatch', `is in another currency than its account. ${reason}`);
  return exceptionOf(read, 'message_contradicts', `does not fit its transaction. ${reason}`);
}

function exceptionOf({ line }: ReadLine, kind: LineExceptionKind, what: string): TakenLine {
  const { row, messageReference, type, amount, currency } = line;
  const detail = `Line ${row} of a clearing file (${type} ${messageReference}, ${amount} ${currency}) ${what} Nothing of it is booked.`;
  return { is: 'exception', exception: { kind, detail } };
}

/** No answer is kept: a repeat over the API has another form, and is answered with the transaction of the reference. */
function recordOf(
  key: string,
  { draft, read, resourceId }: { draft: Draft; read: ReadLine; resourceId: Uuid },
): IdempotencyRecord {
  return {
    key,
    fingerprint: NO_REQUEST,
    status: 200,
    body: null,
    textReferences: null,
    resource: 'transaction',
    resourceId,
    requestId: read.received.requestId,
    voidedAt: null,
    createdAt: draft.wall,
  };
}
