import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../rows/table.ts';
import { logOf, tableOf } from '../rows/table-of.ts';
import type { Hold, HoldStep } from './hold.ts';

export const holds = tableOf<Hold>({
  name: 'holds',
  key: 'id',
  writeOrder: WRITE_ORDER.holds,
  columns: [
    column('id', 'uuid'),
    column('account_id', 'uuid'),
    column('resource', 'code'),
    column('resource_id', 'uuid'),
    column('currency', 'code'),
    column('amount', 'bigint', { changes: true }),
    column('remaining', 'bigint', { changes: true }),
    column('status', 'code', { changes: true }),
    column('expires_at', 'timestamptz'),
    column('steps', 'smallint', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

export const holdSteps = logOf<HoldStep>({
  name: 'hold_steps',
  writeOrder: WRITE_ORDER.holdSteps,
  columns: [
    column('hold_id', 'uuid'),
    column('ordinal', 'smallint'),
    column('kind', 'code'),
    column('amount', 'bigint'),
    column('floor_overridden', 'boolean'),
    column('created_at', 'timestamptz'),
  ],
});
