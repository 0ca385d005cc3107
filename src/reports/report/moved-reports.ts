/** Reports that are to be written, as rows that workers move. */
import { keyedByUuid } from '../../db/keyed-table.ts';
import type { DueRule, MovedRows } from '../../group/moved-rows.ts';
import { publicId } from '../../values/ids.ts';
import { reports } from './report-table.ts';

/** A process that writes a report leaves further jobs of it alone; another one takes it once the first has written nothing for LEASE_MS. */
export const WRITE_AGAIN_MS = 20_000;

const dueIn = (status: 'pending' | 'running'): DueRule => ({
  name: `${status} reports`,
  status,
  pool: 'reports',
  job: 'report.write',
  againMs: WRITE_AGAIN_MS,
});

export const movedReports: MovedRows = {
  kind: 'report',
  table: keyedByUuid(reports.name, 'id'),
  open: ['pending', 'running'],
  due: [dueIn('pending'), dueIn('running')],
  overdue: {
    waitsSince: 'updated_at',
    finding: {
      check: 'report.overdue',
      expected: 'succeeded or failed',
      detail: 'Nobody writes this report, and no bug has stopped it.',
      ids: ([id]) => ({ report: publicId('report', id!) }),
    },
  },
  shownId: (id) => publicId('report', id),
};
