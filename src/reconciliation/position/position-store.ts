/** What bank accounts, items, lines and pools come to. Each query is of one operator's book, and reads what is open, not what was ever there. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

export interface BankAccountPosition {
  readonly id: Uuid;
  readonly name: string;
  readonly currency: string;
  readonly holds: 'customer_money' | 'own_money';
  /** Of the ledger, on the bank's side: debits less credits. */
  readonly books: bigint;
  /**
   * What the last posted statement closes with, and what a later one has posted of its lines so far. Null where no statement is posted, or the
   * last one states no balance.
   */
  readonly stated: bigint | null;
  /** The last day of that statement; null where none is posted. */
  readonly statedOn: string | null;
}

/**
 * The last statement is that of the latest days, since one that is restated, or came late, is posted behind later ones; of
 * several of a day that with which the account ends. One without days is where it was posted. Indexes: bank_accounts_pkey, accounts_pkey, bank_statements_pkey, bank_statements_by_day, bank_statements_released. An operator has some hundred bank accounts.
 */
export async function readBankAccountPositions(
  db: Queryable,
  bookId: BookId,
  ids?: readonly Uuid[],
): Promise<BankAccountPosition[]> {
  const { rows } = await db.query<BankAccountPosition>(
    `SELECT b.id, b.name, b.currency, b.holds, a.posted_debits - a.posted_credits AS books,
       CASE WHEN l.to_on IS NULL THEN l.closing ELSE s.closing END + u.moved AS stated,
       CASE WHEN l.to_on IS NOT NULL THEN s.to_on END AS "statedOn"
     FROM bank_accounts b
     JOIN accounts a ON a.book_id = b.book_id AND a.id = b.ledger_account_id
     LEFT JOIN bank_statements l ON l.book_id = b.book_id AND l.id = b.last_statement_id
     LEFT JOIN LATERAL (
       SELECT closing, to_on FROM bank_statements
       WHERE book_id = b.book_id AND bank_account_id = b.id AND to_on IS NOT NULL AND status = 'posted'
       ORDER BY to_on DESC, closing = b.balance DESC NULLS LAST, id = b.last_statement_id DESC, id DESC LIMIT 1
     ) AS s ON true
     CROSS JOIN LATERAL (
       SELECT COALESCE(sum(booked_credits - booked_debits), 0)::bigint AS moved FROM bank_statements
       WHERE book_id = b.book_id AND bank_account_id = b.id AND released AND status IN ('received', 'held')
     ) AS u
     WHERE b.book_id = $1 AND ($2::uuid[] IS NULL OR b.id = ANY ($2::uuid[])) ORDER BY b.currency, b.id LIMIT $3`,
    [bookId, ids === undefined ? null : plainArray(ids), BANK_ACCOUNTS_MAX],
  );
  return rows;
}

const BANK_ACCOUNTS_MAX = 10_000;

export interface ClearingPosition {
  readonly id: Uuid;
  readonly code: string;
  readonly currency: string;
  /** Credits less debits. */
  readonly books: bigint;
  /** The same by what is open: items that leave less items that come, and on unallocated and suspense the lines that nothing explains. */
  readonly open: bigint;
}

/** What a match of many items has taken for an entry that is to come is open too. Indexes: accounts_by_code, expected_items_open, bank_matches_moving, bank_lines_unmatched. */
export async function readClearingPositions(db: Queryable, bookId: BookId): Promise<ClearingPosition[]> {
  const { rows } = await db.query<ClearingPosition>(
    `WITH items AS (
       SELECT clearing_account_id AS id, sum(CASE direction WHEN 'out' THEN amount_open ELSE -amount_open END) AS open
       FROM expected_items WHERE book_id = $1 AND status <> 'matched' AND clearing_account_id IS NOT NULL GROUP BY 1
     ), moving AS (
       SELECT (items -> 0 ->> 'accountId')::uuid AS id, -sum(reserved_amount) AS open
       FROM bank_matches WHERE book_id = $1 AND status IN ('reserving', 'undoing') GROUP BY 1
     ), lines AS (
       SELECT currency, CASE WHEN amount > 0 THEN 'unallocated' ELSE 'suspense' END AS code, sum(amount - matched) AS open
       FROM bank_lines WHERE book_id = $1 AND status IN ('open', 'partly_matched') GROUP BY 1, 2
     )
     SELECT a.id, a.code, a.currency, a.posted_credits - a.posted_debits AS books,
       (COALESCE(i.open, 0) + COALESCE(m.open, 0) + COALESCE(l.open, 0))::bigint AS open
     FROM accounts a
     LEFT JOIN items i ON i.id = a.id
     LEFT JOIN moving m ON m.id = a.id
     LEFT JOIN lines l ON l.currency = a.currency AND l.code = a.code
     WHERE a.book_id = $1 AND a.code IN ('rail_clearing', 'acquirer_clearing', 'unallocated', 'suspense')
     ORDER BY a.currency, a.code, a.id`,
    [bookId],
  );
  return rows;
}

