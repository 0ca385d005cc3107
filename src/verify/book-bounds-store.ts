import type { Queryable } from '../db/pool.ts';
import type { BookBounds } from '../group/check-context.ts';
import type { BookId } from '../ledger/book/book.ts';

interface BoundsRow {
  id: string;
  entry_sequence: bigint;
  event_sequence: bigint;
  chain_hash: Buffer;
  last_posted_at: number;
  lines: bigint;
}

/** Reads a page of book ids, in order. Index: books_pkey. */
export async function readBookIds(
  db: Queryable,
  page: { after: BookId | undefined; limit: number },
): Promise<BookId[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'verify.books',
    text: "SELECT id FROM books WHERE id > COALESCE($1::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $2",
    values: [page.after ?? null, page.limit],
  });
  return rows.map(({ id }) => id);
}

/** Reads one version of the book's row, so its sequences and its hash belong together. */
export async function readBounds(db: Queryable, bookId: BookId): Promise<BookBounds | undefined> {
  const { rows } = await db.query<BoundsRow>({
    name: 'verify.bounds',
    text: `SELECT id, entry_sequence, event_sequence, chain_hash, last_posted_at,
        (SELECT COALESCE(sum(lines), 0) FROM accounts WHERE book_id = books.id) AS lines
      FROM books WHERE id = $1`,
    values: [bookId],
  });
  const [row] = rows;
  return (
    row && {
      id: row.id,
      entrySequence: row.entry_sequence,
      eventSequence: row.event_sequence,
      chainHash: row.chain_hash.toString('hex'),
      lastPostedAt: row.last_posted_at,
      lines: row.lines,
    }
  );
}

/** Counts the entries, lines and events to check, for a progress bar. Reads books and accounts, not the journal. */
export async function countRows(db: Queryable, bookId: BookId | undefined): Promise<{ books: bigint; rows: bigint }> {
  const { rows } = await db.query<{ books: bigint; rows: bigint }>({
    name: 'verify.count',
    text: `SELECT count(*) AS books, COALESCE(sum(b.entry_sequence + b.event_sequence), 0) +
        (SELECT COALESCE(sum(lines), 0) FROM accounts WHERE $1::uuid IS NULL OR book_id = $1) AS rows
      FROM books b WHERE $1::uuid IS NULL OR b.id = $1`,
    values: [bookId ?? null],
  });
  return rows[0]!;
}

/** Reads the heads in the book's row and the last rows that exist, in one statement and so as of one moment. */
export async function readBeyondHeads(
  db: Queryable,
  bookId: BookId,
): Promise<{ entrySequence: bigint; lastEntry: bigint; eventSequence: bigint; lastEvent: bigint }> {
  const { rows } = await db.query<{
    entry_sequence: bigint;
    last_entry: bigint;
    event_sequence: bigint;
    last_event: bigint;
  }>({
    name: 'verify.beyond',
    text: `SELECT entry_sequence, event_sequence,
        COALESCE((SELECT max(sequence) FROM entries WHERE book_id = books.id), 0) AS last_entry,
        COALESCE((SELECT max(sequence) FROM events WHERE book_id = books.id), 0) AS last_event
      FROM books WHERE id = $1`,
    values: [bookId],
  });
  const row = rows[0]!;
  return {
    entrySequence: row.entry_sequence,
    lastEntry: row.last_entry,
    eventSequence: row.event_sequence,
    lastEvent: row.last_event,
  };
}

/**
 * Sums both sides of all accounts by currency, in one statement and so as of one moment. Postings are not read: the
 * account check compares each account with its own postings. Index: accounts_by_code.
 */
export async function sumAccounts(
  db: Queryable,
  bookId: BookId,
): Promise<{ currency: string; debits: bigint; credits: bigint }[]> {
  const { rows } = await db.query<{ currency: string; debits: bigint; credits: bigint }>({
    name: 'verify.sums',
    text: `SELECT currency, sum(posted_debits) AS debits, sum(posted_credits) AS credits
      FROM accounts WHERE book_id = $1 GROUP BY currency ORDER BY currency`,
    values: [bookId],
  });
  return rows;
}
