import { COUNT_LIMIT } from '../db/count-limit.ts';
import type { Queryable } from '../db/pool.ts';
import { WARN_TOTAL } from '../ledger/command/lifetime-total.ts';

/**
 * Counts books in which an account total exceeds WARN_TOTAL, up to COUNT_LIMIT. Reads only the accounts through which
 * all money passes: a customer's totals never exceed the sum of theirs. Index: accounts_by_code, three entries a book.
 */
export async function countBooksNearTotals(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ books: bigint }>({
    name: 'books.near_totals',
    text: `SELECT count(*) AS books FROM (
        SELECT FROM books WHERE EXISTS (
          SELECT FROM accounts
          WHERE accounts.book_id = books.id AND code IS NOT NULL AND code = ANY ('{pool,payouts_in_transit}')
            AND GREATEST(posted_debits, posted_credits) > $1
        ) LIMIT ${COUNT_LIMIT}
      ) AS near`,
    values: [WARN_TOTAL],
  });
  return Number(rows[0]!.books);
}
