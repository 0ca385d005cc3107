/**
 * Loads rows for workers. Rows of any number of books that are requested in one turn of the event loop share a statement:
 * the parts of a job, and jobs that begin together. No load waits for a statement in progress, so a slow one delays no other.
 */
import type { Queryable } from '../../db/pool.ts';
import { classifyFailure } from '../../db/postgres-errors.ts';
import type { BookId } from '../book/book.ts';
import { pairKey } from './table.ts';
import type { DeclaredTable } from './table-of.ts';

interface Asked<Row> {
  readonly bookId: BookId;
  readonly ids: readonly string[];
  readonly resolve: (rows: Map<string, Row>) => void;
  readonly reject: (error: unknown) => void;
}

/** Rows in one statement: ten full jobs. */
const ROWS_MAX = 1_000;

export class RowLoads<Row> {
  readonly #db: Queryable;
  readonly #table: DeclaredTable<Row>;
  #asked: Asked<Row>[] = [];

  constructor(db: Queryable, table: DeclaredTable<Row>) {
    this.#db = db;
    this.#table = table;
  }

  /** The rows of a book by id. Ids without a row are absent. Rejects with the errors of the statement. */
  load(bookId: BookId, ids: readonly string[]): Promise<Map<string, Row>> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ bookId, ids, resolve, reject });
      if (this.#asked.length === 1) setImmediate(() => this.#answerAll());
    });
  }

  #answerAll(): void {
    const asked = this.#asked;
    this.#asked = [];
    for (let at = 0; at < asked.length; ) {
      const from = at;
      for (let rows = 0; at < asked.length && (at === from || rows + asked[at]!.ids.length <= ROWS_MAX); at++)
        rows += asked[at]!.ids.length;
      void this.#answer(asked.slice(from, at));
    }
  }

  async #answer(asked: readonly Asked<Row>[]): Promise<void> {
    try {
      const found = await this.#find(asked);
      for (const { bookId, ids, resolve } of asked) {
        const rows = new Map<string, Row>();
        for (const id of ids) {
          const row = found.get(pairKey(bookId, id));
          if (row) rows.set(id, row);
        }
        resolve(rows);
      }
    } catch (error) {
      // Postgres refuses the ids of one request: the others are loaded without it.
      if (asked.length > 1 && classifyFailure(error) === 'refused') for (const one of asked) void this.#answer([one]);
      else for (const { reject } of asked) reject(error);
    }
  }

  /** Rows of one book are loaded by the statement for one book, which has a better plan. */
  async #find(asked: readonly Asked<Row>[]): Promise<Map<string, Row>> {
    const found = new Map<string, Row>();
    const { bookId } = asked[0]!;
    if (asked.every((one) => one.bookId === bookId)) {
      const ids = asked.length === 1 ? asked[0]!.ids : [...new Set(asked.flatMap((one) => one.ids))];
      for (const [id, row] of await this.#table.load(this.#db, bookId, ids)) found.set(pairKey(bookId, id), row);
      return found;
    }
    const keys = new Map(
      asked.flatMap((one) => one.ids.map((id) => [pairKey(one.bookId, id), { bookId: one.bookId, row: id }])),
    );
    for (const { bookId: ofBook, row } of await this.#table.pairs.load(this.#db, [...keys.values()]))
      found.set(pairKey(ofBook, this.#table.idOf(row)), row);
    return found;
  }
}
