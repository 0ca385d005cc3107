/** The posted balance of an account at a past moment. */

import type { Queryable } from '../../db/pool.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';

export interface BalanceAt {
  /** Gapless number of the last line at or before the moment; 0n without one. */
  readonly line: bigint;
  /** The posted balance after that line, counted on the account's own side. */
  readonly posted: bigint;
}

/**
 * The posting that is line `number` of the account, on either side. Indexes: one a side, by account and line. With a limit it is looked up by them,
 * whatever the planner believes: of an account that grew since its tables were analyzed it read all entries at each step.
 */
const lineOf = (number: string) => `(
  SELECT entry_sequence, debit_balance_after AS balance FROM postings
  WHERE book_id = $1 AND debit_account_id = $2 AND debit_line = ${number}
  UNION ALL
  SELECT entry_sequence, credit_balance_after FROM postings
  WHERE book_id = $1 AND credit_account_id = $2 AND credit_line = ${number}
  LIMIT 1
)`;

/**
 * Finds the line by binary search: a book's time never runs backwards, and an account's lines have no gaps. A million
 * lines take about twenty steps, and the committer has no index on the time to maintain.
 */
export async function findBalanceAt(
  db: Queryable,
  bookId: BookId,
  account: { id: Uuid; lines: bigint },
  moment: Instant,
): Promise<BalanceAt> {
  const { rows } = await db.query<BalanceAt>(
    `WITH RECURSIVE search (low, high) AS (
        SELECT 1::bigint, $3::bigint + 1
        UNION ALL
        SELECT CASE WHEN e.posted_at <= $4 THEN m.line + 1 ELSE s.low END, CASE WHEN e.posted_at <= $4 THEN s.high ELSE m.line END
        FROM search s
        CROSS JOIN LATERAL (SELECT (s.low + s.high) / 2 AS line) AS m
        CROSS JOIN LATERAL ${lineOf('m.line')} AS l
        CROSS JOIN LATERAL (SELECT posted_at FROM entries WHERE book_id = $1 AND sequence = l.entry_sequence LIMIT 1) AS e
        WHERE s.low < s.high
      ), last (line) AS (SELECT max(low) - 1 FROM search)
      SELECT last.line, COALESCE(l.balance, 0) AS posted FROM last LEFT JOIN LATERAL ${lineOf('last.line')} AS l ON true`,
    [bookId, account.id, account.lines, new Date(moment)],
  );
  return rows[0]!;
}
