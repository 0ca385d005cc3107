/** The rows of settlements, of their lines, and of paydays. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { logOf, tableOf } from '../../ledger/rows/table-of.ts';
import type { Payday, Settlement, SettlementLine } from './settlement.ts';

export const settlements = tableOf<Settlement>({
  name: 'settlements',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('acquirer', 'code'),
    column('currency', 'code'),
    column('status', 'code', { changes: true }),
    column('lines', 'integer'),
    column('reported', 'bigint'),
    column('taken', 'integer', { changes: true }),
    column('amount', 'bigint', { changes: true }),
    column('exceptions', 'integer', { changes: true }),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

export const settlementLines = logOf<SettlementLine>({
  name: 'settlement_lines',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('settlement_id', 'uuid'),
    column('line_id', 'text', { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('type', 'code'),
    column('reference', 'text', { cardNumber: 'exempt', notPersonal: 'reference' }),
    column('currency', 'code'),
    column('amount', 'bigint'),
    column('payment_id', 'uuid'),
    column('operation_id', 'uuid'),
    column('entry_id', 'uuid'),
    column('exception_id', 'uuid'),
    column('created_at', 'timestamptz'),
  ],
});

export const paydays = tableOf<Payday>({
  name: 'acquirer_paydays',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL',
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('pays_at', 'timestamptz'),
    column('report_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
