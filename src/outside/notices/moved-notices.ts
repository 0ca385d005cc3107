/** Notices in inboxes, as rows that workers move. */
import type { MovedRows } from '../../group/moved-rows.ts';

/** Enqueued by inbox (sweep-inboxes.ts), and shown by party and the party's own id. */
export const movedNotices: MovedRows = {
  kind: 'notice',
  table: {
    name: 'rail_notices',
    key: [
      { name: 'rail', type: 'text' },
      { name: 'id', type: 'uuid' },
    ],
  },
  open: ['waiting'],
  due: [],
  // The sandbox rail is the only rail with notices. All other parties are acquirers.
  pools: { sql: "CASE rail WHEN 'sandbox' THEN 'rails' ELSE 'payments' END", of: ['rails', 'payments'] },
  overdue: {
    // A claim changes only the due time.
    waitsSince: 'COALESCE(next_attempt_at, created_at)',
    finding: {
      check: 'notice.overdue',
      expected: 'attempted',
      actual: 'to be attempted',
      detail: 'Nobody attempts to book this notice of a rail, and no bug has stopped it.',
      ids: ([rail, id]) => ({ rail: rail!, notice: id! }),
    },
  },
  retriedAt: ['next_attempt_at'],
  shownId: (id) => id,
};
