/** The rows of kept statements. They never change. */
import { column, HEX_OR_NULL } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { StoredStatement } from './stored-statement.ts';

/** Hexadecimal digits in a bytea. */
export const accountStatements = tableOf<StoredStatement>({
  name: 'account_statements',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('account_id', 'uuid', { filter: true }),
    column('number', 'bigint'),
    column('from_day', 'code', { property: 'from' }),
    column('to_day', 'code', { property: 'to' }),
    column('currency', 'code'),
    column('opening', 'bigint'),
    column('credits_count', 'bigint'),
    column('credits_sum', 'bigint'),
    column('debits_count', 'bigint'),
    column('debits_sum', 'bigint'),
    column('closing', 'bigint'),
    column('after_line', 'bigint'),
    column('through_line', 'bigint'),
    column('digest', 'bytea', { codec: HEX_OR_NULL }),
    column('created_at', 'timestamptz'),
  ],
});
