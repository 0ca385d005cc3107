/** Exceptions: what a person must look at. */
import type { Instant } from '../clock.ts';
import { column } from '../db/declared-columns.ts';
import type { Uuid } from '../ids.ts';
import { WRITE_ORDER } from '../ledger/table.ts';
import { tableOf } from '../ledger/table-of.ts';

export interface Exception {
  readonly id: Uuid;
  /** `paid_after_failed`, `failed_after_paid`, `return_exceeds_payout`, … */
  readonly kind: string;
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly detail: string;
  readonly status: 'open' | 'resolved';
  readonly createdAt: Instant;
  readonly resolvedAt: Instant | null;
}

export const exceptions = tableOf<Exception>({
  name: 'exceptions',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('kind', 'text'),
    column('resource', 'text'),
    column('resource_id', 'uuid'),
    column('detail', 'text'),
    column('status', 'text', { changes: true }),
    column('created_at', 'timestamptz'),
    column('resolved_at', 'timestamptz', { changes: true }),
  ],
});
