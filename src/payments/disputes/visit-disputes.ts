/** Visits disputes in the book's own time: announces evidence that is due soon, and marks it as overdue after that. */

import { keyedByUuid } from '../../db/keyed-table.ts';
import type { Appointment } from '../../group/appointment.ts';
import type { MovedRows } from '../../group/moved-rows.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { newId, publicId } from '../../values/ids.ts';
import type { Dispute } from './dispute.ts';
import { markOverdue, remindOfDispute } from './dispute-steps.ts';
import { disputes } from './dispute-table.ts';

export const movedDisputes: MovedRows = {
  kind: 'dispute',
  table: keyedByUuid(disputes.name, 'id'),
  open: ['opened'],
  due: [
    {
      name: 'disputes whose evidence is due',
      status: 'opened',
      pool: 'ledger',
      job: 'dispute.visit',
      againMs: 30_000, // beyond the 10 s that a command may wait for its book
    },
  ],
  overdue: {
    waitsSince: 'visit_at',
    finding: {
      check: 'dispute.overdue',
      expected: 'reminded of',
      detail: 'Nobody looks at this dispute whose evidence is due, and no bug has stopped it.',
      ids: ([id]) => ({ dispute: publicId('dispute', id!) }),
    },
  },
  shownId: (id) => publicId('dispute', id),
};

export const disputeVisit: Appointment = {
  name: 'disputes whose evidence is due',
  rows: movedDisputes,
  status: 'opened',
  column: 'visit_at',
  pool: 'ledger',
  job: 'dispute.visit',
  async command(pool, bookId, ids) {
    return visitDisputes([...(await disputes.load(pool, bookId, ids)).values()]);
  },
};

/** Answers with how many were looked at. Those whose time has not come are left as they are. */
export function visitDisputes(known: readonly Dispute[]): Command<number> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  const ids = known.map(({ id }) => id);
  return {
    ...origin,
    name: 'dispute.visit',
    touches: [{ table: disputes, ids }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let visited = 0;
      for (const id of draft.each(ids)) {
        const dispute = draft.get(disputes, id);
        if (dispute?.status !== 'opened' || dispute.visitAt === null || dispute.visitAt > moment.book) continue;
        if (dispute.visitAt === dispute.evidenceDueAt) markOverdue(draft, dispute);
        else remindOfDispute(draft, dispute);
        visited++;
      }
      return draft.finish(visited);
    },
  };
}
