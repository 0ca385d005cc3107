/** Reads accounts and their lines in the same order, so that a check can merge them without either list in memory. */
import type { Queryable } from '../db/pool.ts';
import type { Account } from '../ledger/account/account.ts';
import { type AccountRow, accounts } from '../ledger/account/account-table.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Uuid } from '../values/ids.ts';

export interface AccountWithHolds extends Account {
  /** What the account's open holds have left, read in the same statement as the row. */
  readonly openHolds: bigint;
}

/** Reads a page of accounts, ordered by id. Indexes: accounts_pkey, holds_open_by_account. */
export async function readAccounts(
  db: Queryable,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<AccountWithHolds[]> {
  const { rows } = await db.query<AccountRow & { open_holds: bigint }>({
    name: 'verify.accounts',
    text: `SELECT ${accounts.selected()}, (
        SELECT COALESCE(sum(h.remaining), 0) FROM holds h
        WHERE h.book_id = a.book_id AND h.account_id = a.id AND h.status = 'open'
      ) AS open_holds
      FROM accounts a WHERE book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3`,
    values: [bookId, page.after ?? null, page.limit],
  });
  return rows.map((row) => ({ openHolds: row.open_holds, ...accounts.fromRow(row) }));
}

export type Direction = 'debit' | 'credit';

export interface LineRow {
  readonly direction: Direction;
  readonly accountId: Uuid;
  readonly line: bigint;
  readonly amount: bigint;
  readonly currency: string;
  readonly balanceAfter: bigint;
  readonly entrySequence: bigint;
}

interface LineColumns {
  account_id: string;
  line: bigint;
  amount: bigint;
  currency: string;
  balance_after: bigint;
  entry_sequence: bigint;
}

/**
 * Reads the lines of one side over all accounts, ordered by account and line. Index: the unique index over (book,
 * account, line) of that side. The index is partial on the account, so a comparison of rows alone would not let the
 * planner use it.
 */
export async function readLines(
  db: Queryable,
  bookId: BookId,
  page: { direction: Direction; after: LineRow | undefined; upTo: bigint; limit: number },
): Promise<LineRow[]> {
  const { direction } = page;
  const { rows } = await db.query<LineColumns>({
    name: `verify.${direction}_lines`,
    text: `SELECT ${direction}_account_id AS account_id, ${direction}_line AS line, amount, currency,
        ${direction}_balance_after AS balance_after, entry_sequence
      FROM postings WHERE book_id = $1 AND ${direction}_account_id >= $2
        AND (${direction}_account_id, ${direction}_line) > ($2, $3) AND entry_sequence <= $4
      ORDER BY ${direction}_account_id, ${direction}_line LIMIT $5`,
    values: [
      bookId,
      page.after?.accountId ?? '00000000-0000-0000-0000-000000000000',
      page.after?.line ?? 0n,
      page.upTo,
      page.limit,
    ],
  });
  return rows.map((row) => ({
    direction,
    accountId: row.account_id,
    line: row.line,
    amount: row.amount,
    currency: row.currency,
    balanceAfter: row.balance_after,
    entrySequence: row.entry_sequence,
  }));
}

export interface LaterLines {
  readonly account: Account;
  readonly lines: bigint;
  readonly debits: bigint;
  readonly credits: bigint;
}

/** Reads an account with the sums of its lines after a given line. Call in a snapshot. Indexes: as above. */
export async function readLaterLines(
  db: Queryable,
  bookId: BookId,
  { accountId, after }: { accountId: Uuid; after: bigint },
): Promise<LaterLines | undefined> {
  const { rows } = await db.query<
    AccountRow & { debits: bigint; debit_lines: bigint; credits: bigint; credit_lines: bigint }
  >({
    name: 'verify.later_lines',
    text: `SELECT ${accounts.selected()}, d.sum AS debits, d.count AS debit_lines, c.sum AS credits, c.count AS credit_lines
      FROM accounts a,
        LATERAL (SELECT count(*), COALESCE(sum(amount), 0) AS sum FROM postings
          WHERE book_id = $1 AND debit_account_id = $2 AND debit_line > $3) d,
        LATERAL (SELECT count(*), COALESCE(sum(amount), 0) AS sum FROM postings
          WHERE book_id = $1 AND credit_account_id = $2 AND credit_line > $3) c
      WHERE a.book_id = $1 AND a.id = $2`,
    values: [bookId, accountId, after],
  });
  const [row] = rows;
  return (
    row && {
      account: accounts.fromRow(row),
      lines: row.debit_lines + row.credit_lines,
      debits: row.debits,
      credits: row.credits,
    }
  );
}

/**
 * Finds out whether an entry that may break floors ever touched one side of an account. Read only for accounts below
 * their floor. Reads a page of lines, newest first. Returns where the next page begins, or undefined at the end.
 * Indexes: as above, entries_pkey.
 */
export async function findFloorOverride(
  db: Queryable,
  bookId: BookId,
  page: { accountId: Uuid; direction: Direction; before: bigint; limit: number },
): Promise<{ found: boolean; before: bigint | undefined }> {
  const { direction } = page;
  const { rows } = await db.query<{ line: bigint; floor_overridden: boolean }>({
    name: `verify.${direction}_overrides`,
    text: `SELECT p.line, e.floor_overridden FROM (
        SELECT ${direction}_line AS line, entry_sequence FROM postings
        WHERE book_id = $1 AND ${direction}_account_id = $2 AND ${direction}_line < $3
        ORDER BY ${direction}_line DESC LIMIT $4
      ) p JOIN entries e ON e.book_id = $1 AND e.sequence = p.entry_sequence ORDER BY p.line DESC`,
    values: [bookId, page.accountId, page.before, page.limit],
  });
  const found = rows.some((row) => row.floor_overridden);
  return { found, before: rows.length < page.limit ? undefined : rows.at(-1)!.line };
}

/**
 * Finds out whether a step below the floor is of a hold that is open on an account. Asked only for accounts below their
 * floor whose entries do not explain it: of a hold that has ended, what was captured is in an entry and what was
 * released is available again. Reads a page of holds. Returns where the next page begins, or undefined at the end.
 * Indexes: holds_open_by_account, hold_steps_pkey.
 */
export async function findHoldBelowFloor(
  db: Queryable,
  bookId: BookId,
  page: { accountId: Uuid; after: Uuid | undefined; limit: number },
): Promise<{ found: boolean; after: Uuid | undefined }> {
  const { rows } = await db.query<{ id: string; below: boolean }>({
    name: 'verify.holds_below_floor',
    text: `SELECT h.id, EXISTS (
        SELECT FROM hold_steps s WHERE s.book_id = $1 AND s.hold_id = h.id AND s.floor_overridden
      ) AS below FROM (
        SELECT id FROM holds WHERE book_id = $1 AND account_id = $2 AND status = 'open'
          AND id > COALESCE($3::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $4
      ) h ORDER BY h.id`,
    values: [bookId, page.accountId, page.after ?? null, page.limit],
  });
  return { found: rows.some(({ below }) => below), after: rows.length < page.limit ? undefined : rows.at(-1)!.id };
}
