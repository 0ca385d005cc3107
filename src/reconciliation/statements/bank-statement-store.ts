/** Reads of statements that a declaration cannot state: those beside one, and those that wait. */
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankStatement } from './bank-statement.ts';
import { bankStatements } from './bank-statement-table.ts';
import type { Chained } from './chain.ts';

/** Numbers begin anew each year, so a number has some statements in the life of an account. */
const BESIDE_MAX = 100;

interface Beside {
  readonly bankAccountId: Uuid;
  readonly number: string | null;
  readonly to: string | null;
}

/**
 * Statements of the account with the same number; without a number, those that end on the same day. Newest first. Indexes:
 * bank_statements_by_number, bank_statements_by_day.
 */
export async function findBeside(
  db: Queryable,
  bookId: BookId,
  { bankAccountId, number, to }: Beside,
): Promise<BankStatement[]> {
  if (number === null && to === null) return [];
  const [column, value] = number === null ? ['to_on', to] : ['number', number];
  const { rows } = await db.query(
    `SELECT ${bankStatements.selected()} FROM bank_statements
     WHERE book_id = $1 AND bank_account_id = $2 AND ${column} = $3 ORDER BY id DESC LIMIT ${BESIDE_MAX}`,
    [bookId, bankAccountId, value],
  );
  return rows.map(bankStatements.fromRow);
}

/** More than ever wait for one that is missing: those of later days are read once these are posted. */
const WAITING_MAX = 1_000;

/** Held statements of an account, earliest days first. Index: bank_statements_waiting. */
export async function listWaiting(db: Queryable, bookId: BookId, bankAccountId: Uuid): Promise<BankStatement[]> {
  const { rows } = await db.query(
    `SELECT ${bankStatements.selected()} FROM bank_statements
     WHERE book_id = $1 AND bank_account_id = $2 AND status = 'held' AND NOT released ORDER BY to_on, id LIMIT ${WAITING_MAX}`,
    [bookId, bankAccountId],
  );
  return rows.map(bankStatements.fromRow);
}

/** Statements that are compared with an account of the book and end on the same day, newest first. Index: bank_statements_compared. */
export async function findBesideCompared(
  db: Queryable,
  bookId: BookId,
  { comparedAccountId, to }: { readonly comparedAccountId: Uuid; readonly to: string },
): Promise<BankStatement[]> {
  const { rows } = await db.query(
    `SELECT ${bankStatements.selected()} FROM bank_statements
     WHERE book_id = $1 AND compared_account_id = $2 AND to_on = $3 ORDER BY id DESC LIMIT ${BESIDE_MAX}`,
    [bookId, comparedAccountId, to],
  );
  return rows.map(bankStatements.fromRow);
}

/** A year of three a day. What comes later than that is for persons. */
const CHAINED_MAX = 1_000;

/**
 * Released statements of an account from a day on. Undefined where there are more than CHAINED_MAX: where the account stood on the day does not
 * show then. Index: bank_statements_by_day.
 */
export async function listChained(
  db: Queryable,
  bookId: BookId,
  { bankAccountId, from }: { bankAccountId: Uuid; from: string },
): Promise<Chained[] | undefined> {
  const { rows } = await db.query<Chained>(
    `SELECT to_on AS "on", opening, closing, booked_credits - booked_debits AS moved FROM bank_statements
     WHERE book_id = $1 AND bank_account_id = $2 AND to_on >= $3 AND released ORDER BY to_on, id LIMIT ${CHAINED_MAX + 1}`,
    [bookId, bankAccountId, from],
  );
  return rows.length > CHAINED_MAX ? undefined : rows;
}

export interface StatementKey {
  readonly bookId: BookId;
  readonly id: Uuid;
}

/** A statement that follows, by its account. */
export interface Following extends StatementKey {
  readonly bankAccountId: Uuid;
}

/** A page of the statements of all books that are released and not posted, in order of book and id. Index: bank_statements_released. */
export async function findReleased(
  db: Queryable,
  { after, limit }: { after: StatementKey; limit: number },
): Promise<StatementKey[]> {
  const { rows } = await db.query<{ book_id: Uuid; id: Uuid }>(
    `SELECT book_id, id FROM bank_statements
     WHERE released AND status IN ('received', 'held') AND (book_id, id) > ($1, $2) ORDER BY book_id, id LIMIT $3`,
    [after.bookId, after.id, limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, id: row.id }));
}

/**
 * A page of held statements of all books that go on where their open account stands, one an account, in order of book and id of the account. Index:
 * bank_statements_waiting.
 */
export async function findFollowing(
  db: Queryable,
  { after, limit }: { after: Following; limit: number },
): Promise<Following[]> {
  const { rows } = await db.query<{ book_id: Uuid; bank_account_id: Uuid; id: Uuid }>(
    `SELECT DISTINCT ON (s.book_id, s.bank_account_id) s.book_id, s.bank_account_id, s.id
     FROM bank_statements s JOIN bank_accounts a ON a.book_id = s.book_id AND a.id = s.bank_account_id
     WHERE s.status = 'held' AND NOT s.released AND (s.book_id, s.bank_account_id) > ($1, $2)
       AND a.status = 'open' AND a.under_way = 0 AND s.opening = a.balance AND (s.to_on >= a.chained_on OR s.to_on IS NULL OR a.chained_on IS NULL)
     ORDER BY s.book_id, s.bank_account_id, s.to_on, s.id LIMIT $3`,
    [after.bookId, after.bankAccountId, limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, bankAccountId: row.bank_account_id, id: row.id }));
}

/** Numbers restart each year: pages of one statement lie days apart. */
const PAGES_APART_MS = 60 * 86_400_000;

/** The pages among them that belong to a statement of about that day. */
export function pagesNear(found: readonly BankStatement[], to: string | null) {
  const near = (day: string | null) =>
    to === null || day === null || Math.abs(Date.parse(day) - Date.parse(to)) <= PAGES_APART_MS;
  return found.filter(
    ({ page, status, toOn }) => page !== null && status !== 'rejected' && status !== 'restated' && near(toOn),
  );
}
