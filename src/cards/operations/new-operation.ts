/** New instructions to the processor. Written in the commit that decides them, before anybody calls the processor. */
import type { Draft } from '../../ledger/command/draft.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import { SENT_WITHIN_MS } from '../../outside/instructions/inquiry.ts';
import type { Uuid } from '../../values/ids.ts';
import type { StoredCard } from '../card/card-table.ts';
import type { CardOperation } from './card-operation.ts';
import { cardOperations } from './card-operation-table.ts';

type Instruction = Pick<CardOperation, 'kind' | 'reference' | 'requestId'> &
  Partial<Pick<CardOperation, 'state' | 'stateVersion' | 'closedReason'>>;

/** Puts the operation and enqueues it. */
export function startOperation(draft: Draft, card: StoredCard, instruction: Instruction): void {
  const { book, wall } = draft.moment;
  const operation: CardOperation = {
    id: draft.mintId(),
    cardId: card.id,
    kind: instruction.kind,
    status: 'pending',
    processor: card.processor,
    reference: instruction.reference,
    state: instruction.state ?? null,
    stateVersion: instruction.stateVersion ?? null,
    closedReason: instruction.closedReason ?? null,
    outcome: null,
    inquiries: 0,
    nextInquiryAt: null,
    sentAt: wall,
    failureCode: null,
    processorReference: null,
    requestId: instruction.requestId,
    version: 1,
    dueAt: wall + SENT_WITHIN_MS,
    createdAt: book,
    updatedAt: book,
  };
  draft.put(cardOperations, operation.id, operation);
  draft.enqueue({ pool: 'payments', job: 'card.tell', id: operation.id });
}

/**
 * Instructs the processor of the state that a card has in the draft. Nothing is sent until the processor has issued the
 * card: the answer that brings the card starts this operation then (../outcomes/apply-processor-report.ts).
 */
export function startStateOperation(draft: Draft, card: StoredCard, requestId: Uuid): void {
  if (card.cardReference === null) return;
  startOperation(draft, card, {
    kind: 'state',
    reference: referenceOf(draft, card, 'state'),
    state: card.status,
    stateVersion: card.version,
    closedReason: card.closedReason,
    requestId,
  });
}

export function startPinOperation(draft: Draft, card: StoredCard, requestId: Uuid): void {
  if (card.cardReference === null) return;
  startOperation(draft, card, {
    kind: 'unblock_pin',
    reference: referenceOf(draft, card, 'unblock_pin'),
    requestId,
  });
}

/** The version counts up with each change of the card, so that each of its states has a reference of its own. */
function referenceOf(draft: Draft, { id, version }: StoredCard, kind: 'state' | 'unblock_pin'): string {
  return endToEndId(draft.book.id, `card ${id} ${kind} ${version}`);
}
