import type { Instant } from '../clock.ts';
import type { Queryable, Transaction } from '../db/pool.ts';
import { RowCountMismatch } from '../db/postgres-errors.ts';
import type { Book, BookId, Mode } from './book.ts';

interface BookRow {
  id: string;
  mode: Mode;
  time_zone: string;
  entry_sequence: bigint;
  event_sequence: bigint;
  chain_hash: Buffer;
  last_posted_at: Instant;
}

const COLUMNS = 'id, mode, time_zone, entry_sequence, event_sequence, chain_hash, last_posted_at';

/**
 * Locks the book for this transaction and reads it. A statement of its own: what follows takes its snapshot after the
 * lock is held and sees the last commit whole. NO KEY UPDATE, since foreign keys to the book must not wait for it.
 */
export async function lockBook(trx: Transaction, bookId: BookId): Promise<Book | undefined> {
  const { rows } = await trx.query<BookRow>({
    name: 'books.lock',
    text: `SELECT ${COLUMNS} FROM books WHERE id = $1 FOR NO KEY UPDATE`,
    values: [bookId],
  });
  return rows[0] && bookFromRow(rows[0]);
}

export async function loadBook(db: Queryable, bookId: BookId): Promise<Book | undefined> {
  const { rows } = await db.query<BookRow>({
    name: 'books.load',
    text: `SELECT ${COLUMNS} FROM books WHERE id = $1`,
    values: [bookId],
  });
  return rows[0] && bookFromRow(rows[0]);
}

export async function updateBook(trx: Transaction, book: Book): Promise<void> {
  const { rowCount } = await trx.query({
    name: 'books.update',
    text: 'UPDATE books SET entry_sequence = $2, event_sequence = $3, chain_hash = $4, last_posted_at = $5 WHERE id = $1',
    values: [book.id, book.entrySequence, book.eventSequence, book.chainHash, new Date(book.lastPostedAt)],
  });
  if (rowCount !== 1) throw new RowCountMismatch({ statement: 'books.update', expected: 1, actual: rowCount });
}

function bookFromRow(row: BookRow): Book {
  return {
    id: row.id,
    mode: row.mode,
    timeZone: row.time_zone,
    entrySequence: row.entry_sequence,
    eventSequence: row.event_sequence,
    chainHash: row.chain_hash,
    lastPostedAt: row.last_posted_at,
  };
}
