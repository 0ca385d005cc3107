/** The release of a batch: each of its accounts holds what all of its items need, in one commit, or none does. */
import { available, covers } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Refusal, Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { refuseTotals } from '../../ledger/command/lifetime-total.ts';
import { holds } from '../../ledger/hold/hold-table.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import { SENT_WITHIN_MS } from '../../outside/instructions/inquiry.ts';
import { publicId } from '../../values/ids.ts';
import { dueInWallTime } from '../payout/schedule.ts';
import type { PayingAccount, PayoutBatch } from './batch.ts';
import { batchCounts } from './batch-counts-store.ts';
import { payoutBatchResource } from './batch-resource.ts';
import { batchContents, payoutBatches } from './batch-table.ts';

/** What any step of a batch reads and changes. */
export function batchTouches({
  id,
  sha256,
  payingAccounts,
}: Pick<PayoutBatch, 'id' | 'sha256' | 'payingAccounts'>): Touch[] {
  return [
    { table: payoutBatches, ids: [id] },
    { table: batchCounts, ids: [id] },
    { table: batchContents, ids: [sha256] },
    { table: accounts, ids: payingAccounts.map(({ accountId }) => accountId) },
    { table: holds, ids: payingAccounts.map(({ holdId }) => holdId) },
  ];
}

/** Where a batch goes that needs no approval any more: to its time, or on its way. A refusal changes nothing. */
export function releaseOf(draft: Draft, batch: PayoutBatch): Partial<PayoutBatch> | Refusal {
  const { scheduledFor } = batch;
  if (scheduledFor !== null && scheduledFor > draft.moment.book)
    return { status: 'scheduled', dueAt: dueInWallTime(scheduledFor, draft.moment) };
  for (const paying of batch.payingAccounts) {
    const refusal = refuseAccount(draft, paying);
    if (refusal) return refusal;
  }
  for (const { holdId, accountId, amount } of batch.payingAccounts)
    draft.placeHold({ id: holdId, accountId, resource: 'payout_batch', resourceId: batch.id, amount });
  draft.enqueue({ pool: 'ledger', job: 'payout_batch.make', id: batch.id });
  return { status: 'processing', held: true, dueAt: draft.moment.wall + SENT_WITHIN_MS };
}

function refuseAccount(draft: Draft, { accountId, amount: required, currency }: PayingAccount): Refusal | undefined {
  const paying = draft.account(accountId);
  const account = publicId('account', accountId);
  if (paying.status === 'frozen') return { refused: 'account_frozen', detail: `The account ${account} is frozen.` };
  if (paying.status === 'closed') return { refused: 'account_closed', detail: `The account ${account} is closed.` };
  const beyond = refuseTotals(draft, [accountId], { amount: required, currency });
  if (beyond) return beyond;
  // As of a single payout: an overdraft counts.
  if (covers(paying, required)) return undefined;
  const rest = available(paying);
  return {
    refused: 'insufficient_funds',
    detail: `The account ${account} has ${rest} available; its items and their fees require ${required}.`,
    facts: { account, available: rest, required, currency, currency_exponent: currencyExponent(currency) },
  };
}

/** The event of the status that a batch has come to. */
export function announceStatus(draft: Draft, batch: PayoutBatch): PayoutBatch {
  return advance(draft, payoutBatchResource, batch, {}, { event: `payout_batch.${batch.status}` });
}

/** Gives back what accounts still hold for it. */
export function releaseHolds(draft: Draft, batch: PayoutBatch): void {
  if (batch.held) for (const { holdId } of batch.payingAccounts) draft.takeFromHold(holdId, 'released');
}

/** The same content may be uploaded again once no batch of it is left that was neither rejected nor canceled. */
export function forgetContent(draft: Draft, { sha256 }: PayoutBatch): void {
  const content = draft.get(batchContents, sha256);
  if (content) draft.put(batchContents, sha256, { ...content, alive: content.alive - 1 });
}
