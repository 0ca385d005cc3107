/** The rows of reports. */
import { column, HEX_OR_NULL } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Report } from './report.ts';

export const reports = tableOf<Report>({
  name: 'reports',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('type', 'code'),
    column('from_day', 'code', { property: 'from' }),
    column('to_day', 'code', { property: 'to' }),
    column('axis', 'code'),
    column('currency', 'code'),
    column('account_id', 'uuid'),
    column('detail', 'code'),
    column('format', 'code'),
    column('bom', 'boolean'),
    column('interim', 'boolean'),
    column('through_sequence', 'bigint'),
    column('chain_hash', 'bytea', { codec: HEX_OR_NULL }),
    column('rows_done', 'bigint', { changes: true }),
    column('totals', 'jsonb', { notPersonal: 'facts', cardNumber: 'exempt', changes: true }),
    // Lists count the bytes of a page under `bytes`.
    column('file_bytes', 'bigint', { changes: true }),
    column('sha256', 'bytea', { codec: HEX_OR_NULL, changes: true }),
    column('digest', 'bytea', { codec: HEX_OR_NULL, changes: true }),
    column('expires_at', 'timestamptz', { changes: true }),
    column('failure', 'code', { changes: true }),
    column('failure_detail', 'text', { notPersonal: 'own_words', cardNumber: 'exempt', changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
