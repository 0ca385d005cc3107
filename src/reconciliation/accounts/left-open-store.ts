/** What of a bank account keeps it from being closed: rows of its statements and lines, which its own folder only counts. */
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

export interface LeftOpen {
  /** Lines of which matches do not explain all, or will not once they are undone. */
  readonly lines: number;
  /** Statements that wait for persons, or for the missing file. */
  readonly held: number;
}

/** A large match is undone in several commands: its lines are open with the last one. Indexes: bank_lines_unmatched, bank_matches_moving, bank_statements_waiting. */
export async function readLeftOpen(db: Queryable, bookId: BookId, bankAccountId: Uuid): Promise<LeftOpen> {
  const { rows } = await db.query<{ lines: bigint; held: bigint }>({
    name: 'bank_accounts.left_open',
    text: `SELECT
        (SELECT count(*) FROM bank_lines WHERE book_id = $1 AND bank_account_id = $2 AND status IN ('open', 'partly_matched'))
          + (SELECT count(*) FROM bank_matches m CROSS JOIN jsonb_array_elements(m.lines) AS part (line)
            JOIN bank_lines l ON l.book_id = m.book_id AND l.id = (part.line ->> 'id')::uuid
            WHERE m.book_id = $1 AND m.status = 'undoing' AND l.bank_account_id = $2 AND l.status = 'matched') AS lines,
        (SELECT count(*) FROM bank_statements WHERE book_id = $1 AND bank_account_id = $2 AND status = 'held' AND NOT released) AS held`,
    values: [bookId, bankAccountId],
  });
  const [{ lines, held }] = rows as [{ lines: bigint; held: bigint }];
  return { lines: Number(lines), held: Number(held) };
}
