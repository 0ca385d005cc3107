/** The rows of periods. */
import { column, HEX_OR_NULL } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Period } from './period.ts';

/** Hexadecimal digits in a bytea. */
export const periods = tableOf<Period>({
  name: 'periods',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('through_day', 'code', { property: 'through' }),
    column('closed_before', 'code'),
    column('since_sequence', 'bigint'),
    column('since_event', 'bigint'),
    column('through_sequence', 'bigint'),
    column('through_event', 'bigint'),
    column('chain_hash', 'bytea', { codec: HEX_OR_NULL }),
    column('trial_balance_digest', 'bytea', { codec: HEX_OR_NULL, changes: true }),
    column('findings', 'jsonb', { notPersonal: 'facts', cardNumber: 'exempt', changes: true }),
    column('findings_total', 'integer', { changes: true }),
    column('open_items', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('actor', 'text', { notPersonal: 'actor' }),
    column('reason', 'text', { personal: true }),
    column('reopened_by', 'text', { notPersonal: 'actor', changes: true }),
    column('reopening_reason', 'text', { personal: true, changes: true }),
    column('reopened_at', 'timestamptz', { changes: true }),
    column('reopened_after', 'code', { changes: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
