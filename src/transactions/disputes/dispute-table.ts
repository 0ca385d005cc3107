/** The rows of cardholders' disputes. */
import type { DisputeReason } from '../../acquirers/dispute-reasons.ts';
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Dispute } from './dispute.ts';

export interface StoredDispute extends Dispute {
  readonly transactionId: Uuid;
  /** Counts from 1 in its purchase: the order in which they were opened. */
  readonly ordinal: number;
  readonly accountId: Uuid;
  readonly currency: string;
  readonly reason: DisputeReason;
  readonly entryIds: readonly Uuid[];
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const transactionDisputes = tableOf<StoredDispute>({
  name: 'transaction_disputes',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('transaction_id', 'uuid', { filter: true }),
    column('ordinal', 'smallint'),
    column('account_id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('amount', 'bigint'),
    column('credited', 'bigint', { changes: true }),
    column('currency', 'code'),
    column('reason', 'code'),
    column('entry_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});
