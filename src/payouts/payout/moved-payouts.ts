/** Payouts, as workers move them. */

import { keyedByUuid } from '../../db/keyed-table.ts';
import type { MovedRows } from '../../group/moved-rows.ts';
import { publicId } from '../../values/ids.ts';

export const movedPayouts: MovedRows = {
  kind: 'payout',
  table: keyedByUuid('payouts', 'id'),
  open: ['pending', 'processing'],
  due: [
    {
      name: 'pending payouts',
      status: 'pending',
      pool: 'ledger',
      job: 'payout.reserve',
      againMs: 30_000, // beyond the 10 s that a command may wait for its book
    },
    {
      name: 'processing payouts',
      status: 'processing',
      pool: 'rails',
      job: 'payout.inquire',
      againMs: 30_000, // beyond the longest call of a rail (10 s) and the commit of its answer
    },
  ],
  overdue: {
    // Wall time, wherever it has one: the book's own time may be ahead.
    waitsSince: 'COALESCE(next_inquiry_at, sent_at, updated_at)',
    finding: {
      check: 'payout.overdue',
      expected: 'moved',
      detail: 'Nobody moves this payout, and no bug has stopped it.',
      ids: ([id]) => ({ payout: publicId('payout', id!) }),
    },
  },
  shownId: (id) => publicId('payout', id),
};
