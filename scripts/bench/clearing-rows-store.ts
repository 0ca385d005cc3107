/**
 * The ceiling of a clearing file: the rows that taking it in has written, by bare INSERT (prepared-rows-store.ts), a commit for as many lines as a
 * command of the product takes.
 */
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import { type PreparedTable, prepareRows, type TableRows, writePrepared } from './prepared-rows-store.ts';

/** What the rows below refer to: there before the clock starts. */
const BEFORE: readonly TableRows[] = [
  { table: 'organisations', where: 'id = (SELECT organisation_id FROM books WHERE id = $1)', orderBy: 'id' },
  { table: 'books', where: 'id = $1', orderBy: 'id' },
  { table: 'accounts', where: 'book_id = $1', orderBy: 'id' },
  { table: 'cards', where: 'book_id = $1', orderBy: 'id' },
];

const FILE = `sha256 IN (SELECT f.sha256 FROM clearing_files f JOIN clearing_file_parts p ON p.book_id = f.book_id AND p.file_id = f.id
  WHERE p.of_book = $1)`;
const PARTS = 'book_id = $2 AND part_id IN (SELECT id FROM clearing_file_parts WHERE book_id = $2 AND of_book = $1)';
const POSTED = "book_id = $1 AND resource = 'transaction_message'";

/** What a file has written, in the order of its foreign keys. */
const WRITTEN: readonly TableRows[] = [
  { table: 'intake_files', where: `book_id = $2 AND ${FILE}`, orderBy: 'sha256' },
  { table: 'intake_file_parts', where: `book_id = $2 AND ${FILE}`, orderBy: 'place' },
  { table: 'clearing_files', where: `book_id = $2 AND ${FILE}`, orderBy: 'id' },
  { table: 'clearing_file_parts', where: 'book_id = $2 AND of_book = $1', orderBy: 'id' },
  { table: 'clearing_lines', where: PARTS, orderBy: 'place' },
  { table: 'clearing_intakes', where: 'book_id = $1', orderBy: 'id' },
  { table: 'transactions', where: 'book_id = $1', orderBy: 'begun_by' },
  { table: 'transaction_messages', where: 'book_id = $1', orderBy: 'id' },
  { table: 'entries', where: POSTED, orderBy: 'sequence' },
  {
    table: 'postings',
    where: `book_id = $1 AND entry_sequence IN (SELECT sequence FROM entries WHERE ${POSTED})`,
    orderBy: 'entry_sequence, ordinal',
  },
  { table: 'events', where: "book_id = $1 AND type LIKE 'transaction.%'", orderBy: 'sequence' },
  { table: 'idempotency_keys', where: "book_id = $1 AND key LIKE ' message %'", orderBy: 'created_at, key' },
];

/** The rows of the file that a book has taken, for `writePrepared`; what they refer to is copied. */
export async function prepareCeiling(
  pool: Pool,
  ceiling: Pool,
  { bookId, batches }: { bookId: BookId; batches: number },
): Promise<PreparedTable[]> {
  const { test } = await operatorBooks(pool);
  const prepare = (tables: readonly TableRows[], count: number) =>
    Promise.all(tables.map((table) => prepareRows(pool, table, { ids: [bookId, test], batches: count })));
  await writePrepared(ceiling, await prepare(BEFORE, 1), 1);
  return prepare(WRITTEN, batches);
}

/** The processor's references of all cards of a book. */
export async function cardReferences(pool: Pool, bookId: BookId): Promise<string[]> {
  const { rows } = await pool.query<{ reference: string }>(
    'SELECT card_reference AS reference FROM cards WHERE book_id = $1 ORDER BY id',
    [bookId],
  );
  return rows.map(({ reference }) => reference);
}
