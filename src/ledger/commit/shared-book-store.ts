/** The statements of book/book-store.ts over several books, for shared batches. */
import { plainArray } from '../../db/columns.ts';
import { arrayOf, column, encodeColumn } from '../../db/declared-columns.ts';
import { updateExactly } from '../../db/exactly.ts';
import { newestBook } from '../../db/newest.ts';
import type { Transaction } from '../../db/pool.ts';
import { RowCountMismatch } from '../../db/postgres-errors.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Book, BookId } from '../book/book.ts';
import { BOOK_COLUMNS, BookMoved, bookFromRow, type StoredBook } from '../book/book-store.ts';

const LOCK = `${newestBook(BOOK_COLUMNS, 'wanted.id')} FOR NO KEY UPDATE`;

/**
 * Locks the rows of books in the order given, and reads them. A statement of its own, as lockBook. A book that another
 * transaction holds is absent, or waited for with `wait`: then every process must name its books in order of id.
 */
export async function lockBooks(
  trx: Transaction,
  bookIds: readonly BookId[],
  { wait }: { wait: boolean },
): Promise<Map<BookId, Book>> {
  const { rows } = await trx.query<StoredBook>({
    name: wait ? 'books.lock_all' : 'books.lock_free',
    text: `SELECT locked.* FROM unnest($1::uuid[]) AS wanted (id), LATERAL (${LOCK}${wait ? '' : ' SKIP LOCKED'}) AS locked`,
    values: [plainArray(bookIds)],
  });
  return new Map(rows.map((row) => [row.id, bookFromRow(row)]));
}

/** A book as a batch leaves it, and the batch over whose state this one was decided. */
export interface BookWrite {
  readonly book: Book;
  readonly after: Uuid;
}

const COLUMNS = [
  column<BookWrite>('id', 'uuid', ({ book }) => book.id),
  column<BookWrite>('after', 'uuid', ({ after }) => after),
  column<BookWrite>('entry_sequence', 'bigint', ({ book }) => book.entrySequence),
  column<BookWrite>('event_sequence', 'bigint', ({ book }) => book.eventSequence),
  column<BookWrite>('chain_hash', 'hex', ({ book }) => book.chainHash),
  column<BookWrite>('last_posted_at', 'timestamptz', ({ book }) => book.lastPostedAt),
  column<BookWrite>('batch_id', 'uuid', ({ book }) => book.batchId),
  column<BookWrite>('clock_offset_ms', 'bigint', ({ book }) => book.clockOffsetMs),
  column<BookWrite>('clock_target', 'timestamptz', ({ book }) => book.clockTarget),
  column<BookWrite>('clock_at', 'timestamptz', ({ book }) => book.clockAt),
  column<BookWrite>('closed_through', 'code', ({ book }) => book.closedThrough),
  column<BookWrite>('time_zone', 'code', ({ book }) => book.timeZone),
];
const [, , ...SET] = COLUMNS;
const VALUES = COLUMNS.map(({ name, type }, index) => `unnest(${arrayOf(type, `$${index + 1}`)}) AS ${name}`).join(
  ', ',
);
const UPDATE = `UPDATE books SET ${SET.map(({ name }) => `${name} = v.${name}`).join(', ')} FROM (SELECT ${VALUES}) AS v
  WHERE books.id = v.id AND books.batch_id = v.after AND books.ctid = ANY (ARRAY(
    SELECT (${newestBook('ctid', 'wanted.id')}) FROM unnest($1::uuid[]) AS wanted (id)))`;

/** Writes books as updateBook does. Throws BookMoved if another batch has written one of them since it was read. */
export async function updateBooks(trx: Transaction, writes: readonly BookWrite[]): Promise<void> {
  try {
    await updateExactly(trx, {
      name: 'books.update_all',
      text: UPDATE,
      values: COLUMNS.map((one) => encodeColumn(one, writes)),
      rows: writes.length,
    });
  } catch (error) {
    throw error instanceof RowCountMismatch ? new BookMoved(`of ${writes.length} that share a batch`) : error;
  }
}
