/** The rows of holds that the API placed. Every step also clears the mark of a row that was stuck: it has moved. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { AccountHold } from './account-hold.ts';

export const accountHolds = tableOf<AccountHold>({
  name: 'account_holds',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL',
  columns: [
    column('id', 'uuid'),
    column('account_id', 'uuid', { filter: true }),
    column('currency', 'code'),
    column('status', 'code', { changes: true }),
    column('amount', 'bigint', { changes: true }),
    column('captured', 'bigint', { changes: true }),
    column('released', 'bigint', { changes: true }),
    column('expires_at', 'timestamptz'),
    column('description', 'text', { personal: true }),
    column('external_id', 'text', { notPersonal: 'own_reference', filter: true }),
    column('metadata', 'jsonb', { personal: true }),
    column('text_salt', 'bytea'),
    column('entry_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
