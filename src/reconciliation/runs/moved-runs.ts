/** Runs that workers carry out: over files that came by API, and over lines that are matched again. */
import { keyedByUuid } from '../../db/keyed-table.ts';
import type { DueRule, MovedRows } from '../../group/moved-rows.ts';
import { publicId } from '../../values/ids.ts';
import { reconciliations } from './reconciliation-table.ts';

/** The process that has a run leaves further jobs of it alone; another one takes it once the first has been silent for LEASE_MS. */
export const RUN_AGAIN_MS = 5_000;

const dueIn = (status: 'pending' | 'running' | 'completed'): DueRule => ({
  name: `${status} reconciliations`,
  status,
  pool: 'reports',
  job: 'reconciliation.run',
  againMs: RUN_AGAIN_MS,
});

export const movedRuns: MovedRows = {
  kind: 'reconciliation',
  table: keyedByUuid(reconciliations.name, 'id'),
  // One that has ended is due again while statements of it are taken up.
  open: ['pending', 'running', 'completed'],
  due: [dueIn('pending'), dueIn('running'), dueIn('completed')],
  overdue: {
    waitsSince: 'updated_at',
    finding: {
      check: 'reconciliation.overdue',
      expected: 'completed or failed',
      detail: 'Nobody carries out this reconciliation, and no bug has stopped it.',
      ids: ([id]) => ({ reconciliation: publicId('reconciliation', id!) }),
    },
  },
  shownId: (id) => publicId('reconciliation', id),
};
