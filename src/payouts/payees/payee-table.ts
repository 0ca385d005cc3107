/** The rows of payees. */
import { column, type RowOf } from '../../db/declared-columns.ts';
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
  fromRow: (row: RowOf<Omit<Payee, 'destination'>> & DestinationRow): Payee => ({
    id: row.id,
    status: row.status,
    disabledReason: row.disabled_reason,
    name: row.name,
    destination: destinationFromRow(row, null),
    destinationVersion: row.destination_version,
    approvedVersion: row.approved_version,
    externalId: row.external_id,
    metadata: row.metadata,
    textSalt: row.text_salt,
    requestId: row.request_id,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }),
});
