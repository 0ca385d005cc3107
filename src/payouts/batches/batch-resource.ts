import type { Draft } from '../../ledger/command/draft.ts';
import type { Resource } from '../../ledger/resources/resource.ts';
import { allowedOnBatch, BATCH_TRANSITIONS, type PayoutBatch, whyNotNow } from './batch.ts';
import { batchCounts } from './batch-counts-store.ts';
import { payoutBatches } from './batch-table.ts';
import { batchView } from './batch-view.ts';

/** Its commands declare `batchTouches`: the view counts the payouts of the batch. */
export const payoutBatchResource: Resource<PayoutBatch, Draft> = {
  name: 'payout_batch',
  table: payoutBatches,
  parent: null,
  events: [
    'payout_batch.created',
    'payout_batch.updated',
    'payout_batch.requires_approval',
    'payout_batch.approved',
    'payout_batch.rejected',
    'payout_batch.scheduled',
    'payout_batch.processing',
    'payout_batch.completed',
    'payout_batch.partially_completed',
    'payout_batch.failed',
    'payout_batch.canceled',
  ],
  books: false,
  phrase: 'batch of payouts',
  noun: 'batch',
  changed: (batch, change) => ({ ...batch, ...change }),
  transitions: BATCH_TRANSITIONS,
  allowedActions: allowedOnBatch,
  whyNot: whyNotNow,
  view: (batch, draft) => batchView(batch, draft.get(batchCounts, batch.id), draft.livemode),
};
