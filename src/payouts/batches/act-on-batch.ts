/** What people and keys ask of a batch: submit, approve, reject, cancel. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import { type PersonsRequest, requirePerson } from '../../exceptions/handle-exception.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import type { Uuid } from '../../values/ids.ts';
import { isComplete, type PayoutApproval, refuseApproval, refuseJudge, withApproval } from '../payout/approval.ts';
import { approvalPolicies } from '../policies/approval-policy-table.ts';
import type { BatchAction, PayoutBatch } from './batch.ts';
import { payoutBatchResource } from './batch-resource.ts';
import { payoutBatches } from './batch-table.ts';
import { submittedTo } from './create-batch.ts';
import { announceStatus, batchTouches, forgetContent, releaseHolds, releaseOf } from './release-batch.ts';

type ActRuntime = OnceRuntime & { readonly pool: Pool };

export interface ActOnBatch extends Asked {
  readonly batchId: Uuid;
  readonly ifMatch?: number | undefined;
}

export interface JudgeBatch extends ActOnBatch, Pick<PersonsRequest, 'ownerKind'> {
  /** The version that the person has looked at. */
  readonly version: number;
}

/** The batch is read for what of it never changes. */
async function found({ pool }: ActRuntime, { bookId, batchId }: ActOnBatch): Promise<PayoutBatch> {
  const batch = await payoutBatches.find(pool, bookId, batchId);
  if (!batch) throw new ApiError('resource_not_found', { param: 'id' });
  return batch;
}

/** Who acts, and which version of the batch they have seen. */
type Acting = Pick<ActOnBatch, 'bookId' | 'requestId' | 'actor' | 'ifMatch'>;

function acting(
  batch: PayoutBatch,
  input: Acting,
  action: BatchAction,
  decide: (draft: Draft, batch: PayoutBatch) => PayoutBatch | Refusal,
): Command<Stored | Refusal> {
  const { bookId, requestId, actor } = input;
  const isJudged = action === 'approve' || action === 'reject';
  const request = {
    ...{ requestId, actor, action, id: batch.id },
    ...(input.ifMatch !== undefined && { ifMatch: input.ifMatch }),
    ...(isJudged && { ifMatchParam: '/version' }),
    touches: [...batchTouches(batch), { table: approvalPolicies, ids: [bookId] }],
  };
  return changeOf(payoutBatchResource, request, (draft, current): Stored | Refusal => {
    const decided = decide(draft, current);
    return 'refused' in decided ? decided : storedView(draft, payoutBatchResource, decided);
  });
}

/** A draft goes on as one that was submitted with its upload. Without funds it stays. */
export function submitBatch(batch: PayoutBatch, input: Acting): Command<Stored | Refusal> {
  return acting(batch, input, 'submit', (draft, current) => {
    const next = submittedTo(draft, current, input.actor);
    if ('refused' in next) return next;
    const submitted = { ...next, submittedBy: input.actor };
    return advance(draft, payoutBatchResource, current, submitted, { event: `payout_batch.${next.status!}` });
  });
}

export const requestBatchSubmission: UseCase<ActRuntime, ActOnBatch> = {
  async prepare(runtime, input) {
    return { command: submitBatch(await found(runtime, input), input) };
  },
};

/** The last approval that is needed releases the batch, or leaves it to its time. Without funds it changes nothing. */
export function approveBatch(batch: PayoutBatch, input: Acting): Command<Stored | Refusal> {
  return acting(batch, input, 'approve', (draft, current) => {
    const refusal = refuseApproval(current.approval!, input.actor);
    if (refusal) return refusal;
    return approve(draft, current, withApproval(current.approval!, { actor: input.actor, at: draft.moment.book }));
  });
}

export const requestBatchApproval: UseCase<ActRuntime, JudgeBatch> = {
  keyFirst: true,
  async prepare(runtime, input) {
    return { command: approveBatch(await judged(runtime, input), { ...input, ifMatch: input.version }) };
  },
};

function approve(draft: Draft, batch: PayoutBatch, approval: PayoutApproval): PayoutBatch | Refusal {
  if (!isComplete(approval))
    return advance(draft, payoutBatchResource, batch, { approval }, { event: 'payout_batch.updated' });
  const next = releaseOf(draft, batch);
  if ('refused' in next) return next;
  const change = { ...next, approval };
  const approved = advance(draft, payoutBatchResource, batch, change, { event: 'payout_batch.approved' });
  return approved.status === 'processing' ? announceStatus(draft, approved) : approved;
}

export function rejectBatch(
  batch: PayoutBatch,
  input: Acting & { readonly reason: string },
): Command<Stored | Refusal> {
  const salt = newSalt();
  return acting(batch, input, 'reject', (draft, current) => {
    const refusal = refuseJudge(current.approval!, input.actor);
    if (refusal) return refusal;
    forgetContent(draft, current);
    draft.enqueue({ pool: 'ledger', job: 'payout_batch.make', id: current.id });
    const textSalt = current.textSalt ?? salt;
    const change = { status: 'rejected', reason: input.reason, textSalt, last: 0, dueAt: null } as const;
    return advance(draft, payoutBatchResource, current, change, { event: 'payout_batch.rejected' });
  });
}

export const requestBatchRejection: UseCase<ActRuntime, JudgeBatch & { readonly reason: string }> = {
  keyFirst: true,
  async prepare(runtime, input) {
    return { command: rejectBatch(await judged(runtime, input), { ...input, ifMatch: input.version }) };
  },
};

async function judged(runtime: ActRuntime, input: JudgeBatch): Promise<PayoutBatch> {
  const batch = await found(runtime, input);
  requirePerson(input);
  if ((input.ifMatch ?? input.version) === input.version) return batch;
  throw new ApiError('version_mismatch', {
    param: '/version',
    detail: 'If-Match names another one.',
    facts: { version: batch.version },
  });
}

/** What is no payout yet never becomes one, and what was held for it is available again. Payouts of the batch go on. */
export function cancelBatch(batch: PayoutBatch, input: Acting): Command<Stored | Refusal> {
  return acting(batch, input, 'cancel', cancel);
}

export const requestBatchCancel: UseCase<ActRuntime, ActOnBatch> = {
  async prepare(runtime, input) {
    return { command: cancelBatch(await found(runtime, input), input) };
  },
};

function cancel(draft: Draft, batch: PayoutBatch): PayoutBatch {
  releaseHolds(draft, batch);
  // Its items are emptied, and it ends once its payouts have.
  draft.enqueue({ pool: 'ledger', job: 'payout_batch.make', id: batch.id });
  if (batch.made === 0) {
    forgetContent(draft, batch);
    const change = { status: 'canceled', last: 0, dueAt: null } as const;
    return advance(draft, payoutBatchResource, batch, change, { event: 'payout_batch.canceled' });
  }
  return advance(draft, payoutBatchResource, batch, { last: batch.made }, { event: 'payout_batch.updated' });
}
