/**
 * The rows of exceptions. `stage` has the status, and `status` the two words from before there were stages (migration
 * 0027): what was resolved then is approved. Lists are in order of `place`, which the database gives
 * (exception-list-store.ts).
 */
import { column } from '../db/declared-columns.ts';
import { WRITE_ORDER } from '../ledger/rows/table.ts';
import { tableOf } from '../ledger/rows/table-of.ts';
import { type Exception, type ExceptionStatus, isEnded } from './exception.ts';

export const exceptions = tableOf<Exception>({
  name: 'exceptions',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('kind', 'code'),
    column('resource', 'code'),
    column('resource_id', 'uuid'),
    column('detail', 'text', { cardNumber: 'masked', notPersonal: 'own_words' }),
    column('status', 'code', (exception) => (isEnded(exception) ? 'resolved' : 'open'), { changes: true }),
    column('stage', 'code', { property: 'status', changes: true }),
    column('assignee_id', 'uuid', { changes: true }),
    column('reason', 'text', { changes: true, personal: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('evidence', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('entry_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('account_id', 'uuid', ({ waiting }) => waiting?.accountId ?? null),
    column('amount', 'bigint', ({ waiting }) => waiting?.amount ?? null),
    column('currency', 'code', ({ waiting }) => waiting?.currency ?? null),
    column('target_account_id', 'uuid', { changes: true }),
    column('target_book_id', 'uuid', { changes: true }),
    column('proposals', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('handled_by', 'text', { notPersonal: 'actor', changes: true }),
    column('approved_by', 'text', { notPersonal: 'actor', changes: true }),
    column('announced', 'boolean'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
    column('resolved_at', 'timestamptz', { changes: true }),
  ],
  alsoRead: readTogether,
});

interface ReadTogether {
  readonly status: 'open' | 'resolved';
  readonly stage: ExceptionStatus;
  readonly account_id: string | null;
  readonly amount: bigint | null;
  readonly currency: string | null;
  readonly created_at: number;
  /** Null in a row from before it was kept, and of one that no command opened. */
  readonly updated_at: number | null;
  readonly resolved_at: number | null;
}

function readTogether(row: ReadTogether): Pick<Exception, 'status' | 'waiting' | 'updatedAt'> {
  return {
    status: row.status === 'resolved' ? 'approved' : row.stage,
    waiting: row.amount === null ? null : { accountId: row.account_id, amount: row.amount, currency: row.currency! },
    updatedAt: row.updated_at ?? row.resolved_at ?? row.created_at,
  };
}
