/** The floor of an export: the same rows by COPY, which the server writes and nobody formats. And how long snapshots stay open meanwhile. */
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { isUuid } from '../../src/values/ids.ts';

const side = (one: 'debit' | 'credit', other: 'debit' | 'credit') => `
  SELECT ${one}_account_id AS account, ${one}_line AS line, '${one}' AS direction, amount, ${one}_balance_after AS balance_after,
    ${other}_account_id AS counter_account, entry_sequence FROM postings WHERE book_id = `;

/** Every line of the book with its entry, in the order of accounts. As a superuser, who alone may write files. Resolves to how many. */
export async function copyLines(pool: Pool, bookId: BookId): Promise<number> {
  // COPY takes no parameters.
  if (!isUuid(bookId)) throw new TypeError('It is no id of a book');
  const of = `'${bookId}'`;
  const { rowCount } = await pool.query(
    `COPY (SELECT l.account, l.line, l.direction, l.amount, l.balance_after, l.counter_account, e.id, e.resource, e.resource_id, e.step,
        e.posted_at, e.effective_at
      FROM (${side('debit', 'credit')}${of} UNION ALL ${side('credit', 'debit')}${of}) AS l
      JOIN entries e ON e.book_id = ${of} AND e.sequence = l.entry_sequence ORDER BY l.account, l.line) TO '/dev/null' WITH (FORMAT csv)`,
  );
  return rowCount ?? 0;
}

/** Of transactions of the bench that are open now, the longest: milliseconds. */
export async function longestTransactionMs(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: number | null }>(
    `SELECT (extract(epoch FROM max(clock_timestamp() - xact_start)) * 1000)::float8 AS ms FROM pg_stat_activity
     WHERE datname = current_database() AND usename <> current_user AND xact_start IS NOT NULL`,
  );
  return rows[0]?.ms ?? 0;
}
