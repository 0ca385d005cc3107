import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Credit } from './credit.ts';

/** Rails add rows, workers move them (credit-store.ts), and a person's command gives one to a book. */
export const inboundCredits = tableOf<Credit>({
  name: 'inbound_credits',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('rail', 'code'),
    column('bank_account', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('bank_reference', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('shared', 'boolean', { changes: true }),
    column('amount', 'bigint'),
    column('currency', 'code'),
    column('end_to_end_id', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('payer_name', 'text', { notPersonal: 'masked', cardNumber: 'masked' }),
    column('payer_account', 'text', { notPersonal: 'masked', cardNumber: 'masked' }),
    column('remittance_sealed', 'bytea', { sealed: true, changes: true }),
    column('value_on', 'code'),
    column('booked_on', 'code'),
    column('status', 'code', { changes: true }),
    column('owner_book_id', 'uuid', { changes: true }),
    column('account_id', 'uuid', { changes: true }),
    column('transfer_id', 'uuid', { changes: true }),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
