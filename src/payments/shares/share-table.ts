/** The rows of shares, of their lines, and of releases. Every transition of a share takes back the mark of a stuck one. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { logOf, tableOf } from '../../ledger/rows/table-of.ts';
import type { PaymentShare, Release, ShareLine } from './share.ts';

export const paymentShares = tableOf<PaymentShare>({
  name: 'payment_shares',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  alsoSet: 'stuck_at = NULL, stuck_error = NULL',
  columns: [
    column('id', 'uuid'),
    column('account_id', 'uuid'),
    column('currency', 'code'),
    column('kind', 'code'),
    column('is_reserve', 'boolean'),
    column('status', 'code', { changes: true }),
    column('available_on', 'code'),
    column('releases_at', 'timestamptz'),
    column('amount', 'bigint', { changes: true }),
    column('lent', 'bigint', { changes: true }),
    column('round', 'integer', { changes: true }),
    column('release_id', 'uuid', { changes: true }),
    column('version', 'integer', { changes: true }),
    column('due_at', 'timestamptz', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** Rows that never change. */
export const releases = tableOf<Release>({
  name: 'payment_releases',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('share_id', 'uuid'),
    column('round', 'integer'),
    column('account_id', 'uuid', { filter: true }),
    column('amount', 'bigint'),
    column('currency', 'code'),
    column('entry_id', 'uuid'),
    column('version', 'integer'),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz'),
  ],
});

export const shareLines = logOf<ShareLine>({
  name: 'payment_share_lines',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('share_id', 'uuid'),
    column('payment_id', 'uuid'),
    column('operation_id', 'uuid'),
    column('round', 'integer'),
    column('amount', 'bigint'),
    column('created_at', 'timestamptz'),
  ],
});
