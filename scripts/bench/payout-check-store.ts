/** Counts a book's payouts and their deliveries in the database. */
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book.ts';

/** Counts payouts by status, such as `{ paid: 20000 }`: those of one book, or of all books (null). */
export async function countPayouts(pool: Pool, bookId: BookId | null): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; count: bigint }>(
    'SELECT status, count(*) AS count FROM payouts WHERE book_id = $1 OR $1 IS NULL GROUP BY status',
    [bookId],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** Counts deliveries by status: those of one book, or of all books (null). */
export async function countDeliveries(pool: Pool, bookId: BookId | null): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; count: bigint }>(
    'SELECT status, count(*) AS count FROM webhook_deliveries WHERE book_id = $1 OR $1 IS NULL GROUP BY status',
    [bookId],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** The only test book that a key opens. The operator's book has none. */
export async function findTestBook(pool: Pool): Promise<BookId> {
  const { rows } = await pool.query<{ id: BookId }>(
    "SELECT DISTINCT books.id FROM books JOIN api_keys ON book_id = books.id WHERE mode = 'test'",
  );
  if (rows.length !== 1) throw new Error(`There are ${rows.length} test books, not one`);
  return rows[0]!.id;
}
