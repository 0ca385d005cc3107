/** Batches, as workers move them. */
import { keyedByUuid } from '../../db/keyed-table.ts';
import type { MovedRows } from '../../group/moved-rows.ts';
import { publicId } from '../../values/ids.ts';

export const movedBatches: MovedRows = {
  kind: 'payout_batch',
  table: keyedByUuid('payout_batches', 'id'),
  open: ['scheduled', 'processing'],
  due: [
    {
      name: 'scheduled batches',
      status: 'scheduled',
      pool: 'ledger',
      job: 'payout_batch.release',
      againMs: 30_000, // beyond the 10 s that a command may wait for its book
    },
    {
      name: 'batches that are being paid',
      status: 'processing',
      pool: 'ledger',
      job: 'payout_batch.make',
      againMs: 30_000, // beyond the two commands that a job may wait for
    },
  ],
  overdue: {
    // While its payouts are under way, they are looked at themselves.
    waitsSince: `CASE WHEN status = 'processing' AND made < last AND due_at < now() - interval '1 minute' THEN updated_at
      WHEN status = 'scheduled' THEN scheduled_for END`,
    finding: {
      check: 'payout_batch.overdue',
      expected: 'moved',
      detail: 'Nobody moves this batch, and no bug has stopped it.',
      ids: ([id]) => ({ payout_batch: publicId('payoutBatch', id!) }),
    },
  },
  shownId: (id) => publicId('payoutBatch', id),
};
