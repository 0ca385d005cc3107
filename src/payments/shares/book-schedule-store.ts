/** Where the release schedule of a book is kept: a column of the book's row. Index: books_pkey. */
import { updateExactly } from '../../db/exactly.ts';
import { newestBook } from '../../db/newest.ts';
import type { Queryable, Transaction } from '../../db/pool.ts';
import type { Book, BookId } from '../../ledger/book/book.ts';
import { BOOK_COLUMNS, bookFromRow, type StoredBook } from '../../ledger/book/book-store.ts';
import { type Table, WRITE_ORDER } from '../../ledger/rows/table.ts';
import { toJson } from '../../values/json.ts';
import type { BookSchedule } from './book-schedule.ts';

/** The id of the only row of bookSchedules. */
export const SCHEDULE_ID = 'book';

/** A row where the book has a schedule of its own. The book's row is there either way, so its first schedule is an update as well. */
export const bookSchedules: Table<BookSchedule> = {
  name: 'book_schedules',
  writeOrder: WRITE_ORDER.resources,
  async load(trx, bookId) {
    const { rows } = await trx.query<{ release_schedule: BookSchedule | null }>({
      name: 'books.release_schedule',
      text: 'SELECT release_schedule FROM books WHERE id = $1',
      values: [bookId],
    });
    const own = rows[0]?.release_schedule;
    return new Map(own ? [[SCHEDULE_ID, own]] : []);
  },
  insert: write,
  update: write,
};

function write(trx: Transaction, bookId: BookId, [schedule]: readonly BookSchedule[]): Promise<void> {
  return updateExactly(trx, {
    name: 'books.set_release_schedule',
    text: 'UPDATE books SET release_schedule = $2 WHERE id = $1',
    values: [bookId, toJson(schedule)],
    rows: 1,
  });
}

/** The book, and the schedule of its own if it has one. Every answer of an acquirer about a capture reads it: one query. */
export async function loadBookWithSchedule(
  db: Queryable,
  bookId: BookId,
): Promise<{ book: Book; own: BookSchedule | undefined } | undefined> {
  const { rows } = await db.query<StoredBook & { release_schedule: BookSchedule | null }>({
    name: 'books.load_with_schedule',
    text: newestBook(`${BOOK_COLUMNS}, release_schedule`, '$1'),
    values: [bookId],
  });
  return rows[0] && { book: bookFromRow(rows[0]), own: rows[0].release_schedule ?? undefined };
}
