/** The rows of bank lines, and the lists of them. */
import { column, HEX_READ } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { BankLine } from './bank-line.ts';

export const bankLines = tableOf<BankLine>({
  name: 'bank_lines',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren + 1,
  columns: [
    column('id', 'uuid'),
    column('statement_id', 'uuid', { filter: true }),
    column('bank_account_id', 'uuid', { filter: true }),
    column('compared_account_id', 'uuid', { filter: true }),
    column('place', 'integer'),
    column('row_number', 'integer'),
    column('booked_on', 'code'),
    column('value_on', 'code'),
    column('amount', 'bigint'),
    column('currency', 'code'),
    column('status', 'code', { changes: true }),
    column('bank_reference', 'text', { notPersonal: 'reference', cardNumber: 'exempt', filter: true }),
    column('end_to_end_id', 'text', { notPersonal: 'reference', cardNumber: 'exempt', filter: true }),
    column('refs', 'jsonb', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('batch_id', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('batch_transactions', 'integer'),
    column('counterparty_name', 'text', { personal: true, cardNumber: 'masked' }),
    column('counterparty_account', 'text', { personal: true, cardNumber: 'exempt' }),
    column('text', 'text', { personal: true, cardNumber: 'masked' }),
    column('code', 'code'),
    column('charges', 'jsonb', { notPersonal: 'facts' }),
    column('original', 'jsonb', { notPersonal: 'facts' }),
    column('details', 'jsonb', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('is_reversal', 'boolean'),
    column('likeness', 'hex', { codec: HEX_READ }),
    column('entry_id', 'uuid', { changes: true }),
    column('matched', 'bigint', { changes: true }),
    column('match_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('exception_id', 'uuid', { changes: true }),
    column('created_at', 'timestamptz'),
  ],
});
