import { updateExactly } from '../../db/exactly.ts';
import { newestBook } from '../../db/newest.ts';
import type { Queryable, Transaction } from '../../db/pool.ts';
import { RowCountMismatch } from '../../db/postgres-errors.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Book, BookId, Mode } from './book.ts';

export interface StoredBook {
  id: string;
  mode: Mode;
  time_zone: string;
  entry_sequence: bigint;
  event_sequence: bigint;
  chain_hash: Buffer;
  last_posted_at: Instant;
  batch_id: string;
  clock_offset_ms: bigint;
  clock_target: Instant | null;
  clock_at: Instant | null;
  closed_through: string | null;
}

export const BOOK_COLUMNS =
  'id, mode, time_zone, entry_sequence, event_sequence, chain_hash, last_posted_at, batch_id, clock_offset_ms, clock_target, clock_at, closed_through';
const LOAD = newestBook(BOOK_COLUMNS, '$1');

/**
 * Locks the book's row for this transaction and reads it. A statement of its own: later statements take their snapshots
 * after the lock is held, and see the last commit whole. NO KEY UPDATE, so that foreign keys to the book do not wait
 * for the lock.
 */
export async function lockBook(trx: Transaction, bookId: BookId): Promise<Book | undefined> {
  const { rows } = await trx.query<StoredBook>({
    name: 'books.lock',
    text: `${LOAD} FOR NO KEY UPDATE`,
    values: [bookId],
  });
  return rows[0] && bookFromRow(rows[0]);
}

export async function loadBook(db: Queryable, bookId: BookId): Promise<Book | undefined> {
  const { rows } = await db.query<StoredBook>({
    name: 'books.load',
    text: LOAD,
    values: [bookId],
  });
  return rows[0] && bookFromRow(rows[0]);
}

/**
 * Writes the book as a batch leaves it. Throws BookMoved when the batch it was decided over did not write the book
 * last: another process has, or that batch was rolled back. Only under the lock, as a statement of its own.
 */
export async function updateBook(trx: Transaction, book: Book, { after }: { after: Uuid }): Promise<void> {
  try {
    await updateExactly(trx, {
      name: 'books.update',
      text: `UPDATE books SET entry_sequence = $2, event_sequence = $3, chain_hash = $4, last_posted_at = $5, batch_id = $6,
          clock_offset_ms = $8, clock_target = $9, clock_at = $10, closed_through = $11, time_zone = $12
        WHERE ctid = (${newestBook('ctid', '$1')}) AND batch_id = $7`,
      values: [
        book.id,
        book.entrySequence,
        book.eventSequence,
        Buffer.from(book.chainHash, 'hex'),
        new Date(book.lastPostedAt),
        book.batchId,
        after,
        book.clockOffsetMs,
        book.clockTarget === null ? null : new Date(book.clockTarget),
        book.clockAt === null ? null : new Date(book.clockAt),
        book.closedThrough,
        book.timeZone,
      ],
      rows: 1,
    });
  } catch (error) {
    throw error instanceof RowCountMismatch ? new BookMoved(book.id) : error;
  }
}

/**
 * The book is not in the state over which the batch was decided. Nothing of the batch is kept, and its commands are
 * decided again.
 */
export class BookMoved extends Error {
  override name = 'BookMoved';
  constructor(book: string) {
    super(`Book ${book} was written by another batch`);
  }
}

export function bookFromRow(row: StoredBook): Book {
  return {
    id: row.id,
    mode: row.mode,
    timeZone: row.time_zone,
    entrySequence: row.entry_sequence,
    eventSequence: row.event_sequence,
    chainHash: row.chain_hash.toString('hex'),
    lastPostedAt: row.last_posted_at,
    closedThrough: row.closed_through,
    clockOffsetMs: Number(row.clock_offset_ms),
    clockTarget: row.clock_target,
    clockAt: row.clock_at,
    batchId: row.batch_id,
  };
}
