/** What an export reads of entries beside the journal itself. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';

/**
 * Entries that take effect on a day on which they were not posted: those behind `after`, up to `through`. Index:
 * effective_lines_by_effect.
 */
export async function listMovedEntries(
  db: Queryable,
  bookId: BookId,
  page: { readonly day: string; readonly after: bigint; readonly through: bigint; readonly limit: number },
): Promise<bigint[]> {
  const { rows } = await db.query<{ sequence: bigint }>({
    name: 'effective_lines.entries_of_day',
    text: `SELECT DISTINCT entry_sequence AS sequence FROM effective_lines
      WHERE book_id = $1 AND effective_on IS NOT NULL AND effective_on = $2 AND entry_sequence > $3 AND entry_sequence <= $4 ORDER BY entry_sequence LIMIT $5`,
    values: [bookId, page.day, page.after, page.through, page.limit],
  });
  return rows.map(({ sequence }) => sequence);
}

/** Descriptions that are not erased, by the sequence of their entries. Index: entry_texts_pkey. */
export async function loadDescriptions(
  db: Queryable,
  bookId: BookId,
  sequences: readonly bigint[],
): Promise<Map<bigint, string>> {
  if (sequences.length === 0) return new Map();
  const { rows } = await db.query<{ entry_sequence: bigint; description: string | null }>({
    name: 'entry_texts.descriptions',
    text: 'SELECT entry_sequence, description FROM entry_texts WHERE book_id = $1 AND entry_sequence = ANY ($2::bigint[])',
    values: [bookId, plainArray([...sequences])],
  });
  return new Map(rows.flatMap((row) => (row.description === null ? [] : [[row.entry_sequence, row.description]])));
}
