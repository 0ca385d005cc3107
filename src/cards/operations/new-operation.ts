/** What the processor is told next. Written in the commit that decides it, before anybody calls the processor. */
import type { Draft } from '../../ledger/command/draft.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import { SENT_WITHIN_MS } from '../../outside/instructions/inquiry.ts';
import type { Uuid } from '../../values/ids.ts';
import type { StoredCard } from '../card/card-table.ts';
import type { CardOperation } from './card-operation.ts';
import { cardOperations } from './card-operation-table.ts';

type Told = Pick<CardOperation, 'kind' | 'reference' | 'requestId'> &
  Partial<Pick<CardOperation, 'state' | 'stateVersion' | 'closedReason'>>;

/** Puts the operation and enqueues it. */
export function startOperation(draft: Draft, card: StoredCard, told: Told): void {
  const { book, wall } = draft.moment;
  const operation: CardOperation = {
    id: draft.mintId(),
    cardId: card.id,
    kind: told.kind,
    status: 'pending',
    processor: card.processor,
    reference: told.reference,
    state: told.state ?? null,
    stateVersion: told.stateVersion ?? null,
    closedReason: told.closedReason ?? null,
    outcome: null,
    inquiries: 0,
    nextInquiryAt: null,
    sentAt: wall,
    failureCode: null,
    processorReference: null,
    requestId: told.requestId,
    version: 1,
    dueAt: wall + SENT_WITHIN_MS,
    createdAt: book,
    updatedAt: book,
  };
  draft.put(cardOperations, operation.id, operation);
  draft.enqueue({ pool: 'payments', job: 'card.tell', id: operation.id });
}

/**
 * Tells the processor the state of a card as it is in the draft. Until the processor has issued the card there is nothing to tell it of: the
 * answer that brings the card tells its state then (../outcomes/apply-processor-report.ts).
 */
export function tellState(draft: Draft, card: StoredCard, requestId: Uuid): void {
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

export function tellUnblockedPin(draft: Draft, card: StoredCard, requestId: Uuid): void {
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
