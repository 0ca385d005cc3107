/**
 * Answers a dispute: submits evidence, or accepts it. The answer is an operation of the payment, which is committed
 * before the acquirer is called; a dispute has one at a time. The response is the dispute.
 */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { changeOf, stateConflict } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { newOperation, startOperation } from '../operations/new-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import { payments } from '../payment/payment-table.ts';
import type { Dispute, DisputeAction, DisputeEvidence } from './dispute.ts';
import { disputeResource } from './dispute-resource.ts';
import { disputes } from './dispute-table.ts';

export interface AnswerRequest extends Asked {
  readonly disputeId: Uuid;
  readonly ifMatch?: number | undefined;
}

export const requestEvidence: UseCase<{ pool: Pool }, AnswerRequest & { evidence: DisputeEvidence }> = {
  prepare: async ({ pool }, input) => {
    const dispute = await find(pool, input);
    return { command: answerDispute(input.bookId, dispute, { ...input, action: 'submit_evidence' }) };
  },
};

export const requestAcceptance: UseCase<{ pool: Pool }, AnswerRequest> = {
  prepare: async ({ pool }, input) => {
    const dispute = await find(pool, input);
    return { command: answerDispute(input.bookId, dispute, { ...input, action: 'accept' }) };
  },
};

async function find(pool: Pool, { bookId, disputeId }: AnswerRequest): Promise<Dispute> {
  const dispute = await disputes.find(pool, bookId, disputeId);
  if (!dispute) throw new ApiError('resource_not_found', { param: 'id' });
  return dispute;
}

export function answerDispute(
  bookId: BookId,
  { id: disputeId, paymentId }: Pick<Dispute, 'id' | 'paymentId'>,
  input: Omit<AnswerRequest, 'fingerprint'> & { action: DisputeAction; evidence?: DisputeEvidence },
): Command<Stored | Refusal> {
  const { action, evidence, requestId, actor } = input;
  const id = newId();
  const salt = newSalt();
  const touches = [
    { table: payments, ids: [paymentId] },
    { table: paymentOperations, ids: [id] },
  ];
  const request = { requestId, actor, ifMatch: input.ifMatch, id: disputeId, action, touches };
  return changeOf<Dispute, Stored>(disputeResource, request, (draft, dispute) => {
    // By the time itself: the sweeper marks it later.
    const isOver = dispute.evidenceDueAt <= draft.moment.book;
    if (action === 'submit_evidence' && isOver)
      return stateConflict(draft, disputeResource, { ...dispute, isOverdue: true }, action);
    const payment = draft.get(payments, paymentId);
    if (!payment) throw new Error(`Payment ${paymentId} does not exist`);
    const operation = newOperation(
      payment,
      {
        id,
        kind: action === 'accept' ? 'accept_dispute' : 'evidence',
        amount: dispute.amount,
        reference: endToEndId(bookId, `${action} ${disputeId} ${input.idempotencyKey ?? id}`),
        of: dispute.acquirerReference,
        disputeId,
        requestId,
      },
      draft.moment,
    );
    startOperation(draft, operation);
    const submitted = evidence && { evidence, textSalt: dispute.textSalt ?? salt };
    const change = { ...submitted, pendingOperation: id, failureCode: null };
    return storedView(draft, disputeResource, advance(draft, disputeResource, dispute, change));
  });
}
