/**
 * The rows of exceptions. `stage` holds the status, and `status` the two words of release 0.2.0 (migration 0027): what that
 * release has resolved is approved. Lists are in order of `place`, which the database gives (exception-list-store.ts).
 */
import { column, type RowOf } from '../db/declared-columns.ts';
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
    column('stage', 'code', ({ status }) => status, { changes: true }),
    column('assignee_id', 'uuid', { changes: true }),
    column('reason', 'text', { changes: true, personal: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('evidence', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('entry_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('account_id', 'uuid', ({ waiting }) => waiting?.accountId ?? null),
    column('amount', 'bigint', ({ waiting }) => waiting?.amount ?? null),
    column('currency', 'code', ({ waiting }) => waiting?.currency ?? null),
    column('handled_by', 'text', { notPersonal: 'actor', changes: true }),
    column('approved_by', 'text', { notPersonal: 'actor', changes: true }),
    column('announced', 'boolean'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
    column('resolved_at', 'timestamptz', { changes: true }),
  ],
  fromRow: exceptionFromRow,
});

type ExceptionRow = RowOf<Omit<Exception, 'status' | 'waiting' | 'updatedAt'>> & {
  readonly status: 'open' | 'resolved';
  readonly stage: ExceptionStatus;
  readonly account_id: string | null;
  readonly amount: bigint | null;
  readonly currency: string | null;
  /** Null in a row of release 0.2.0, and of one that no command opened. */
  readonly updated_at: number | null;
};

function exceptionFromRow(row: ExceptionRow): Exception {
  return {
    id: row.id,
    kind: row.kind,
    resource: row.resource,
    resourceId: row.resource_id,
    detail: row.detail,
    status: row.status === 'resolved' ? 'approved' : row.stage,
    assigneeId: row.assignee_id,
    reason: row.reason,
    textSalt: row.text_salt,
    evidence: row.evidence,
    entryIds: row.entry_ids,
    waiting:
      row.account_id === null ? null : { accountId: row.account_id, amount: row.amount!, currency: row.currency! },
    handledBy: row.handled_by,
    approvedBy: row.approved_by,
    announced: row.announced,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? row.resolved_at ?? row.created_at,
    resolvedAt: row.resolved_at,
  };
}
