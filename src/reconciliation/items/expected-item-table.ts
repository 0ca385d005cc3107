/** The rows of expected items. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { ExpectedItem } from './expected-item.ts';

export const expectedItems = tableOf<ExpectedItem>({
  name: 'expected_items',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren + 1,
  columns: [
    column('id', 'uuid'),
    column('party', 'code', { filter: true }),
    column('clearing', 'code'),
    column('clearing_account_id', 'uuid'),
    column('direction', 'code'),
    column('amount', 'bigint'),
    column('amount_open', 'bigint', { changes: true }),
    column('currency', 'code'),
    column('expected_on', 'code'),
    column('status', 'code', { changes: true }),
    column('bank_account_id', 'uuid', { changes: true }),
    column('of_book', 'uuid'),
    column('resource', 'code'),
    column('resource_id', 'uuid', { filter: true }),
    column('pool_line', 'bigint'),
    column('end_to_end_id', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('bank_reference', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('document_reference', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('batch_id', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('entry_id', 'uuid'),
    column('opening_entry_id', 'uuid', { changes: true }),
    column('exception_id', 'uuid', { changes: true }),
    column('created_at', 'timestamptz'),
  ],
});
