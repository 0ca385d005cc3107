import type { Queryable } from '../db/pool.ts';
import { WARN_TOTAL } from '../ledger/lifetime-total.ts';
import { COUNT_LIMIT } from './backlog-store.ts';

/**
 * Books in which an account has counted more than WARN_TOTAL, up to COUNT_LIMIT. Only the accounts that all money passes are
 * asked: a customer's totals are never larger than theirs together. Index: accounts_by_code, three entries a book.
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