export interface InTransit {
  readonly currency: string;
  readonly comes: bigint;
  readonly leaves: bigint;
}

/** What rails and acquirers owe and are owed at banks. Index: expected_items_open, the open ones alone. */
export async function readInTransit(db: Queryable, bookId: BookId): Promise<InTransit[]> {
  const { rows } = await db.query<InTransit>(
    `SELECT currency, COALESCE(sum(amount_open) FILTER (WHERE direction = 'in'), 0)::bigint AS comes,
       COALESCE(sum(amount_open) FILTER (WHERE direction = 'out'), 0)::bigint AS leaves
     FROM expected_items
     WHERE book_id = $1 AND status <> 'matched' AND clearing_account_id IS NOT NULL AND clearing <> 'unallocated' GROUP BY 1`,
    [bookId],
  );
  return rows;
}

export interface PoolPosition {
  readonly currency: string;
  /** The balance of `pool_owed`: credits less debits. */
  readonly owed: bigint;
  /** What the pools of all books had behind the last of their lines that are mirrored. */
  readonly pools: bigint;
  readonly books: number;
}

/** The pools are read in their own books, by their own lines. Indexes: mirrored_pools_pkey, postings' (book, account, line), accounts_by_code. */
export async function readPoolPositions(db: Queryable, bookId: BookId): Promise<PoolPosition[]> {
  const { rows } = await db.query<PoolPosition>(
    `WITH pools AS (
       SELECT m.currency, count(*)::integer AS books, sum(COALESCE(
         (SELECT debit_balance_after FROM postings p
            WHERE p.book_id = m.of_book AND p.debit_account_id = m.pool_account_id AND p.debit_line = m.line LIMIT 1),
         (SELECT credit_balance_after FROM postings p
            WHERE p.book_id = m.of_book AND p.credit_account_id = m.pool_account_id AND p.credit_line = m.line LIMIT 1),
         0))::bigint AS pools
       FROM mirrored_pools m WHERE m.book_id = $1 GROUP BY 1
     ), owed AS (
       SELECT currency, sum(posted_credits - posted_debits)::bigint AS owed
       FROM accounts WHERE book_id = $1 AND code = 'pool_owed' GROUP BY 1
     )
     SELECT currency, COALESCE(owed, 0) AS owed, COALESCE(pools, 0) AS pools, COALESCE(books, 0) AS books
     FROM pools FULL JOIN owed USING (currency) ORDER BY currency`,
    [bookId],
  );
  return rows;
}

export interface OwedToCustomers {
  readonly currency: string;
  readonly code: string;
  readonly owed: bigint;
}

/** A page of the books of the mode, with the last id of it. Index: books_pkey. */
export async function readBookIds(
  db: Queryable,
  { operatorBookId, after, limit }: { operatorBookId: BookId; after: BookId; limit: number },
): Promise<BookId[]> {
  const { rows } = await db.query<{ id: BookId }>(
    `SELECT id FROM books WHERE id > $2 AND id <> $1 AND mode = (SELECT mode FROM books WHERE id = $1) ORDER BY id LIMIT $3`,
    [operatorBookId, after, limit],
  );
  return rows.map(({ id }) => id);
}

