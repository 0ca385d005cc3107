/** Periods that are being closed, as rows that workers move. */
import { keyedByUuid } from '../../db/keyed-table.ts';
import type { MovedRows } from '../../group/moved-rows.ts';
import { publicId } from '../../values/ids.ts';
import { periods } from './period-table.ts';

/** A process that verifies goes on with it and leaves further jobs alone; another one begins anew, and the first to end counts. */
export const CLOSE_AGAIN_MS = 30_000;

export const movedPeriods: MovedRows = {
  kind: 'period',
  table: keyedByUuid(periods.name, 'id'),
  open: ['pending'],
  due: [
    {
      name: 'periods that are being closed',
      status: 'pending',
      pool: 'ledger',
      job: 'period.close',
      againMs: CLOSE_AGAIN_MS,
    },
  ],
  overdue: {
    waitsSince: 'created_at',
    finding: {
      check: 'period.overdue',
      expected: 'closed or refused',
      detail: 'Nobody verifies the days of this period, and no bug has stopped it.',
      ids: ([id]) => ({ period: publicId('period', id!) }),
    },
  },
  shownId: (id) => publicId('period', id),
};
