import { column, plainArray, rowsOf, textArray } from '../db/columns.ts';
import { updateExactly } from '../db/exactly.ts';
import { newestAccount } from '../db/newest.ts';
import type { Queryable, Transaction } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { Account } from './account.ts';
import type { BookId } from './book.ts';
import { type Table, WRITE_ORDER } from './table.ts';

export interface AccountRow {
  id: string;
  code: Account['code'];
  side: Account['side'];
  currency: string;
  status: Account['status'];
  posted_debits: bigint;
  posted_credits: bigint;
  held_debits: bigint;
  held_credits: bigint;
  floor: bigint | null;
  lines: bigint;
}

export const ACCOUNT_COLUMNS =
  'id, code, side, currency, status, posted_debits, posted_credits, held_debits, held_credits, floor, lines';

export function accountFromRow(row: AccountRow): Account {
  return {
    id: row.id,
    code: row.code,
    side: row.side,
    currency: row.currency,
    status: row.status,
    postedDebits: row.posted_debits,
    postedCredits: row.posted_credits,
    heldDebits: row.held_debits,
    heldCredits: row.held_credits,
    floor: row.floor,
    lines: row.lines,
  };
}

/**
 * Up to this many rows are looked up one by one, newest version first (db/newest.ts): a microsecond more a row. A
 * longer list is read in one scan of the index.
 */
const FEW = 200;
const LOAD_FEW = `SELECT a.* FROM unnest($2::uuid[]) AS w (wanted), LATERAL (${newestAccount(ACCOUNT_COLUMNS, '$1', 'w.wanted')}) a`;
const LOAD_MANY = `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE book_id = $1 AND id = ANY ($2::uuid[])`;

/**
 * Loads accounts by id in one query. Index: accounts_pkey. No row lock: the book's lock, or the check of its batch id,
 * guards a batch.
 */
export async function loadAccounts(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<Map<Uuid, Account>> {
  const few = ids.length <= FEW;
  const { rows } = await db.query<AccountRow>({
    name: few ? 'accounts.load_few' : 'accounts.load',
    text: few ? LOAD_FEW : LOAD_MANY,
    values: [bookId, plainArray(ids)],
  });
  const found = new Map<Uuid, Account>();
  for (const row of rows) found.set(row.id, accountFromRow(row));
  return found;
}

/**
 * No index holds a balance, so an update of balances is HOT. The ids stand beside the join too: without them, a plan
 * made while the table was small joins all rows of the book with the list, and Postgres keeps that plan.
 */
const UPDATE = `UPDATE accounts SET status = v.status, posted_debits = v.posted_debits, posted_credits = v.posted_credits,
    held_debits = v.held_debits, held_credits = v.held_credits, floor = v.floor, lines = v.lines
  FROM (SELECT ${rowsOf('uuid', 'text', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint')})
    AS v (id, status, posted_debits, posted_credits, held_debits, held_credits, floor, lines)
  WHERE accounts.id = v.id`;
const UPDATE_FEW = `${UPDATE} AND accounts.ctid = ANY (ARRAY(
  SELECT (${newestAccount('accounts.ctid', '$1', 'w.wanted')}) FROM unnest($2::uuid[]) AS w (wanted)))`;
const UPDATE_MANY = `${UPDATE} AND accounts.book_id = $1 AND accounts.id = ANY ($2::uuid[])`;

const INSERT_ACCOUNTS = `INSERT INTO accounts (book_id, ${ACCOUNT_COLUMNS})
  SELECT $1, ${rowsOf('uuid', 'text', 'text', 'text', 'text', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint')}`;

export const accounts: Table<Account> = {
  name: 'accounts',
  writeOrder: WRITE_ORDER.accounts,
  load: loadAccounts,

  async insert(trx: Transaction, bookId, rows) {
    await trx.query({
      name: 'accounts.insert',
      text: INSERT_ACCOUNTS,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        textArray(column(rows, (row) => row.code)),
        textArray(column(rows, (row) => row.side)),
        textArray(column(rows, (row) => row.currency)),
        textArray(column(rows, (row) => row.status)),
        ...balances(rows),
        plainArray(column(rows, (row) => row.lines)),
      ],
    });
  },

  async update(trx: Transaction, bookId, rows) {
    const few = rows.length <= FEW;
    await updateExactly(trx, {
      name: few ? 'accounts.update_few' : 'accounts.update',
      text: few ? UPDATE_FEW : UPDATE_MANY,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        textArray(column(rows, (row) => row.status)),
        ...balances(rows),
        plainArray(column(rows, (row) => row.lines)),
      ],
      rows: rows.length,
    });
  },
};

function balances(rows: readonly Account[]): string[] {
  return [
    plainArray(column(rows, (row) => row.postedDebits)),
    plainArray(column(rows, (row) => row.postedCredits)),
    plainArray(column(rows, (row) => row.heldDebits)),
    plainArray(column(rows, (row) => row.heldCredits)),
    plainArray(column(rows, (row) => row.floor)),
  ];
}
