import { keyedByUuid } from '../../db/keyed-table.ts';
import type { MovedRows } from '../../group/moved-rows.ts';

export const movedCardOperations: MovedRows = {
  kind: 'card_operation',
  table: keyedByUuid('card_operations', 'id'),
  open: ['pending'],
  due: [
    {
      name: 'operations at processors',
      status: 'pending',
      pool: 'payments',
      job: 'card.inquire',
      againMs: 30_000, // beyond the longest call of a processor (20 s) and the commit of its answer
    },
  ],
  overdue: {
    waitsSince: 'COALESCE(next_inquiry_at, sent_at)',
    finding: {
      check: 'card_operation.overdue',
      expected: 'moved',
      detail: 'Nobody moves this operation of a card, and no bug has stopped it.',
      ids: ([id]) => ({ operation: id! }),
    },
  },
  shownId: (id) => id,
};
