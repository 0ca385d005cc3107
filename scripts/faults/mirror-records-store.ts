/** The operator's book beside the books that it mirrors, and the fees that were collected in them. */
import type { Pool } from '../../src/db/pool.ts';
import { inSnapshot } from '../../src/db/snapshot.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { bankReconciliation } from '../../src/reconciliation/position/bank-reconciliation.ts';

/** Pools of the mode with lines that the operator's book does not have yet. */
export async function countPoolsBehind(pool: Pool, operatorBookId: BookId): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM accounts a JOIN books b ON b.id = a.book_id
      JOIN books o ON o.id = $1 AND o.mode = b.mode
      LEFT JOIN mirrored_pools m ON m.book_id = o.id AND m.pool_account_id = a.id
     WHERE a.code = 'pool' AND a.lines > COALESCE(m.line, 0)`,
    [operatorBookId],
  );
  return rows[0]!.count;
}

/** Each query returns one row for each violation. $1: the operator's book. */
const RULES: Readonly<Record<string, string>> = {
  'every line of a pool is mirrored once, without a gap': `
    SELECT m.pool_account_id, a.lines, m.ranges, m.covered, m.first, m.last FROM (
      SELECT pool_account_id, of_book, count(*) AS ranges, sum(through_line - from_line + 1) AS covered,
        min(from_line) AS first, max(through_line) AS last
      FROM book_mirror WHERE book_id = $1 GROUP BY 1, 2
    ) m JOIN accounts a ON a.book_id = m.of_book AND a.id = m.pool_account_id
    WHERE m.first <> 1 OR m.covered <> m.last OR m.last > a.lines`,
  'a line that a bank will show is one item': `
    SELECT of_book, clearing_account_id, pool_line, count(*) FROM expected_items
    WHERE book_id = $1 AND pool_line IS NOT NULL GROUP BY 1, 2, 3 HAVING count(*) > 1`,
  'a day of a book and currency is collected once': `
    SELECT book_id, currency, day, count(*) FROM fee_collections WHERE $1::uuid IS NOT NULL
    GROUP BY 1, 2, 3 HAVING count(*) > 1`,
  "what is collected of the books is the operator's, with its tax": `
    SELECT c.currency, c.amount, c.tax, f.fees, f.tax_payable FROM (
      SELECT c.currency, sum(c.amount) AS amount, sum(c.tax) AS tax FROM fee_collections c
        JOIN books b ON b.id = c.book_id JOIN books o ON o.id = $1 AND o.mode = b.mode GROUP BY 1
    ) c LEFT JOIN (
      SELECT currency, sum(posted_credits - posted_debits) FILTER (WHERE code = 'fees') AS fees,
        coalesce(sum(posted_credits - posted_debits) FILTER (WHERE code = 'tax_payable'), 0) AS tax_payable
      FROM accounts WHERE book_id = $1 GROUP BY 1
    ) f USING (currency)
    WHERE f.fees IS DISTINCT FROM c.amount - c.tax OR f.tax_payable <> c.tax`,
};

/** Once no pool is behind. A line each; empty where the operator's book is what the books state. */
export async function unlikeTheBooks(pool: Pool, operatorBookId: BookId): Promise<string[]> {
  const wrong: string[] = [];
  for (const [rule, query] of Object.entries(RULES)) {
    const { rows } = await pool.query(query, [operatorBookId]);
    if (rows.length > 0) wrong.push(`not so: ${rule}. ${asText(rows.slice(0, 3))}`);
  }
  const { ok, rows } = await inSnapshot(pool, (trx) => bankReconciliation(trx, operatorBookId));
  if (!ok) wrong.push(`not so: the three equalities of the operator's book. ${asText(rows)}`);
  return wrong;
}

const asText = (rows: unknown) =>
  JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

export interface FeeState {
  /** Rows of days that wait for their end. */
  readonly days: number;
  readonly collections: number;
  /** What stands on the account of fees. */
  readonly due: bigint;
}

export async function readFees(pool: Pool, bookId: BookId): Promise<FeeState> {
  const { rows } = await pool.query<FeeState>(
    `SELECT (SELECT count(*)::integer FROM fee_days WHERE book_id = $1) AS days,
       (SELECT count(*)::integer FROM fee_collections WHERE book_id = $1) AS collections,
       (SELECT coalesce(sum(posted_credits - posted_debits), 0)::bigint FROM accounts WHERE book_id = $1 AND code = 'due_operator') AS due`,
    [bookId],
  );
  return rows[0]!;
}
