/** Reads pieces of a book: the row just before a window, and an account's newest line. */

import { plainArray } from '../db/columns.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookBounds } from '../group/check-context.ts';
import type { Account } from '../ledger/account/account.ts';
import { type AccountRow, accounts } from '../ledger/account/account-table.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { LineBefore } from './account-tally.ts';
import type { EventBefore } from './event-check.ts';
import type { Predecessor } from './journal-check.ts';
import type { StepRow } from './journal-check-store.ts';

/** Reads the length of a book, from one version of its row. Lines are not counted: that would read all accounts. */
export async function readHead(db: Queryable, bookId: BookId): Promise<BookBounds | undefined> {
  const { rows } = await db.query<{
    entry_sequence: bigint;
    event_sequence: bigint;
    chain_hash: Buffer;
    last_posted_at: Instant;
  }>({
    name: 'verify.head',
    text: 'SELECT entry_sequence, event_sequence, chain_hash, last_posted_at FROM books WHERE id = $1',
    values: [bookId],
  });
  const [row] = rows;
  return (
    row && {
      id: bookId,
      entrySequence: row.entry_sequence,
      eventSequence: row.event_sequence,
      chainHash: row.chain_hash.toString('hex'),
      lastPostedAt: row.last_posted_at,
      lines: 0n,
    }
  );
}

/** Index: entries_pkey. */
export async function readPredecessor(
  db: Queryable,
  bookId: BookId,
  sequence: bigint,
): Promise<Predecessor | undefined> {
  const { rows } = await db.query<{ sequence: bigint; hash: Buffer; posted_at: Instant }>({
    name: 'verify.predecessor',
    text: 'SELECT sequence, hash, posted_at FROM entries WHERE book_id = $1 AND sequence = $2',
    values: [bookId, sequence],
  });
  return rows[0] && { sequence: rows[0].sequence, hash: rows[0].hash.toString('hex'), postedAt: rows[0].posted_at };
}

/** Index: events_pkey. */
export async function readEventBefore(
  db: Queryable,
  bookId: BookId,
  sequence: bigint,
): Promise<EventBefore | undefined> {
  const { rows } = await db.query<{ sequence: bigint; created_at: Instant }>({
    name: 'verify.event_before',
    text: 'SELECT sequence, created_at FROM events WHERE book_id = $1 AND sequence = $2',
    values: [bookId, sequence],
  });
  return rows[0] && { sequence: rows[0].sequence, createdAt: rows[0].created_at };
}

export interface LinesBefore {
  readonly account: Pick<Account, 'id' | 'side' | 'currency'>;
  /** Undefined when the line does not exist. */
  readonly before: LineBefore | undefined;
}

/** Reads accounts, each with one of its lines. Indexes: accounts_pkey, the unique ones over (book, account, line). */
export async function readLinesBefore(
  db: Queryable,
  bookId: BookId,
  lines: readonly { accountId: Uuid; line: bigint }[],
): Promise<Map<Uuid, LinesBefore>> {
  const { rows } = await db.query<{
    id: Uuid;
    side: Account['side'];
    currency: string;
    line: bigint;
    balance: bigint | null;
    entry_sequence: bigint | null;
  }>({
    name: 'verify.lines_before',
    text: `SELECT a.id, a.side, a.currency, given.line, p.balance, p.entry_sequence
      FROM unnest($2::uuid[], $3::bigint[]) AS given (account_id, line)
      JOIN accounts a ON a.book_id = $1 AND a.id = given.account_id
      LEFT JOIN LATERAL (
        (SELECT debit_balance_after AS balance, entry_sequence FROM postings
          WHERE book_id = $1 AND debit_account_id = given.account_id AND debit_line = given.line LIMIT 1)
        UNION ALL
        (SELECT credit_balance_after, entry_sequence FROM postings
          WHERE book_id = $1 AND credit_account_id = given.account_id AND credit_line = given.line LIMIT 1)
        LIMIT 1
      ) p ON true`,
    values: [bookId, plainArray(lines.map(({ accountId }) => accountId)), plainArray(lines.map(({ line }) => line))],
  });
  return new Map(
    rows.map(({ balance, entry_sequence: entrySequence, line, ...account }) => [
      account.id,
      { account, before: balance === null || entrySequence === null ? undefined : { line, balance, entrySequence } },
    ]),
  );
}

