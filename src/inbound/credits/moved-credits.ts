/** Credits of banks, as workers move them. */
import { keyedByUuid } from '../../db/keyed-table.ts';
import type { DueRule, MovedRows } from '../../group/moved-rows.ts';

const AGAIN_MS = 30_000; // beyond the 10 s that a command may wait for its book

const dueIn = (status: string): DueRule => ({
  name: `${status} credits`,
  status,
  pool: 'ledger',
  job: 'credit.take',
  againMs: AGAIN_MS,
});

export const movedCredits: MovedRows = {
  kind: 'credit',
  table: keyedByUuid('inbound_credits', 'id'),
  open: ['received', 'allocated', 'given'],
  due: ['received', 'allocated', 'given'].map(dueIn),
  overdue: {
    waitsSince: 'updated_at',
    finding: {
      check: 'credit.overdue',
      expected: 'moved',
      detail: 'Nobody books this credit of a bank, and no bug has stopped it.',
      ids: ([id]) => ({ credit: id! }),
    },
  },
  shownId: (id) => id,
};