/** What books owe to their customers, overdrawn ones left out, and what is on its way for them. Index: accounts_by_code, a book at a time. */
export async function readOwedToCustomers(db: Queryable, bookIds: readonly BookId[]): Promise<OwedToCustomers[]> {
  const { rows } = await db.query<OwedToCustomers>(
    `SELECT a.currency, a.code, sum(CASE WHEN a.code <> 'customer' OR a.posted_credits > a.posted_debits
         THEN a.posted_credits - a.posted_debits ELSE 0 END)::bigint AS owed
     FROM unnest($1::uuid[]) AS b (id)
     JOIN accounts a ON a.book_id = b.id AND a.code IN ('customer', 'payouts_in_transit', 'refunds_in_transit')
     GROUP BY 1, 2`,
    [bookIds],
  );
  return rows;
}

export interface OpenLine {
  readonly id: Uuid;
  readonly bankAccountId: Uuid;
  readonly bookedOn: string;
  readonly currency: string;
  readonly open: bigint;
}

/** A page of the lines that nothing explains, by id. Index: bank_lines_unmatched, the lines of the open state alone. */
export async function listOpenLines(
  db: Queryable,
  bookId: BookId,
  { after, limit }: { after: Uuid; limit: number },
): Promise<OpenLine[]> {
  const { rows } = await db.query<OpenLine>(
    `SELECT id, bank_account_id AS "bankAccountId", booked_on AS "bookedOn", currency, amount - matched AS open
     FROM bank_lines WHERE book_id = $1 AND status IN ('open', 'partly_matched') AND id > $2 ORDER BY id LIMIT $3`,
    [bookId, after, limit],
  );
  return rows;
}

export interface OpenItems {
  readonly party: string | null;
  readonly direction: 'in' | 'out';
  readonly currency: string;
  readonly count: number;
  readonly open: bigint;
  readonly oldest: string;
}

/** What no bank has shown. Index: expected_items_open. */
export async function readOpenItems(db: Queryable, bookId: BookId): Promise<OpenItems[]> {
  const { rows } = await db.query<OpenItems>(
    `SELECT party, direction, currency, count(*)::integer AS count, sum(amount_open)::bigint AS open, min(expected_on) AS oldest
     FROM expected_items WHERE book_id = $1 AND status <> 'matched' AND clearing_account_id IS NOT NULL
     GROUP BY 1, 2, 3 ORDER BY 3, 2, 1 NULLS LAST`,
    [bookId],
  );
  return rows;
}

export interface MatchedBy {
  readonly rule: string;
  readonly currency: string;
  readonly matches: number;
  readonly lines: number;
  readonly amount: bigint;
}

/** Matches of some days that are confirmed. Index: bank_matches_pkey, whose ids count up with time. */
export async function readMatchedBy(
  db: Queryable,
  bookId: BookId,
  { from, before }: { from: Uuid; before: Uuid },
): Promise<MatchedBy[]> {
  const { rows } = await db.query<MatchedBy>(
    `SELECT rule, currency, count(*)::integer AS matches, sum(jsonb_array_length(lines))::integer AS lines,
       sum((SELECT sum(abs((line ->> 'amount')::bigint)) FROM jsonb_array_elements(lines) AS line))::bigint AS amount
     FROM bank_matches WHERE book_id = $1 AND id >= $2 AND id < $3 AND status = 'confirmed'
     GROUP BY 1, 2 ORDER BY 2, 1`,
    [bookId, from, before],
  );
  return rows;
}

export interface BehindAccount {
  readonly id: Uuid;
  readonly name: string;
  /** The last day of its last posted statement. */
  readonly statedThrough: string | null;
}

/** Open bank accounts, from the day of their opening on, of which no posted statement reaches the day. Indexes: bank_accounts_pkey, bank_statements_by_day. */
export async function listAccountsBehind(
  db: Queryable,
  bookId: BookId,
  { through, limit }: { readonly through: string; readonly limit: number },
): Promise<BehindAccount[]> {
  const { rows } = await db.query<BehindAccount>(
    `SELECT b.id, b.name, s.to_on AS "statedThrough" FROM bank_accounts b
     LEFT JOIN LATERAL (
       SELECT to_on FROM bank_statements
       WHERE book_id = b.book_id AND bank_account_id = b.id AND to_on IS NOT NULL AND status = 'posted'
       ORDER BY to_on DESC LIMIT 1
     ) AS s ON true
     WHERE b.book_id = $1 AND b.status = 'open' AND b.opening_on <= $2 AND (s.to_on IS NULL OR s.to_on < $2)
     ORDER BY b.id LIMIT $3`,
    [bookId, through, limit],
  );
  return rows;
}
