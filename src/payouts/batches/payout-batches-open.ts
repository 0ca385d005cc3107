import type { ClosingBlocker } from '../../ledger/command/closing-blocker.ts';
import { publicId } from '../../values/ids.ts';
import { openBatches } from './open-batches-store.ts';

/** An account stays open while a batch that pays from it has not ended: a draft or an unapproved batch holds nothing yet. */
export const payoutBatchesOpen: ClosingBlocker<'payout_batches_open'> = {
  types: ['payout_batches_open'],
  touches: (accountId) => [{ table: openBatches, ids: [accountId] }],
  find(draft, accountId) {
    const ids = draft.get(openBatches, accountId)?.batchIds ?? [];
    if (ids.length === 0) return undefined;
    return { type: 'payout_batches_open', payout_batches: ids.map((id) => publicId('payoutBatch', id)) };
  },
};
