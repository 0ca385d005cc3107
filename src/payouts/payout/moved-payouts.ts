/** Payouts, as workers move them. */

import { keyedByUuid } from '../../db/keyed-table.ts';
import type { MovedRows } from '../../group/moved-rows.ts';
import { publicId } from '../../values/ids.ts';

export const movedPayouts: MovedRows = {
  kind: 'payout',
  table: keyedByUuid('payouts', 'id'),
  open: ['scheduled', 'pending', 'processing'],
  due: [
    {
      name: 'scheduled payouts',
      status: 'scheduled',
      pool: 'ledger',
      job: 'payout.release',
      againMs: 30_000, // beyond the 10 s that a command may wait for its book
    },
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
    // Wall time, wherever it has one: the book's own time may be ahead. Nobody moves what an operator has paused.
    waitsSince: `CASE WHEN paused_at IS NULL
      THEN COALESCE(next_inquiry_at, sent_at, CASE status WHEN 'scheduled' THEN scheduled_for END, updated_at) END`,
    finding: {
      check: 'payout.overdue',
      expected: 'moved',
      detail: 'Nobody moves this payout, and no bug has stopped it.',
      ids: ([id]) => ({ payout: publicId('payout', id!) }),
    },
  },
  shownId: (id) => publicId('payout', id),
};
