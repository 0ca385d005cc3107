import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Reader, ReaderAction } from './reader.ts';

export const readers = tableOf<Reader>({
  name: 'payment_readers',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('label', 'text', { personal: true, changes: true }),
    column('action_id', 'uuid', { changes: true }),
    column('metadata', 'jsonb', { personal: true, changes: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

export const readerActions = tableOf<ReaderAction>({
  name: 'payment_reader_actions',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('reader_id', 'uuid', { filter: true }),
    column('payment_id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('amount', 'bigint'),
    column('currency', 'code'),
    column('entry_mode', 'code', { changes: true }),
    column('failure', 'code', { changes: true }),
    column('expires_at', 'timestamptz'),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
