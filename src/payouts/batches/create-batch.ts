/** The last commit of an upload: the batch, its idempotency key, and what its status asks for. Its items are kept already. */

import { resultingBalances } from '../../accounts/account/resulting-balances.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { previewOf, storedView } from '../../idempotency/stored-view.ts';
import type { Account } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Command, Outcome, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { BookState } from '../../ledger/command/state.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { begin } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { newApproval } from '../payout/approval.ts';
import { releaseAt, type ScheduledFor } from '../payout/schedule.ts';
import { approvalPolicies } from '../policies/approval-policy-table.ts';
import { type BatchTotal, neededByBatch, type PayingAccount, type PayoutBatch } from './batch.ts';
import { payoutUploads } from './batch-item-table.ts';
import { payoutBatchResource } from './batch-resource.ts';
import { type BatchContent, batchContents, payoutBatches } from './batch-table.ts';
import { announceStatus, batchTouches, releaseOf } from './release-batch.ts';

export interface CreateBatch {
  readonly batchId: Uuid;
  readonly bookId: Uuid;
  readonly sha256: string;
  readonly items: number;
  readonly totals: readonly BatchTotal[];
  readonly payingAccounts: readonly PayingAccount[];
  /** By account: where the request names it first. */
  readonly places: ReadonlyMap<Uuid, string>;
  readonly rails: readonly string[];
  readonly newPayees: boolean;
  readonly configuration: string | null;
  readonly isSubmitted: boolean;
  readonly isApprovalRequested: boolean;
  readonly allowsDuplicate: boolean;
  readonly scheduledFor?: ScheduledFor | undefined;
  readonly externalId: string | null;
  readonly metadata: Record<string, string>;
  /** The same content, as it was read before the command. */
  readonly known: BatchContent | undefined;
  readonly requestId: Uuid;
  readonly actor: string;
  readonly dryRun: boolean;
}

export function createBatch(input: CreateBatch): Command<Stored | Refusal> {
  const { batchId, bookId, sha256, payingAccounts, known, requestId, actor } = input;
  const origin = { id: newId(), requestId, actor };
  const textSalt = newSalt();
  return {
    ...origin,
    name: 'payout_batch.create',
    touches: [
      ...batchTouches({ id: batchId, sha256, payingAccounts }),
      ...(known ? [{ table: payoutBatches, ids: [known.batchId] }] : []),
      { table: payoutUploads, ids: [batchId] },
      { table: approvalPolicies, ids: [bookId] },
    ],
    decide: (state, moment) => decideBatch(state, { input, origin, textSalt }, moment),
  };
}

interface CreateCommand {
  readonly input: CreateBatch;
  readonly origin: { id: Uuid; requestId: Uuid; actor: string };
  readonly textSalt: Buffer;
}

function decideBatch(state: BookState, command: CreateCommand, moment: Moment): Outcome<Stored | Refusal> {
  const { input, origin } = command;
  const draft = new Draft(state, origin, moment);
  const refusal = refuseContent(draft, input) ?? refuseAccounts(draft, input);
  if (refusal) return new Draft(state, origin, moment).finish(refusal);
  const uploaded = newBatch(command, draft);
  const next = input.isSubmitted ? submittedTo(draft, uploaded, input.actor) : {};
  if ('refused' in next) return new Draft(state, origin, moment).finish(next);
  const batch: PayoutBatch = { ...uploaded, ...next };
  if (input.dryRun) {
    const balances = batch.payingAccounts.flatMap(({ accountId }) => resultingBalances(draft.account(accountId)));
    return new Draft(state, origin, moment).finish(
      previewOf(draft, payoutBatchResource, batch, { resulting_balances: balances }),
    );
  }
  finishUpload(draft, input);
  begin(draft, payoutBatchResource, batch, 'payout_batch.created');
  indexMetadata(draft, input.metadata, { object: 'payout_batch', objectId: batch.id });
  const shown = batch.status === 'draft' ? batch : announceStatus(draft, draft.get(payoutBatches, batch.id)!);
  return draft.finish<Stored | Refusal>({ ...storedView(draft, payoutBatchResource, shown), status: 202 });
}

