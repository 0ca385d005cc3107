/** Writes the changes of several books in one transaction: one statement for each table and log, with the rows of all books. */
import type { Transaction } from '../../db/pool.ts';
import type { BookId } from '../book/book.ts';
import type { BookState } from '../command/state.ts';
import { entries, entryTexts, events, postings } from '../journal/journal-tables.ts';
import type { BookRow, Log, Table } from '../rows/table.ts';
import type { EventSink } from './batch.ts';
import { sendWrites } from './send-writes.ts';
import { updateBooks } from './shared-book-store.ts';
import { pairsOf } from './shared-rows.ts';

/** Writes the states that have changed, and sends COMMIT behind. A state that was changed has a batch id of its own. */
export async function writeStates(
  trx: Transaction,
  sink: EventSink,
  states: readonly BookState[],
  commitBehind: () => void,
): Promise<void> {
  const changed = states.filter(({ after, book }) => book.batchId !== after);
  if (changed.length === 0) return;
  const writes = new SharedWrites();
  for (const state of changed) {
    const bookId = state.book.id;
    for (const { table, inserted, updated } of state.rowWrites()) writes.rows(bookId, table, { inserted, updated });
    for (const { log, rows } of state.logWrites()) writes.append(bookId, log, rows);
    writes.append(bookId, entries, state.entries);
    for (const { sequence, postings: own } of state.entries)
      writes.append(
        bookId,
        postings,
        own.map((posting) => ({ sequence, posting })),
      );
    writes.append(
      bookId,
      entryTexts,
      state.entries.filter(({ text }) => text !== null),
    );
    writes.append(bookId, events, state.events);
    writes.append(bookId, sink.deliveries, state.deliveries);
  }
  const books = changed.map(({ book, after }) => ({ book, after }));
  await sendWrites([updateBooks(trx, books), ...writes.send(trx)], commitBehind);
}

interface TableRows {
  readonly inserted: BookRow<unknown>[];
  readonly updated: BookRow<unknown>[];
}

class SharedWrites {
  readonly #tables = new Map<Table<unknown>, TableRows>();
  readonly #logs = new Map<Log<unknown>, BookRow<unknown>[]>();

  rows(
    bookId: BookId,
    table: Table<unknown>,
    { inserted, updated }: { inserted: readonly unknown[]; updated: readonly unknown[] },
  ): void {
    let rows = this.#tables.get(table);
    if (!rows) {
      rows = { inserted: [], updated: [] };
      this.#tables.set(table, rows);
    }
    for (const row of inserted) rows.inserted.push({ bookId, row });
    for (const row of updated) rows.updated.push({ bookId, row });
  }

  append<Row>(bookId: BookId, log: Log<Row>, rows: readonly Row[]): void {
    if (rows.length === 0) return;
    let all = this.#logs.get(log as Log<unknown>);
    if (!all) {
      all = [];
      this.#logs.set(log as Log<unknown>, all);
    }
    for (const row of rows) all.push({ bookId, row });
  }

  /** In write order. */
  send(trx: Transaction): Promise<void>[] {
    const writes: { order: number; send: () => Promise<void> }[] = [];
    for (const [table, { inserted, updated }] of this.#tables) {
      const order = table.writeOrder;
      if (inserted.length > 0) writes.push({ order, send: async () => pairsOf(table).insert(trx, inserted) });
      if (updated.length > 0) writes.push({ order, send: async () => pairsOf(table).update(trx, updated) });
    }
    for (const [log, rows] of this.#logs)
      writes.push({ order: log.writeOrder, send: () => appendRows(trx, log, rows) });
    writes.sort((a, b) => a.order - b.order);
    return writes.map(({ send }) => send());
  }
}

async function appendRows(trx: Transaction, log: Log<unknown>, rows: readonly BookRow<unknown>[]): Promise<void> {
  if (log.pairs) return log.pairs.append(trx, rows);
  const byBook = new Map<BookId, unknown[]>();
  for (const { bookId, row } of rows) {
    const own = byBook.get(bookId);
    if (own) own.push(row);
    else byBook.set(bookId, [row]);
  }
  await Promise.all([...byBook].map(([bookId, own]) => log.append(trx, bookId, own)));
}
