/**
 * An operation of a card: one instruction to the processor, under a reference of its own. Its row is written before the
 * processor is called, so that a crash anywhere leaves something to ask about. No operation is shown by itself: the
 * card shows its outcome.
 * Next: card-operation-table.ts (rows), new-operation.ts (instructions), ../outcomes/ (who submits them, what answers
 * mean).
 */
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { ProcessorDecline, ProcessorInstructionKind } from '../../processors/processor.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { CardStatus, ClosedReason } from '../card/card.ts';

export type CardOperationStatus =
  /** At the processor, or on its way there. The payments pool moves it. */
  | 'pending'
  /** Carried out. */
  | 'succeeded'
  /** The processor has refused it for good. An issue that is refused closes its card; else what we decided stands. */
  | 'failed';

export const CARD_OPERATION_TRANSITIONS: Transitions<CardOperationStatus> = {
  pending: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
};

export interface CardOperation {
  readonly id: Uuid;
  readonly cardId: Uuid;
  readonly kind: ProcessorInstructionKind;
  readonly status: CardOperationStatus;
  readonly processor: string;
  /** The same on every attempt. */
  readonly reference: string;
  /** Of a state, and of what makes a card the state in which it begins. Null for an unblocked PIN. */
  readonly state: CardStatus | null;
  /** Of a state: the version of its card that has it. The processor knows by it which state is the newest. */
  readonly stateVersion: number | null;
  /** Of a state that is `closed`. */
  readonly closedReason: ClosedReason | null;
  readonly outcome: 'unknown' | null;
  readonly inquiries: number;
  readonly nextInquiryAt: Instant | null;
  readonly sentAt: Instant;
  readonly failureCode: ProcessorDecline | null;
  /** The processor's own id of the instruction. */
  readonly processorReference: string | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What makes a card: until it is answered, its card has no last four digits and no expiry. */
export function makesCard({ kind }: Pick<CardOperation, 'kind'>): boolean {
  return kind === 'issue' || kind === 'replace';
}
