/**
 * How the committer reads and writes rows it knows nothing about. The ledger's own nouns and those of every group
 * register here: a Table has rows that are loaded, changed and saved; a Log is only ever appended to.
 *
 * COMMIT travels behind the writes: they send all their statements before they wait for an answer, and what must not be
 * committed makes a statement fail in the server.
 */
import type { Transaction } from '../db/pool.ts';
import type { BookId } from './book.ts';

export interface Table<Row> {
  readonly name: string;
  /** Tables are written in ascending order, so that a row exists before another row refers to it. */
  readonly writeOrder: number;
  /** Its rows follow from those of other tables (a count, a list): they change without being written. */
  readonly derived?: true;
  /** One query for all ids of a batch. Rows that do not exist are simply absent. */
  load(trx: Transaction, bookId: BookId, ids: readonly string[]): Promise<Map<string, Row>>;
  /** One statement a kind of write. Throws RowCountMismatch when a row was not written. */
  insert(trx: Transaction, bookId: BookId, rows: readonly Row[]): Promise<void>;
  update(trx: Transaction, bookId: BookId, rows: readonly Row[]): Promise<void>;
}

export interface Log<Row> {
  readonly name: string;
  readonly writeOrder: number;
  append(trx: Transaction, bookId: BookId, rows: readonly Row[]): Promise<void>;
}

/** Foreign keys point from higher to lower. */
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
} as const;
