import type { Queryable } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';

/** A row of the log of effective days, with the entry whose line it is. */
export interface LoggedLine {
  readonly accountId: Uuid;
  readonly line: bigint;
  readonly sequence: bigint;
  /** The entry whose posting is this line of the account. Null without one. */
  readonly lineSequence: bigint | null;
  /** That entry has a day of its own: it was asked for, its day was closed, or it mirrors what was booked on another one. */
  readonly hasOwnDay: boolean;
  readonly effectiveOn: string;
  /** The last day that was closed before the entry was posted, and is closed still. Null where none was. */
  readonly closedBefore: string | null;
}

/** Indexes: effective_lines_pkey, postings' (book, account, line), manual_entries_in_order, entries_pkey, periods_closed. */
export async function readLoggedLines(
  db: Queryable,
  bookId: BookId,
  { after, limit }: { after: { accountId: Uuid; line: bigint } | undefined; limit: number },
): Promise<LoggedLine[]> {
  const { rows } = await db.query<LoggedLine>({
    name: 'verify.effective_lines',
    text: `SELECT l.account_id AS "accountId", l.line, l.entry_sequence AS sequence, p.entry_sequence AS "lineSequence",
        EXISTS (SELECT FROM manual_entries m WHERE m.book_id = $1 AND m.sequence = p.entry_sequence AND m.sequence IS NOT NULL)
          OR EXISTS (SELECT FROM entries e WHERE e.book_id = $1 AND e.sequence = p.entry_sequence
            AND (e.occurred_on IS NOT NULL OR e.effective_at <> e.posted_at))
          AS "hasOwnDay",
        l.effective_on AS "effectiveOn",
        (SELECT max(through_day) FROM periods WHERE book_id = $1 AND status = 'closed' AND through_sequence < l.entry_sequence)
          AS "closedBefore"
      FROM (SELECT * FROM effective_lines WHERE book_id = $1
        AND (account_id, line) > (COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000'), $3::bigint)
        ORDER BY account_id, line LIMIT $4) l
      LEFT JOIN LATERAL (
        SELECT entry_sequence FROM postings WHERE book_id = $1 AND debit_account_id = l.account_id AND debit_line = l.line
        UNION ALL
        SELECT entry_sequence FROM postings WHERE book_id = $1 AND credit_account_id = l.account_id AND credit_line = l.line
      ) p ON true
      ORDER BY l.account_id, l.line`,
    values: [bookId, after?.accountId ?? null, after?.line ?? 0n, limit],
  });
  return rows;
}
