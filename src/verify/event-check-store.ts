import { plainArray } from '../db/columns.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Uuid } from '../values/ids.ts';

/** Reads hashes of entries by id. Index: entries_book_id_id_key. */
export async function readEntryHashes(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<Map<Uuid, string>> {
  const { rows } = await db.query<{ id: string; hash: Buffer }>({
    name: 'verify.entry_hashes',
    text: 'SELECT id, hash FROM entries WHERE book_id = $1 AND id = ANY ($2::uuid[])',
    values: [bookId, plainArray(ids)],
  });
  return new Map(rows.map((row) => [row.id, row.hash.toString('hex')]));
}
