/** Replays as rows that workers move. */
import { keyedByUuid } from '../../db/keyed-table.ts';
import type { MovedRows } from '../../group/moved-rows.ts';
import { REPLAY_AGAIN_MS } from './replay-store.ts';

export const movedReplays: MovedRows = {
  kind: 'replay',
  table: keyedByUuid('webhook_replays', 'id'),
  open: ['pending'],
  due: [
    {
      name: 'webhook replays',
      status: 'pending',
      pool: 'webhooks',
      job: 'endpoint.replay',
      againMs: REPLAY_AGAIN_MS,
    },
  ],
  overdue: {
    waitsSince: 'created_at',
    finding: {
      check: 'replay.overdue',
      expected: 'carried out',
      detail: 'No worker carries this replay out.',
      ids: ([id]) => ({ replay: id! }),
    },
  },
  shownId: (id) => id,
};
