import { hexArray, plainArray } from '../db/columns.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Uuid } from '../values/ids.ts';

export interface ReferredText {
  readonly reference: string;
  readonly field: string;
  readonly salt: Buffer;
  readonly text: string;
}

/** Index: personal_texts_pkey. */
export async function readReferredTexts(
  db: Queryable,
  bookId: BookId,
  references: readonly string[],
): Promise<ReferredText[]> {
  const { rows } = await db.query<ReferredText>({
    name: 'verify.personal_texts',
    text: `SELECT encode(reference, 'hex') AS reference, field, salt, text FROM personal_texts
      WHERE book_id = $1 AND reference = ANY ($2::bytea[])`,
    values: [bookId, hexArray(references)],
  });
  return rows;
}

/**
 * The objects whose text was erased, by an event, or is being erased. Texts of transfers are erased with the account that received them.
 * Indexes: inbound_transfers_pkey, events_by_object, erasures_by_object.
 */
export async function readErasedObjects(db: Queryable, bookId: BookId, objectIds: readonly Uuid[]): Promise<Set<Uuid>> {
  const { rows } = await db.query<{ object_id: Uuid }>({
    name: 'verify.erased_objects',
    text: `WITH o AS MATERIALIZED (SELECT id, id AS erased_with FROM unnest($2::uuid[]) AS named (id)
        UNION ALL SELECT id, account_id FROM inbound_transfers WHERE book_id = $1 AND id = ANY ($2::uuid[]))
      SELECT id AS object_id FROM o WHERE EXISTS (SELECT FROM events
          WHERE book_id = $1 AND object_id = o.erased_with AND type = 'personal_data.erased')
        OR EXISTS (SELECT FROM erasures WHERE book_id = $1 AND object_id = o.erased_with AND finished_at IS NULL)`,
    values: [bookId, plainArray(objectIds)],
  });
  return new Set(rows.map((row) => row.object_id));
}
