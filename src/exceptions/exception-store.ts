/** Exceptions of one resource that nobody has approved. In `status`, those are open. */
import { textArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { ResourceName, Uuid } from '../values/ids.ts';

export interface OfResource {
  readonly resource: ResourceName;
  readonly resourceId: Uuid;
}

/** Whether an exception of one of these kinds is open. Index: exceptions_by_resource. */
export async function hasOpenException(
  pool: Pool,
  bookId: BookId,
  { resource, resourceId, kinds }: OfResource & { kinds: readonly string[] },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM exceptions WHERE book_id = $1 AND resource_id = $2 AND resource = $3 AND status = 'open'
       AND kind = ANY ($4::text[]) LIMIT 1`,
    [bookId, resourceId, resource, textArray(kinds)],
  );
  return rowCount === 1;
}

/** Ids of the open exceptions, a hundred at most. Index: exceptions_by_resource. */
export async function openExceptionsOf(pool: Pool, bookId: BookId, of: OfResource): Promise<Uuid[]> {
  const { rows } = await pool.query<{ id: Uuid }>(
    `SELECT id FROM exceptions WHERE book_id = $1 AND resource_id = $2 AND resource = $3 AND status = 'open' LIMIT 100`,
    [bookId, of.resourceId, of.resource],
  );
  return rows.map(({ id }) => id);
}
