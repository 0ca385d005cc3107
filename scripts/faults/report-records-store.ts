/** Totals behind the journal beside the entries that they are of, periods, and opened balances. */
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';

export interface FoldState {
  /** Blocks of 10,000 entries. */
  readonly blocks: number;
  /** Accounts and days of which the totals are not the sums of these entries. */
  readonly wrong: number;
}

/** The days are UTC, as the book's. */
export async function readFold(pool: Pool, bookId: BookId): Promise<FoldState> {
  const { rows } = await pool.query<FoldState>(
    `WITH blocks AS (SELECT COALESCE(max(block) + 1, 0) AS folded FROM journal_totals WHERE book_id = $1 AND level = 0),
      lines AS (
        SELECT p.debit_account_id AS account_id, e.effective_at, p.amount AS debits, 0::bigint AS credits, p.entry_sequence
        FROM postings p JOIN entries e ON e.book_id = p.book_id AND e.sequence = p.entry_sequence WHERE p.book_id = $1
        UNION ALL
        SELECT p.credit_account_id, e.effective_at, 0, p.amount, p.entry_sequence
        FROM postings p JOIN entries e ON e.book_id = p.book_id AND e.sequence = p.entry_sequence WHERE p.book_id = $1
      ), journal AS (
        SELECT account_id, to_char(effective_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, sum(debits) AS debits, sum(credits) AS credits
        FROM lines WHERE entry_sequence <= (SELECT folded * 10000 FROM blocks) GROUP BY 1, 2
      ), totals AS (
        SELECT account_id, effective_on AS day, sum(debits) AS debits, sum(credits) AS credits
        FROM journal_totals WHERE book_id = $1 AND level = 0 GROUP BY 1, 2
      )
      SELECT (SELECT folded FROM blocks)::integer AS blocks, count(*)::integer AS wrong
      FROM journal j FULL JOIN totals t USING (account_id, day) WHERE (j.debits, j.credits) IS DISTINCT FROM (t.debits, t.credits)`,
    [bookId],
  );
  return rows[0]!;
}

export async function countPeriods(pool: Pool, bookId: BookId, through: string): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; count: number }>(
    'SELECT status, count(*)::integer AS count FROM periods WHERE book_id = $1 AND through_day = $2 GROUP BY status',
    [bookId, through],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Own accounts on which stands what their code states behind the prefix. */
export async function countOpened(pool: Pool, bookId: BookId, prefix: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM own_accounts o JOIN accounts a ON a.book_id = o.book_id AND a.id = o.account_id
      WHERE o.book_id = $1 AND starts_with(o.code, $2) AND (a.posted_debits - a.posted_credits)::text = substr(o.code, length($2) + 1)`,
    [bookId, prefix],
  );
  return rows[0]!.count;
}
