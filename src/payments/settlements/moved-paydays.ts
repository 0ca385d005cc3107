import { keyedByUuid } from '../../db/keyed-table.ts';
import type { MovedRows } from '../../group/moved-rows.ts';

export const movedPaydays: MovedRows = {
  kind: 'acquirer_payday',
  table: keyedByUuid('acquirer_paydays', 'id'),
  open: ['open'],
  due: [
    {
      name: 'paydays of the sandbox acquirer',
      status: 'open',
      pool: 'ledger',
      job: 'payday.settle',
      againMs: 30_000, // beyond a command of 250 lines, which enqueues the next one itself
    },
  ],
  overdue: {
    waitsSince: 'pays_at',
    finding: {
      check: 'acquirer_payday.overdue',
      expected: 'settled',
      detail: 'Nobody takes in what the sandbox acquirer pays, and no bug has stopped it.',
      ids: ([id]) => ({ payday: id! }),
    },
  },
  shownId: (id) => id,
};
