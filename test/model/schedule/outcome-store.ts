/** The queries for checking what a schedule left in the ledger. */
import type { Pool } from '../../../src/db/pool.ts';
import type { Uuid } from '../../../src/values/ids.ts';

export interface AccountOutcome {
  readonly id: Uuid;
  readonly code: string;
  readonly posted: bigint;
  readonly held: bigint;
  /** The balance summed from the journal. */
  readonly summed: bigint;
}

export async function accountOutcomes(pool: Pool, bookId: Uuid): Promise<AccountOutcome[]> {
  const { rows } = await pool.query(
    `SELECT id, code, CASE side WHEN 'credit' THEN posted_credits - posted_debits ELSE posted_debits - posted_credits END AS posted,
       held_debits + held_credits AS held,
       CASE side WHEN 'credit' THEN 1 ELSE -1 END * (
         coalesce((SELECT sum(amount) FROM postings WHERE book_id = $1 AND credit_account_id = accounts.id), 0)
         - coalesce((SELECT sum(amount) FROM postings WHERE book_id = $1 AND debit_account_id = accounts.id), 0)) AS summed
     FROM accounts WHERE book_id = $1`,
    [bookId],
  );
  return rows;
}

/** The entries of a book, their highest sequence, and the number of steps booked twice. */
export async function countEntries(
  pool: Pool,
  bookId: Uuid,
): Promise<{ entries: bigint; last: bigint; twice: bigint }> {
  const { rows } = await pool.query(
    `SELECT count(*) AS entries, coalesce(max(sequence), 0) AS last,
       count(*) - count(DISTINCT (resource_id, step)) AS twice FROM entries WHERE book_id = $1`,
    [bookId],
  );
  return rows[0];
}
