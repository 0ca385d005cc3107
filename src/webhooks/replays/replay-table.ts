/** The rows of replays. Commands insert them, and workers move them outside of the book's lock (replay-store.ts). */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Replay } from './replay.ts';

export const webhookReplays = tableOf<Replay>({
  name: 'webhook_replays',
  key: 'id',
  writeOrder: WRITE_ORDER.deliveries,
  columns: [
    column('id', 'uuid'),
    column('endpoint_id', 'uuid'),
    column('kind', 'code'),
    column('status', 'code'),
    column('since', 'timestamptz'),
    column('until', 'timestamptz'),
    column('first_sequence', 'bigint'),
    column('next_sequence', 'bigint'),
    column('through_sequence', 'bigint'),
    column('endpoint_version', 'integer'),
    column('request_id', 'uuid'),
    column('due_at', 'timestamptz'),
    column('created_at', 'timestamptz'),
  ],
});
