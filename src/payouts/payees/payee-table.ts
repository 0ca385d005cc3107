/** The rows of payees. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import { type DestinationRow, destinationColumns, destinationFromRow } from '../destinations/destination-columns.ts';
import type { Payee } from './payee.ts';

export const payees = tableOf<Payee>({
  name: 'payees',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true, filter: true }),
    column('disabled_reason', 'code', { changes: true }),
    column('name', 'text', { personal: true, changes: true }),
    ...destinationColumns<Payee>({ changes: true }),
    column('destination_version', 'integer', { changes: true }),
    column('approved_version', 'integer', { changes: true }),
    column('external_id', 'text', { notPersonal: 'own_reference', filter: true, changes: true }),
    column('metadata', 'jsonb', { personal: true, changes: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
  alsoRead: (row: DestinationRow) => ({ destination: destinationFromRow(row, null) }),
});
