/** The ledger's main invariants in four queries, until scripts/verify.ts exists. */
import type { Pool } from '../../src/db/pool.ts';

const CHECKS: Record<string, string> = {
  'balances are the sums of postings': `
    SELECT count(*) AS wrong FROM accounts a
    LEFT JOIN (SELECT book_id, debit_account_id AS id, sum(amount) AS total, count(*) AS lines FROM postings GROUP BY 1, 2) d USING (book_id, id)
    LEFT JOIN (SELECT book_id, credit_account_id AS id, sum(amount) AS total, count(*) AS lines FROM postings GROUP BY 1, 2) c USING (book_id, id)
    WHERE a.posted_debits <> coalesce(d.total, 0) OR a.posted_credits <> coalesce(c.total, 0)
       OR a.lines <> coalesce(d.lines, 0) + coalesce(c.lines, 0)`,
  'sequences have no gaps': `
    SELECT count(*) AS wrong FROM books b
    JOIN (SELECT book_id AS id, max(sequence) AS last, count(*) AS entries FROM entries GROUP BY 1) e USING (id)
    WHERE e.last <> e.entries OR b.entry_sequence <> e.last`,
  'held is the sum of open holds': `
    SELECT count(*) AS wrong FROM accounts a
    LEFT JOIN (SELECT book_id, account_id AS id, sum(remaining) AS total FROM holds GROUP BY 1, 2) h USING (book_id, id)
    WHERE a.held_debits + a.held_credits <> coalesce(h.total, 0)`,
};

export async function quickChecks(pool: Pool): Promise<Record<string, unknown>> {
  const results: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(CHECKS)) {
    const { rows } = await pool.query<{ wrong: bigint }>(text);
    if (rows[0]!.wrong !== 0n) throw new Error(`The ledger does not hold: ${name} (${rows[0]!.wrong} wrong)`);
    results[name] = true;
  }
  return results;
}