/**
 * Finds steps of these entries that an earlier entry has booked too. Index: entries' (book, resource, step). OFFSET 0
 * keeps the order of joins, and the sum hides the sequence from the primary key: planned while the table is empty, either reads the book for each entry.
 */
export async function readStepsTwice(
  db: Queryable,
  bookId: BookId,
  range: { after: bigint; upTo: bigint },
): Promise<(StepRow & { earlier: bigint })[]> {
  const { rows } = await db.query<{ resource_id: Uuid; step: string; sequence: bigint; earlier: bigint }>({
    name: 'verify.steps_twice',
    text: `SELECT e.resource_id, e.step, e.sequence, o.sequence AS earlier
      FROM (SELECT resource_id, step, sequence FROM entries WHERE book_id = $1 AND sequence > $2 AND sequence <= $3 OFFSET 0) e
      CROSS JOIN LATERAL (SELECT sequence FROM entries
        WHERE book_id = $1 AND resource_id = e.resource_id AND step = e.step AND sequence + 0 < e.sequence OFFSET 0) o`,
    values: [bookId, range.after, range.upTo],
  });
  return rows.map((row) => ({
    resourceId: row.resource_id,
    step: row.step,
    sequence: row.sequence,
    earlier: row.earlier,
  }));
}

/** An account as its row has it and as its newest line has it, as of one moment. */
export interface AccountAndLine extends Account {
  readonly openHolds: bigint;
  readonly newest: { readonly line: bigint; readonly balance: bigint } | undefined;
}

type NewestRow = AccountRow & { open_holds: bigint; line: bigint | null; balance: bigint | null };

/**
 * Reads a page of accounts, ordered by id. Indexes: accounts_pkey, holds_open_by_account, postings' (book, account,
 * line).
 */
export function readNewestLines(
  db: Queryable,
  bookId: BookId,
  page: { after: Uuid; limit: number },
): Promise<AccountAndLine[]> {
  const text = withNewestLine('book_id = $1 AND id > $2 ORDER BY id LIMIT $3');
  return readAccountsAndLines(db, { name: 'verify.newest_lines', text, values: [bookId, page.after, page.limit] });
}

/** Reads accounts by id. Indexes: as above. */
export function readNewestLinesById(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<AccountAndLine[]> {
  const text = withNewestLine('book_id = $1 AND id = ANY ($2::uuid[])');
  return readAccountsAndLines(db, { name: 'verify.newest_lines_by_id', text, values: [bookId, plainArray(ids)] });
}

async function readAccountsAndLines(
  db: Queryable,
  statement: { name: string; text: string; values: unknown[] },
): Promise<AccountAndLine[]> {
  const { rows } = await db.query<NewestRow>(statement);
  return rows.map((row) => ({
    ...accounts.fromRow(row),
    openHolds: row.open_holds,
    newest: row.line === null ? undefined : { line: row.line, balance: row.balance! },
  }));
}

function withNewestLine(which: string): string {
  return `SELECT a.*, newest.line, newest.balance, (
      SELECT COALESCE(sum(h.remaining), 0) FROM holds h
      WHERE h.book_id = $1 AND h.account_id = a.id AND h.status = 'open'
    ) AS open_holds
    FROM (SELECT ${accounts.selected()} FROM accounts WHERE ${which}) a
    LEFT JOIN LATERAL (
      SELECT line, balance FROM (
        (SELECT debit_line AS line, debit_balance_after AS balance FROM postings
          WHERE book_id = $1 AND debit_account_id = a.id ORDER BY debit_line DESC LIMIT 1)
        UNION ALL
        (SELECT credit_line, credit_balance_after FROM postings
          WHERE book_id = $1 AND credit_account_id = a.id ORDER BY credit_line DESC LIMIT 1)
      ) sides ORDER BY line DESC LIMIT 1
    ) newest ON true
    ORDER BY a.id`;
}
