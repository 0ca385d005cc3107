import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

/** Some faults of an upload that was refused, as rows of CSV. */
export interface UploadErrors {
  readonly id: Uuid;
  /** Of the batch that was never made. */
  readonly batchId: Uuid;
  /** Counts from 1. */
  readonly place: number;
  readonly contentSealed: Buffer;
  /** In wall time. */
  readonly createdAt: Instant;
}

/** Written by uploads, outside of commands. */
export const uploadErrors = tableOf<UploadErrors>({
  name: 'payout_upload_errors',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('batch_id', 'uuid'),
    column('place', 'integer'),
    column('content_sealed', 'bytea', { sealed: true }),
    column('created_at', 'timestamptz'),
  ],
});
