import type { Queryable } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';

/** A statement with the one before it, its last line and the line behind, and the row of its schedule. */
export interface StatementRow {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly side: 'debit' | 'credit';
  readonly number: bigint;
  readonly from: string;
  readonly to: string;
  readonly opening: bigint;
  readonly credits: bigint;
  readonly debits: bigint;
  readonly closing: bigint;
  readonly afterLine: bigint;
  readonly throughLine: bigint;
  /** The day before `from`. */
  readonly dayBefore: string;
  /** Null of the first. */
  readonly beforeTo: string | null;
  readonly beforeClosing: bigint | null;
  readonly beforeLine: bigint | null;
  /** Of the last line, null without one: the balance behind it, and the day on which it was posted. */
  readonly lastBalance: bigint | null;
  readonly lastOn: string | null;
  /** The day of the line behind; null without one. */
  readonly nextOn: string | null;
  readonly lastNumber: bigint | null;
}

/** OFFSET 0: docs/decisions/kept-plans.md. */
const lineOf = (number: string, alias: string) => `LEFT JOIN LATERAL (
    SELECT l.balance, to_char(e.posted_at AT TIME ZONE b.time_zone, 'YYYY-MM-DD') AS day FROM (
      SELECT entry_sequence, debit_balance_after AS balance FROM postings
        WHERE book_id = s.book_id AND debit_account_id = s.account_id AND debit_line = ${number}
      UNION ALL
      SELECT entry_sequence, credit_balance_after FROM postings
        WHERE book_id = s.book_id AND credit_account_id = s.account_id AND credit_line = ${number}
    ) l CROSS JOIN LATERAL (
      SELECT posted_at FROM entries WHERE book_id = s.book_id AND sequence = l.entry_sequence OFFSET 0) e
  ) ${alias} ON true`;

/** Indexes: account_statements_pkey, account_statements_by_number, one a side of postings by account and line, entries_pkey. */
export async function readStatements(
  db: Queryable,
  bookId: BookId,
  page: { readonly after: Uuid | undefined; readonly limit: number },
): Promise<StatementRow[]> {
  const { rows } = await db.query<StatementRow>({
    name: 'verify.statements',
    text: `SELECT s.id, s.account_id AS "accountId", a.side, s.number, s.from_day AS "from", s.to_day AS "to", s.opening,
        s.credits_sum AS credits, s.debits_sum AS debits, s.closing, s.after_line AS "afterLine", s.through_line AS "throughLine",
        to_char(s.from_day::date - 1, 'YYYY-MM-DD') AS "dayBefore",
        p.to_day AS "beforeTo", p.closing AS "beforeClosing", p.through_line AS "beforeLine",
        last.balance AS "lastBalance", last.day AS "lastOn", next.day AS "nextOn", w.number AS "lastNumber"
      FROM (SELECT * FROM account_statements
        WHERE book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3) s
      JOIN books b ON b.id = $1
      JOIN accounts a ON a.book_id = s.book_id AND a.id = s.account_id
      LEFT JOIN account_statements p ON p.book_id = s.book_id AND p.account_id = s.account_id AND p.number = s.number - 1
      LEFT JOIN statement_schedules w ON w.book_id = s.book_id AND w.account_id = s.account_id
      ${lineOf('s.through_line', 'last')}
      ${lineOf('s.through_line + 1', 'next')}
      ORDER BY s.id`,
    values: [bookId, page.after ?? null, page.limit],
  });
  return rows;
}
