import { column, plainArray, textArray } from '../db/columns.ts';
import { updateExactly } from '../db/exactly.ts';
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

/** Accounts by id, in one query. Index: accounts_pkey. No lock: inside a batch the book's row is held. */
export async function loadAccounts(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<Map<Uuid, Account>> {
  const { rows } = await db.query<AccountRow>({
    name: 'accounts.load',
    text: `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
    values: [bookId, plainArray(ids)],
  });
  return new Map(rows.map((row) => [row.id, accountFromRow(row)]));
}

export const accounts: Table<Account> = {
  name: 'accounts',
  writeOrder: WRITE_ORDER.accounts,
  load: loadAccounts,

  async insert(trx: Transaction, bookId, rows) {
    await trx.query({
      name: 'accounts.insert',
      text: `INSERT INTO accounts (book_id, ${ACCOUNT_COLUMNS})
        SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[],
          $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])`,
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

  /**
   * No index holds a column that changes here, so every update is HOT. `= ANY` beside the join bounds what is read by the
   * batch: a plan made while the table was small joins all rows of the book with the list, and is kept.
   */
  async update(trx: Transaction, bookId, rows) {
    await updateExactly(trx, {
      name: 'accounts.update',
      text: `UPDATE accounts SET status = v.status, posted_debits = v.posted_debits, posted_credits = v.posted_credits,
          held_debits = v.held_debits, held_credits = v.held_credits, floor = v.floor, lines = v.lines
        FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
          AS v (id, status, posted_debits, posted_credits, held_debits, held_credits, floor, lines)
        WHERE accounts.book_id = $1 AND accounts.id = ANY ($2::uuid[]) AND accounts.id = v.id`,
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
