/** What became of the items of a batch. Counts are read, not kept: no payout's command touches its batch. */
import type { PayoutBatch } from './batch.ts';

/** Payouts of a batch, by what they are now. */
export interface BatchCounts {
  readonly pending: number;
  readonly processing: number;
  readonly unknown: number;
  readonly paid: number;
  readonly failed: number;
  readonly returned: number;
  readonly canceled: number;
}

export const NO_PAYOUTS: BatchCounts = {
  pending: 0,
  processing: 0,
  unknown: 0,
  paid: 0,
  failed: 0,
  returned: 0,
  canceled: 0,
};

/** As a batch shows them: with the items that are no payouts. */
export function countsOf(batch: PayoutBatch, counts: BatchCounts = NO_PAYOUTS) {
  return {
    waiting: batch.last - batch.made,
    pending: counts.pending,
    processing: counts.processing,
    unknown: counts.unknown,
    paid: counts.paid,
    failed: counts.failed,
    returned: counts.returned,
    canceled: counts.canceled + batch.items - batch.last,
  };
}
