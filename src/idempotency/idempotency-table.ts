import { column } from '../db/declared-columns.ts';
import { WRITE_ORDER } from '../ledger/rows/table.ts';
import { tableOf } from '../ledger/rows/table-of.ts';
import type { IdempotencyRecord } from './idempotency-key.ts';

/** The answer under a key never changes; retention drops its body and keeps the row. */
export const idempotencyKeys = tableOf<IdempotencyRecord>({
  name: 'idempotency_keys',
  key: 'key',
  writeOrder: WRITE_ORDER.idempotencyKeys,
  columns: [
    column('key', 'text', { notPersonal: 'own_reference' }),
    column('fingerprint', 'bytea'),
    column('status', 'smallint'),
    column('body', 'json text', { notPersonal: 'refers' }),
    column('text_references', 'text', { notPersonal: 'refers' }),
    column('resource', 'code'),
    column('resource_id', 'uuid'),
    column('request_id', 'uuid'),
    column('voided_at', 'timestamptz'),
    column('created_at', 'timestamptz'),
  ],
});
