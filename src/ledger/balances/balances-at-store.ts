/**
 * The posted balances of many accounts at one place of the journal. Lines of an account are gapless and carry the balance behind them, so
 * the line of a place is found by halves: a place far back costs what a new one does, and nothing is added up (docs/decisions/reports.md).
 * Next: balances-at.ts.
 */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Side } from '../account/account.ts';
import type { AccountCode } from '../account/account-code.ts';
import type { BookId } from '../book/book.ts';

export interface AccountAtPlace {
  readonly id: Uuid;
  readonly code: AccountCode;
  readonly side: Side;
  readonly currency: string;
  /** Its last line that was posted by then; 0n without one. */
  readonly line: bigint;
  /** On the account's own side. */
  readonly posted: bigint;
}

/** The line of a number, on either side. With a limit it is looked up line by line, by its index, whatever the planner believes. */
const lineOf = (id: string, number: string) => `(
    SELECT entry_sequence, debit_balance_after AS balance FROM postings
    WHERE book_id = $1 AND debit_account_id = ${id} AND debit_line = ${number}
    UNION ALL
    SELECT entry_sequence, credit_balance_after FROM postings
    WHERE book_id = $1 AND credit_account_id = ${id} AND credit_line = ${number}
    LIMIT 1
  )`;

/** The last line is tried first: it is the one of most accounts. */
const statement = (page: string) => `WITH RECURSIVE page AS MATERIALIZED (${page}),
  search (id, low, high, middle) AS (
    SELECT id, 1::bigint, lines + 1, lines FROM page
    UNION ALL
    SELECT id, low, high, (low + high) / 2 FROM (
      SELECT s.id, CASE WHEN l.entry_sequence <= $2 THEN s.middle + 1 ELSE s.low END AS low,
        CASE WHEN l.entry_sequence <= $2 THEN s.high ELSE s.middle END AS high
      FROM search s CROSS JOIN LATERAL ${lineOf('s.id', 's.middle')} AS l
      WHERE s.low < s.high
    ) AS halved
  ),
  found AS MATERIALIZED (SELECT id, max(low) - 1 AS line FROM search GROUP BY id)
  SELECT p.id, p.code, p.side, p.currency, f.line, COALESCE(l.balance, 0) AS posted
  FROM page p JOIN found f ON f.id = p.id LEFT JOIN LATERAL ${lineOf('p.id', 'f.line')} AS l ON true
  ORDER BY p.id`;

const PAGE = statement(
  'SELECT id, code, side, currency, lines FROM accounts WHERE book_id = $1 AND id > $3 ORDER BY id LIMIT $4',
);
const OF_IDS = statement(
  'SELECT id, code, side, currency, lines FROM accounts WHERE book_id = $1 AND id = ANY ($3::uuid[])',
);

/** A page of the book's accounts by id, behind the entry `through`. Indexes: accounts_pkey, postings' (book, account, line). */
export async function readPostedAt(
  db: Queryable,
  bookId: BookId,
  through: bigint,
  { after, limit }: { readonly after: Uuid; readonly limit: number },
): Promise<AccountAtPlace[]> {
  const values = [bookId, through, after, limit];
  const { rows } = await db.query<AccountAtPlace>({ name: 'accounts.posted_at', text: PAGE, values });
  return rows;
}

/** The same of some accounts. */
export async function loadPostedAt(
  db: Queryable,
  bookId: BookId,
  through: bigint,
  ids: readonly Uuid[],
): Promise<AccountAtPlace[]> {
  const values = [bookId, through, plainArray([...ids])];
  const { rows } = await db.query<AccountAtPlace>({ name: 'accounts.posted_at_of', text: OF_IDS, values });
  return rows;
}