/** What follows the submission of a draft: people, its time, or its release. */
export function submittedTo(draft: Draft, batch: PayoutBatch, actor: string): Partial<PayoutBatch> | Refusal {
  const needed = neededByBatch(draft.get(approvalPolicies, draft.book.id)?.policy, batch);
  if (needed === null) return releaseOf(draft, batch);
  const approval = { ...newApproval(needed, batch.madeBy), changedBy: batch.madeBy === actor ? [] : [actor] };
  return { status: 'requires_approval', approval };
}

function refuseContent(draft: Draft, { sha256, allowsDuplicate, known }: CreateBatch): Refusal | undefined {
  const content = draft.get(batchContents, sha256);
  if (allowsDuplicate || content === undefined || content.alive === 0) return undefined;
  const first = content.batchId === known?.batchId ? draft.get(payoutBatches, content.batchId) : undefined;
  if (first === undefined) throw new StaleRead('The same content was uploaded meanwhile.');
  const resource = publicId('payoutBatch', first.id);
  return {
    refused: 'state_conflict',
    detail: `The same content was uploaded as ${resource}. Send it with allow_duplicate where it is to be paid again.`,
    facts: { current_status: first.status, resource },
  };
}

/** The upload has judged them. What changed since is refused at the item that names the account first. */
function refuseAccounts(draft: Draft, { payingAccounts, places }: CreateBatch): Refusal | undefined {
  for (const { accountId, currency } of payingAccounts) {
    const refusal = refusePaying(draft.get(accounts, accountId), currency);
    if (refusal) return { ...refusal, param: places.get(accountId)!.replace(/\/account$/, refusal.param) };
  }
  return undefined;
}

/** Whether an item in the currency can leave the account. `param`: of the item. */
export function refusePaying(
  paying: Account | undefined,
  currency: string,
): (Refusal & { readonly param: '/account' | '/currency' }) | undefined {
  const param = '/account';
  if (paying?.code !== 'customer')
    return { refused: 'resource_not_found', param, detail: 'There is no such account in this book.' };
  if (paying.status === 'closed') return { refused: 'account_closed', param };
  if (paying.status === 'frozen') return { refused: 'account_frozen', param };
  if (paying.currency === currency) return undefined;
  return {
    refused: 'currency_mismatch',
    param: '/currency',
    detail: `The account is kept in ${paying.currency}.`,
    facts: { account_currency: paying.currency },
  };
}

/** Its pages stay: the row states that they belong to a batch. Throws where they were swept. */
function finishUpload(draft: Draft, { batchId, sha256 }: CreateBatch): void {
  const upload = draft.get(payoutUploads, batchId);
  if (upload === undefined) throw new StaleRead('The upload was swept meanwhile.');
  draft.put(payoutUploads, batchId, { ...upload, done: true });
  const content = draft.get(batchContents, sha256);
  const isFirst = content === undefined || content.alive === 0;
  draft.put(batchContents, sha256, {
    sha256,
    batchId: isFirst ? batchId : content.batchId,
    alive: (content?.alive ?? 0) + 1,
  });
}

function newBatch({ input, textSalt }: CreateCommand, { book, moment }: Draft): PayoutBatch {
  const { scheduledFor } = input;
  return {
    id: input.batchId,
    status: 'draft',
    sha256: input.sha256,
    items: input.items,
    made: 0,
    last: input.items,
    totals: input.totals,
    payingAccounts: input.payingAccounts,
    held: false,
    rails: input.rails,
    newPayees: input.newPayees,
    approvalRequested: input.isApprovalRequested,
    approval: null,
    madeBy: input.actor,
    submittedBy: input.isSubmitted ? input.actor : null,
    scheduledFor: scheduledFor === undefined ? null : releaseAt(scheduledFor, book, moment.book),
    reason: null,
    externalId: input.externalId,
    metadata: input.metadata,
    textSalt,
    configuration: input.configuration,
    requestId: input.requestId,
    version: 1,
    dueAt: null,
    createdAt: moment.book,
    updatedAt: moment.book,
  };
}
