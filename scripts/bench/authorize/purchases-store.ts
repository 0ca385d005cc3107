import type { Pool } from '../../../src/db/pool.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';

export interface PurchaseCounts {
  readonly purchases: number;
  readonly approved: number;
  /** Messages that authorized. */
  readonly authorizations: number;
}

/** Of the book. Reads all of it: after a run. */
export async function countPurchases(pool: Pool, bookId: BookId): Promise<PurchaseCounts> {
  const { rows } = await pool.query<PurchaseCounts>(
    `SELECT count(*)::float8 AS purchases, count(*) FILTER (WHERE authorized > 0)::float8 AS approved,
      (SELECT count(*) FROM transaction_messages WHERE book_id = $1 AND type = 'authorization')::float8 AS authorizations
     FROM transactions WHERE book_id = $1`,
    [bookId],
  );
  return rows[0]!;
}
