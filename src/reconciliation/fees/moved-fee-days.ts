import { keyedByUuid } from '../../db/keyed-table.ts';
import type { MovedRows } from '../../group/moved-rows.ts';

export const movedFeeDays: MovedRows = {
  kind: 'fee_day',
  table: keyedByUuid('fee_days', 'id'),
  open: ['open'],
  due: [{ name: 'fees that are collected', status: 'open', pool: 'ledger', job: 'fee.collect', againMs: 30_000 }],
  overdue: {
    waitsSince: 'collects_at',
    finding: {
      check: 'fee_day.overdue',
      expected: 'collected',
      detail: 'Nobody collects the fees of days that are over, and no bug has stopped it.',
      ids: ([id]) => ({ fee_day: id! }),
    },
  },
  shownId: (id) => id,
};
