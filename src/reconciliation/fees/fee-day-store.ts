/** Accounts of fees that have no day on which they are collected. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { SweptJob } from '../../group/group.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

/** Index: books_pkey. */
export async function listBookIds(
  db: Queryable,
  mode: Mode,
  { after, limit }: { after: BookId; limit: number },
): Promise<BookId[]> {
  const { rows } = await db.query<{ id: BookId }>(
    'SELECT id FROM books WHERE mode = $1 AND id > $2 ORDER BY id LIMIT $3',
    [mode, after, limit],
  );
  return rows.map(({ id }) => id);
}

/** Accounts of fees of these books that have no row of days, by book. Indexes: accounts_by_code, fee_days_pkey. */
export async function findWithoutDay(db: Queryable, books: readonly BookId[]): Promise<SweptJob[]> {
  const { rows } = await db.query<{ book_id: BookId; ids: Uuid[] }>(
    `SELECT a.book_id, array_agg(a.id ORDER BY a.id) AS ids FROM unnest($1::uuid[]) AS book (id)
     JOIN accounts a ON a.book_id = book.id AND a.code = 'due_operator'
     WHERE NOT EXISTS (SELECT FROM fee_days d WHERE d.book_id = a.book_id AND d.id = a.id)
     GROUP BY a.book_id ORDER BY a.book_id`,
    [plainArray(books)],
  );
  return rows.map(({ book_id: bookId, ids }) => ({ job: 'fee.begin', bookId, ids }));
}
