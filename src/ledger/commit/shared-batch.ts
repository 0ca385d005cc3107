/**
 * A shared batch: commands of several quiet books in one database transaction. Their rows are locked by a statement of
 * its own and loaded behind it, each book is decided over its own state and moment, and the changed rows of all books
 * are written by one statement a table. Only a log without statements over pairs (rows/table.ts) takes one for each book.
 *
 * One book does not affect another: a book that another transaction has locked is skipped, and a decision that throws fails
 * only its command. If a statement fails, nothing of the batch is committed, and the committer commits the books separately.
 */

import { snapshotOf } from '../../db/forms.ts';
import type { Transaction } from '../../db/pool.ts';
import { inPipelinedTransaction, type RoundTrips, SHARED } from '../../db/transaction.ts';
import { failpoint } from '../../process/failpoints.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';
import type { Command } from '../command/command.ts';
import { BookState } from '../command/state.ts';
import type { Table } from '../rows/table.ts';
import { type BatchContext, type BatchResult, decideAll, momentOf } from './batch.ts';
import { lockBooks } from './shared-book-store.ts';
import { loadShared, type SharedTouches, touchesOfBooks } from './shared-rows.ts';
import { writeStates } from './shared-writes.ts';
import { type BalanceWatch, touchesOfWatched } from './watch-balances.ts';

export interface BookCommands {
  readonly bookId: BookId;
  readonly commands: readonly Command<unknown>[];
}

export interface SharedBatch {
  /** In order of id where the batch waits for locks. */
  readonly books: readonly BookCommands[];
  /** Waits up to 200 ms for a book that another transaction has locked, instead of skipping it. */
  readonly wait: boolean;
}

export interface DecidedBook extends BatchResult {
  /** The batch that wrote the book before, and this one. */
  readonly after: Uuid;
  readonly batchId: Uuid;
}

export interface SharedResult {
  /** By book. A book is absent if it was locked or does not exist: none of its commands was carried out. */
  readonly decided: ReadonlyMap<BookId, DecidedBook>;
  /** From the answer of the lock to those of the writes. A smaller batch shortens it; COMMIT on a slow disk is not in it. */
  readonly heldMs: number;
}

/** Rejects when nothing is certain to be committed, with the database's error, or with BookMoved. */
export async function runSharedBatch(context: BatchContext, batch: SharedBatch): Promise<SharedResult> {
  const started = performance.now();
  let lockedAt = started;
  let writtenAt = started;
  const touches = touchesOfBooks(batch.books);
  const work = async (trx: Transaction, { begun, commitBehind }: RoundTrips) => {
    const states = await loadUnderLocks(trx, context, { batch, touches, locked: () => (lockedAt = performance.now()) });
    await begun;
    const decided = decideBooks(context, states, batch.books);
    failpoint('ledger.commit.before');
    if (states.size > 1) failpoint('ledger.shared.before');
    await writeStates(trx, context.sink, [...states.values()], commitBehind);
    writtenAt = performance.now();
    return decided;
  };
  const decided = await inPipelinedTransaction(context.pool, work, SHARED);
  failpoint('ledger.commit.after');
  context.observe?.({
    commands: [...decided.values()].reduce((sum, { decisions }) => sum + decisions.length, 0),
    ahead: false,
    shared: true,
    books: decided.size,
    skipped: batch.books.length - decided.size,
    lockWaitSeconds: (lockedAt - started) / 1000,
    commitSeconds: (performance.now() - started) / 1000,
  });
  return { decided, heldMs: writtenAt - lockedAt };
}

/** The loads travel behind the locks without waiting; those of a skipped book are discarded. */
async function loadUnderLocks(
  trx: Transaction,
  { sink, forms, watch }: BatchContext,
  { batch, touches, locked }: { batch: SharedBatch; touches: SharedTouches; locked: () => void },
): Promise<Map<BookId, BookState>> {
  const bookIds = batch.books.map(({ bookId }) => bookId);
  const locking = lockBooks(trx, bookIds, batch);
  const loading = Promise.all([sink.subscribersOf(trx, bookIds), loadShared(trx, touches)]);
  // Awaited only after the locks. Until then a rejection would count as unhandled.
  loading.catch(() => undefined);
  const books = await locking;
  locked();
  const [subscribers, tables] = await loading;
  const states = new Map<BookId, BookState>();
  for (const [bookId, book] of books) {
    const state = new BookState(book, subscribers.get(bookId) ?? [], snapshotOf(forms));
    for (const { table, ids, rows } of tables) {
      const own = ids.get(bookId);
      if (own) state.admit(table, own, rows.get(bookId) ?? NO_ROWS);
    }
    states.set(bookId, state);
  }
  await admitWatched(trx, watch, states);
  return states;
}

const NO_ROWS: ReadonlyMap<string, unknown> = new Map();

/** What is read of accounts with an alert, in all books at once. */
async function admitWatched(
  trx: Transaction,
  watch: BalanceWatch,
  states: ReadonlyMap<BookId, BookState>,
): Promise<void> {
  const missing = new Map<Table<unknown>, Map<BookId, readonly string[]>>();
  for (const [bookId, state] of states) {
    for (const [table, ids] of touchesOfWatched(watch, state) ?? []) {
      const own = state.missing(table, ids);
      if (own.length === 0) continue;
      const byBook = missing.get(table) ?? new Map<BookId, readonly string[]>();
      missing.set(table, byBook.set(bookId, own));
    }
  }
  if (missing.size === 0) return;
  for (const { table, ids, rows } of await loadShared(trx, missing))
    for (const [bookId, own] of ids) states.get(bookId)!.admit(table, own, rows.get(bookId) ?? NO_ROWS);
}

function decideBooks(
  { clock, watch }: BatchContext,
  states: ReadonlyMap<BookId, BookState>,
  books: readonly BookCommands[],
): Map<BookId, DecidedBook> {
  const decided = new Map<BookId, DecidedBook>();
  for (const { bookId, commands } of books) {
    const state = states.get(bookId);
    if (!state) continue;
    const { decisions, jobs } = decideAll(state, commands, { begun: momentOf(clock, state.book), watch });
    if (!state.isUnchanged) state.book = { ...state.book, batchId: newId() };
    decided.set(bookId, { decisions, jobs, after: state.after, batchId: state.book.batchId });
  }
  return decided;
}
