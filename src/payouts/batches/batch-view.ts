/** How the API and events show a batch. */
import { personal } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { personOf } from '../policies/approval-policy-view.ts';
import { allowedOnBatch, type PayoutBatch } from './batch.ts';
import { type BatchCounts, countsOf } from './batch-counts.ts';

export function batchView(batch: PayoutBatch, counts: BatchCounts | undefined, livemode: boolean) {
  const { id: objectId, textSalt: salt, approval } = batch;
  const owner = salt && { object: 'payout_batch' as const, objectId, salt };
  return {
    id: publicId('payoutBatch', batch.id),
    object: 'payout_batch',
    livemode,
    status: batch.status,
    sha256: batch.sha256,
    items: batch.items,
    totals: batch.totals.map(({ currency, amount, fee }) => ({
      currency,
      currency_exponent: currencyExponent(currency),
      amount,
      fee,
    })),
    counts: countsOf(batch, counts),
    holds: batch.held ? batch.payingAccounts.map(({ holdId }) => publicId('hold', holdId)) : [],
    configuration: batch.configuration,
    scheduled_for: formatInstantOrNull(batch.scheduledFor),
    approval_reasons: approval?.reasons ?? [],
    approvals: approval?.given.map(({ actor, at }) => ({ person: personOf(actor), at: formatInstant(at) })) ?? [],
    approvals_required: approval?.required ?? 0,
    reason: owner ? personal(owner, 'reason', batch.reason) : batch.reason,
    external_id: batch.externalId,
    metadata: owner ? personal(owner, 'metadata', batch.metadata) : batch.metadata,
    allowed_actions: allowedOnBatch(batch),
    request_id: publicId('request', batch.requestId),
    version: batch.version,
    created_at: formatInstant(batch.createdAt),
    updated_at: formatInstant(batch.updatedAt),
  };
}
