/**
 * Applies a processor's report to its operation. What we decided of a card counts already: a processor that refuses a
 * state changes nothing here. A card that it refuses for good to issue is closed. Answers that come twice change
 * nothing.
 */
import type { Command, Outcome } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { BookState } from '../../ledger/command/state.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { evidenceTouch, keepEvidence } from '../../outside/evidence/evidence.ts';
import { oneMoreInquiry } from '../../outside/instructions/inquiry.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { cardResource } from '../card/card-resource.ts';
import { cards } from '../card/card-table.ts';
import { deactivateTokens, leaveLine } from '../lines/close-cards.ts';
import { isOpenLine, lineIn, lineTouches } from '../lines/line.ts';
import type { LineRead } from '../lines/line-store.ts';
import { type CardOperation, makesCard } from '../operations/card-operation.ts';
import { cardOperations, movingOperation } from '../operations/card-operation-table.ts';
import { startStateOperation } from '../operations/new-operation.ts';
import type { ProcessorReport } from '../operations/processor-report.ts';

export interface ApplyInput {
  readonly operation: CardOperation;
  readonly report: ProcessorReport;
  /** Of the card: one that is refused leaves it. */
  readonly line: LineRead;
}

export function applyProcessorReport(input: ApplyInput): Command<CardOperation> {
  const { operation, report, line } = input;
  const id = newId();
  const evidenceId = report.noticeId ?? id;
  const origin = { id, requestId: operation.requestId, actor: `processor:${operation.processor}` };
  return {
    ...origin,
    name: 'card_operation.report',
    touches: [{ table: cardOperations, ids: [operation.id] }, ...lineTouches(line), evidenceTouch(evidenceId)],
    decide: (state, moment) => decideReport(state, { origin, evidenceId, input }, moment),
  };
}

function decideReport(
  state: BookState,
  {
    origin,
    evidenceId,
    input,
  }: { origin: { id: Uuid; requestId: Uuid; actor: string }; evidenceId: Uuid; input: ApplyInput },
  moment: Moment,
): Outcome<CardOperation> {
  const draft = new Draft(state, origin, moment);
  const { report } = input;
  const operation = draft.get(cardOperations, input.operation.id);
  if (!operation) throw new Error(`Operation ${input.operation.id} does not exist`);
  const evidence = { id: evidenceId, resource: 'card' as const, resourceId: operation.cardId };
  if (!keepEvidence(draft, { ...evidence, call: report.call, answer: report.raw })) return draft.finish(operation);
  // The first answer counts: a processor that contradicts itself is asked by people, with the evidence.
  if (operation.status !== 'pending') return draft.finish(operation);
  return draft.finish(apply(draft, { ...input, operation }));
}

function apply(draft: Draft, { operation, report, line }: ApplyInput): CardOperation {
  switch (report.status) {
    case 'succeeded':
      return succeed(draft, operation, report);
    case 'declined':
      if (makesCard(operation)) refuseCard(draft, operation, line);
      return end(draft, operation, { status: 'failed', report });
    case 'pending':
      return keepWaiting(draft, operation, { report, outcome: null });
    case 'unknown':
      return keepWaiting(draft, operation, { report, outcome: 'unknown' });
  }
}

function succeed(draft: Draft, operation: CardOperation, report: ProcessorReport): CardOperation {
  if (makesCard(operation)) {
    // An answer without the card's reference and digits is incomplete: the processor is asked again.
    if (report.card === undefined) return keepWaiting(draft, operation, { report, outcome: 'unknown' });
    const { cardReference, lastFour, network, expMonth, expYear } = report.card;
    const change = { cardReference, lastFour, network, expMonth, expYear };
    const card = draft.get(cards, operation.cardId)!;
    const issued = advance(draft, cardResource, card, change, { event: 'card.updated' });
    // A state that changed meanwhile could not be sent before the processor had a reference of the card.
    if (issued.status !== operation.state) startStateOperation(draft, issued, operation.requestId);
  }
  return end(draft, operation, { status: 'succeeded', report });
}

/** The card will not exist, and leaves its line: the open one before it may be replaced again. */
function refuseCard(draft: Draft, { cardId }: CardOperation, read: LineRead): void {
  const line = lineIn(draft, read);
  const card = draft.get(cards, cardId)!;
  const isClosed = card.status === 'closed';
  const change = { status: 'closed', closedReason: 'not_issued' } as const;
  advance(draft, cardResource, card, change, { event: isClosed ? 'card.updated' : 'card.closed' });
  leaveLine(draft, line, { cardId, closedReason: change.closedReason });
  if (!isOpenLine(lineIn(draft, read))) deactivateTokens(draft, line.tokens);
}

/** Nothing is decided yet: remembers when to ask again. */
function keepWaiting(
  draft: Draft,
  operation: CardOperation,
  { report, outcome }: { report: ProcessorReport; outcome: 'unknown' | null },
): CardOperation {
  const at = draft.moment.wall + report.nextInquiryMs;
  return advance(draft, movingOperation, operation, {
    outcome,
    inquiries: oneMoreInquiry(operation),
    nextInquiryAt: at,
    dueAt: at,
  });
}

function end(
  draft: Draft,
  operation: CardOperation,
  { status, report }: { status: 'succeeded' | 'failed'; report: ProcessorReport },
): CardOperation {
  return advance(draft, movingOperation, operation, {
    status,
    outcome: null,
    nextInquiryAt: null,
    dueAt: null,
    failureCode: status === 'failed' ? (report.code ?? 'refused') : null,
    processorReference: report.reference || null,
  });
}
