/** Places in the journal, found by halves: a book's time never runs backwards, and numbers have no gaps. */
import type { Queryable } from '../../db/pool.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';

/** The last sequence that was posted before a moment; 0n without one. `head`: the last of the book. Index: entries_pkey. */
export async function findSequenceAt(
  db: Queryable,
  bookId: BookId,
  { head, before }: { readonly head: bigint; readonly before: Instant },
): Promise<bigint> {
  const { rows } = await db.query<{ sequence: bigint }>({
    name: 'entries.sequence_at',
    text: `WITH RECURSIVE search (low, high) AS (
        SELECT 1::bigint, $2::bigint + 1
        UNION ALL
        SELECT CASE WHEN e.posted_at < $3 THEN m.middle + 1 ELSE s.low END, CASE WHEN e.posted_at < $3 THEN s.high ELSE m.middle END
        FROM search s
        CROSS JOIN LATERAL (SELECT (s.low + s.high) / 2 AS middle) AS m
        CROSS JOIN LATERAL (SELECT posted_at FROM entries WHERE book_id = $1 AND sequence = m.middle LIMIT 1) AS e
        WHERE s.low < s.high
      )
      SELECT max(low) - 1 AS sequence FROM search`,
    values: [bookId, head, new Date(before)],
  });
  return rows[0]!.sequence;
}

/** How many lines an account has in entries up to a sequence. Indexes: accounts_pkey, postings' (book, account, line). */
export async function findLinesUpTo(
  db: Queryable,
  bookId: BookId,
  { accountId, sequence }: { readonly accountId: Uuid; readonly sequence: bigint },
): Promise<bigint> {
  const { rows } = await db.query<{ lines: bigint }>({
    name: 'postings.lines_up_to',
    text: `WITH RECURSIVE search (low, high) AS (
        SELECT 1::bigint, COALESCE((SELECT lines FROM accounts WHERE book_id = $1 AND id = $2), 0) + 1
        UNION ALL
        SELECT CASE WHEN l.entry_sequence <= $3 THEN m.middle + 1 ELSE s.low END,
          CASE WHEN l.entry_sequence <= $3 THEN s.high ELSE m.middle END
        FROM search s
        CROSS JOIN LATERAL (SELECT (s.low + s.high) / 2 AS middle) AS m
        CROSS JOIN LATERAL (
          SELECT entry_sequence FROM postings WHERE book_id = $1 AND debit_account_id = $2 AND debit_line = m.middle
          UNION ALL
          SELECT entry_sequence FROM postings WHERE book_id = $1 AND credit_account_id = $2 AND credit_line = m.middle
          LIMIT 1
        ) AS l
        WHERE s.low < s.high
      )
      SELECT max(low) - 1 AS lines FROM search`,
    values: [bookId, accountId, sequence],
  });
  return rows[0]!.lines;
}
