/** Options shared by loading and recording deliveries of several books (books-batch.ts). */
import type { BooksBatchOptions } from '../../fairness/books-batch.ts';
import type { Room } from '../../fairness/room.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { BookRow } from '../../ledger/rows/table.ts';

/**
 * `statements` decides whose turn it is. Each batch of several books gets a new name there, so that the room counts it
 * as a new book.
 */
export function batchTurns<Row, Answer>(
  statements: Room,
  slowMs?: number,
): Pick<BooksBatchOptions<Row, Answer>, 'inTurn' | 'slowMs'> {
  let shared = 0;
  return { slowMs, inTurn: (bookId, work) => statements.run(bookId ?? `shared ${++shared}`, work) };
}

/** The book of all rows; undefined if they belong to several. */
export function bookOf(rows: readonly BookRow<unknown>[]): BookId | undefined {
  const { bookId } = rows[0]!;
  return rows.every((row) => row.bookId === bookId) ? bookId : undefined;
}
