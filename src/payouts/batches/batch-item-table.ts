import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BatchItem } from './batch-item.ts';

/** Written by uploads, outside of commands: a batch has up to 10,000 rows. */
export const batchItems = tableOf<BatchItem>({
  name: 'payout_batch_items',
  key: 'payout_id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('payout_id', 'uuid'),
    column('batch_id', 'uuid'),
    column('row_number', 'integer'),
    column('account_id', 'uuid'),
    column('amount', 'bigint'),
    column('fee', 'bigint'),
    column('currency', 'code'),
    column('external_id', 'text', { notPersonal: 'own_reference' }),
    column('end_to_end_id', 'text', { notPersonal: 'reference' }),
    column('content_sealed', 'bytea', { sealed: true }),
  ],
});

/** An upload under way: its pages are kept before its batch is. */
export interface PayoutUpload {
  readonly batchId: Uuid;
  /** Its batch is made. */
  readonly done: boolean;
  /** In wall time. */
  readonly begunAt: Instant;
}

export const payoutUploads = tableOf<PayoutUpload>({
  name: 'payout_uploads',
  key: 'batch_id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('batch_id', 'uuid'),
    column('done', 'boolean', { changes: true }),
    column('begun_at', 'timestamptz'),
  ],
});
