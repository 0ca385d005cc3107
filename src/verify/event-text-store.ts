import { hexArray, plainArray } from '../db/columns.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book.ts';
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
 * Those of these objects whose text was erased, which an event says, or is being erased. Indexes: events_by_object,
 * erasures_by_object.
 */
export async function readErasedObjects(db: Queryable, bookId: BookId, objectIds: readonly Uuid[]): Promise<Set<Uuid>> {
  const { rows } = await db.query<{ object_id: Uuid }>({
    name: 'verify.erased_objects',
    text: `SELECT object_id FROM events WHERE book_id = $1 AND object_id = ANY ($2::uuid[]) AND type = 'personal_data.erased'
      UNION SELECT object_id FROM erasures WHERE book_id = $1 AND object_id = ANY ($2::uuid[]) AND finished_at IS NULL`,
    values: [bookId, plainArray(objectIds)],
  });
  return new Set(rows.map((row) => row.object_id));
}
