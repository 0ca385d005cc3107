/** Exceptions: what a person must look at. */
import type { Instant } from '../clock.ts';
import { textArray } from '../db/columns.ts';
import { column } from '../db/declared-columns.ts';
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { WRITE_ORDER } from '../ledger/table.ts';
import { tableOf } from '../ledger/table-of.ts';
import { MISMATCH_KINDS } from '../payouts/rail-mismatch.ts';

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

/** Whether the rail's word about a payout was about something else, and no person has resolved it. Index: exceptions_by_resource. */
export async function hasOpenMismatch(pool: Pool, bookId: BookId, payoutId: Uuid): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM exceptions WHERE book_id = $1 AND resource_id = $2 AND resource = 'payout' AND status = 'open'
       AND kind = ANY ($3::text[]) LIMIT 1`,
    [bookId, payoutId, textArray(MISMATCH_KINDS)],
  );
  return rowCount === 1;
}

/** Ids of the exceptions of a payout that are open, a hundred at most. Index: exceptions_by_resource. */
export async function openExceptionsOf(pool: Pool, bookId: BookId, payoutId: Uuid): Promise<Uuid[]> {
  const { rows } = await pool.query<{ id: Uuid }>(
    `SELECT id FROM exceptions WHERE book_id = $1 AND resource_id = $2 AND resource = 'payout' AND status = 'open' LIMIT 100`,
    [bookId, payoutId],
  );
  return rows.map(({ id }) => id);
}
