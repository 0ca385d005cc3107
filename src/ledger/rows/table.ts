/**
 * How the committer reads and writes rows of any kind. The ledger's nouns and those of every group implement these
 * interfaces. The rows of a Table are loaded, changed and saved; a Log is only appended to.
 *
 * COMMIT travels behind the writes. So a write sends all its statements before it waits for an answer, and a change
 * that must not be committed makes a statement fail in the server.
 */
import type { Queryable, Transaction } from '../../db/pool.ts';
import type { BookId } from '../book/book.ts';
import type { JudgedTexts } from './judged-texts.ts';

export interface Table<Row> {
  readonly name: string;
  /** Tables are written in ascending order, so that a row exists before another row refers to it. */
  readonly writeOrder: number;
  /** The rows are computed from other tables (a count, a list): they change without being written here. */
  readonly derived?: true;
  /** One query for all ids of a batch. Ids without a row are absent from the result. */
  load(trx: Transaction, bookId: BookId, ids: readonly string[]): Promise<Map<string, Row>>;
  /** One statement for inserts, one for updates. `update` throws RowCountMismatch when a row was not written. */
  insert(trx: Transaction, bookId: BookId, rows: readonly Row[]): Promise<void>;
  update(trx: Transaction, bookId: BookId, rows: readonly Row[]): Promise<void>;
  /** Omitted where the rows have no text of anybody's. */
  readonly texts?: JudgedTexts<Row>;
  /** Omitted: a command that touches the table is never in a shared batch. */
  readonly pairs?: TablePairs<Row>;
}

export interface Log<Row> {
  readonly name: string;
  readonly writeOrder: number;
  append(trx: Transaction, bookId: BookId, rows: readonly Row[]): Promise<void>;
  readonly texts?: JudgedTexts<Row>;
  /** Omitted: rows of several books are appended by one statement for each book. */
  readonly pairs?: LogPairs<Row>;
}

/** A row, or the key of one, and its book. */
export interface BookRow<Row> {
  readonly bookId: BookId;
  readonly row: Row;
}

/** The key of a row in a Map over several books. */
export function pairKey(bookId: BookId, id: string): string {
  return `${bookId} ${id}`;
}

/** The statements of a table over rows of several books, for shared batches. Otherwise as those of Table. */
export interface TablePairs<Row> {
  /** The value of the key column. */
  idOf(row: Row): string;
  load(db: Queryable, keys: readonly BookRow<string>[]): Promise<BookRow<Row>[]>;
  insert(trx: Transaction, rows: readonly BookRow<Row>[]): Promise<void>;
  update(trx: Transaction, rows: readonly BookRow<Row>[]): Promise<void>;
}

export interface LogPairs<Row> {
  append(trx: Transaction, rows: readonly BookRow<Row>[]): Promise<void>;
}

/** Foreign keys point from higher numbers to lower ones. */
export const WRITE_ORDER = {
  accounts: 10,
  holds: 20,
  holdSteps: 21,
  entries: 30,
  postings: 31,
  resources: 40,
  resourceChildren: 41,
  events: 50,
  deliveries: 51,
  idempotencyKeys: 60,
  /** Behind all others: a change of a key locks what every change of a key locks. */
  keys: 70,
} as const;
