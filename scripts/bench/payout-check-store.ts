/** Counts a book's payouts or payments and their deliveries in the database. */
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';

/** Counts payouts by status, such as `{ paid: 20000 }`: those of one book, or of all books (null). */
export async function countPayouts(pool: Pool, bookId: BookId | null): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; count: bigint }>(
    'SELECT status, count(*) AS count FROM payouts WHERE book_id = $1 OR $1 IS NULL GROUP BY status',
    [bookId],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** Counts a book's payments that are captured, here and in the acquirer's records. */
export async function countPayments(pool: Pool, bookId: BookId): Promise<{ captured: number; atAcquirer: number }> {
  const { rows } = await pool.query<{ captured: number; atAcquirer: number }>(
    `SELECT (SELECT count(*)::integer FROM payments WHERE book_id = $1 AND status = 'captured') AS captured,
       (SELECT count(*)::integer FROM sandbox_acquirer.instructions
        WHERE originator = $1::text AND status = 'succeeded' AND captured = amount) AS "atAcquirer"`,
    [bookId],
  );
  return rows[0]!;
}

/** Counts deliveries by status: those of one book, or of all books (null). */
export async function countDeliveries(pool: Pool, bookId: BookId | null): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; count: bigint }>(
    'SELECT status, count(*) AS count FROM webhook_deliveries WHERE book_id = $1 OR $1 IS NULL GROUP BY status',
    [bookId],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** The only test book that a key opens. The operator's book has no keys. */
export async function findTestBook(pool: Pool): Promise<BookId> {
  const { rows } = await pool.query<{ id: BookId }>(
    "SELECT DISTINCT books.id FROM books JOIN api_keys ON book_id = books.id WHERE mode = 'test'",
  );
  if (rows.length !== 1) throw new Error(`There are ${rows.length} test books, not one`);
  return rows[0]!.id;
}
