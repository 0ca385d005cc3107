/** Loads the rows that commands of several books touch: one query for each table. */
import type { Transaction } from '../../db/pool.ts';
import type { BookId } from '../book/book.ts';
import type { Command } from '../command/command.ts';
import { unionOfTouches } from '../command/state.ts';
import type { BookRow, Table, TablePairs } from '../rows/table.ts';

/** The ids that are touched, by table and book. */
export type SharedTouches = ReadonlyMap<Table<unknown>, ReadonlyMap<BookId, readonly string[]>>;

export interface SharedRows {
  readonly table: Table<unknown>;
  readonly ids: ReadonlyMap<BookId, readonly string[]>;
  /** The rows that exist. */
  readonly rows: ReadonlyMap<BookId, ReadonlyMap<string, unknown>>;
}

export function touchesOfBooks(
  books: readonly { readonly bookId: BookId; readonly commands: readonly Command<unknown>[] }[],
): SharedTouches {
  const shared = new Map<Table<unknown>, Map<BookId, readonly string[]>>();
  for (const { bookId, commands } of books) {
    for (const [table, ids] of unionOfTouches(commands.map(({ touches }) => touches))) {
      if (ids.length === 0) continue;
      let byBook = shared.get(table);
      if (!byBook) {
        byBook = new Map();
        shared.set(table, byBook);
      }
      byBook.set(bookId, ids);
    }
  }
  return shared;
}

/** Throws for a table that is not shared: such a command is never given to a shared batch. */
export function loadShared(trx: Transaction, touches: SharedTouches): Promise<SharedRows[]> {
  return Promise.all(
    [...touches].map(async ([table, ids]) => {
      const pairs = pairsOf(table);
      const keys: BookRow<string>[] = [];
      for (const [bookId, own] of ids) for (const row of own) keys.push({ bookId, row });
      const rows = new Map<BookId, Map<string, unknown>>();
      for (const { bookId, row } of await pairs.load(trx, keys)) {
        let ofBook = rows.get(bookId);
        if (!ofBook) {
          ofBook = new Map();
          rows.set(bookId, ofBook);
        }
        ofBook.set(pairs.idOf(row), row);
      }
      return { table, ids, rows };
    }),
  );
}

export function pairsOf<Row>({ name, pairs }: Table<Row>): TablePairs<Row> {
  if (!pairs) throw new Error(`The table ${name} is not shared by books`);
  return pairs;
}
