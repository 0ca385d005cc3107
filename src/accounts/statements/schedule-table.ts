/** The rows of schedules. Every step also clears the mark of a row that was stuck: it has moved. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { StatementSchedule } from './schedule.ts';

export const statementSchedules = tableOf<StatementSchedule>({
  name: 'statement_schedules',
  key: 'account_id',
  writeOrder: WRITE_ORDER.resourceChildren,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL',
  columns: [
    column('account_id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('schedule', 'code', { changes: true }),
    column('number', 'bigint', { changes: true }),
    column('from_day', 'code', { property: 'from', changes: true }),
    column('to_day', 'code', { property: 'to', changes: true }),
    column('ends_at', 'timestamptz', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
