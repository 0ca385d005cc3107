import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';

/** Tables whose rows no resource of a group names. */
export const LEDGER_TABLES = [
  'entries',
  'postings',
  'entry_texts',
  'hold_steps',
  'events',
  'idempotency_keys',
  'holds',
] as const;

/**
 * Finds books that rows name and that do not exist. Each table is read from one book to the next, so the cost is a step
 * a book, however long the table is. Indexes: the primary keys.
 */
export async function findOrphanBooks(
  db: Queryable,
  tables: Iterable<string>,
): Promise<{ table: string; bookId: BookId }[]> {
  const found: { table: string; bookId: BookId }[] = [];
  for (const table of tables) {
    const { rows } = await db.query<{ book_id: string }>({
      name: `verify.orphan_books_${table}`,
      text: `WITH RECURSIVE named AS (
          (SELECT book_id FROM ${table} ORDER BY book_id LIMIT 1)
          UNION ALL
          SELECT (SELECT t.book_id FROM ${table} t WHERE t.book_id > named.book_id ORDER BY t.book_id LIMIT 1)
          FROM named WHERE named.book_id IS NOT NULL
        ) SELECT book_id FROM named WHERE book_id IS NOT NULL AND NOT EXISTS (SELECT FROM books WHERE id = named.book_id)`,
      values: [],
    });
    found.push(...rows.map((row) => ({ table, bookId: row.book_id })));
  }
  return found;
}

/**
 * Reads the least and the greatest entry that a book's texts and postings name, and the last entry that exists, as of
 * one moment. Indexes: the primary keys.
 */
export async function readNamedEntries(
  db: Queryable,
  bookId: BookId,
): Promise<{ table: string; least: bigint | null; greatest: bigint | null; head: bigint }[]> {
  const { rows } = await db.query<{ name: string; least: bigint | null; greatest: bigint | null; head: bigint }>({
    name: 'verify.named_entries',
    text: ['entry_texts', 'postings']
      .map(
        (
          table,
        ) => `SELECT '${table}' AS name, greatest(b.entry_sequence, (SELECT max(sequence) FROM entries WHERE book_id = b.id)) AS head,
          (SELECT min(entry_sequence) FROM ${table} WHERE book_id = b.id) AS least,
          (SELECT max(entry_sequence) FROM ${table} WHERE book_id = b.id) AS greatest
        FROM books b WHERE b.id = $1`,
      )
      .join(' UNION ALL '),
    values: [bookId],
  });
  return rows.map(({ name, ...row }) => ({ table: name, ...row }));
}
