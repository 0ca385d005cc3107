/**
 * One batch: the commands that gathered for a book, in one database transaction of five steps. Lock the book, load the
 * union of the rows that the commands touch, decide in order of arrival, write each changed row once, commit.
 *
 * A batch takes two round trips: the lock travels with the loads, COMMIT with the writes. A batch that waited for the
 * lock adds the commands that arrived meanwhile, at the price of a third round trip. A batch that follows another
 * of this process is decided before it has the lock, over the state that the other batch leaves, while that one is
 * being written.
 */

import { type LedgerForms, snapshotOf } from '../../db/forms.ts';
import type { Pool, Transaction } from '../../db/pool.ts';
import { inPipelinedTransaction, OF_ONE_BOOK, type RoundTrips, SHARED } from '../../db/transaction.ts';
import { ApiError } from '../../errors/errors.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Clock, Moment } from '../../values/clock.ts';
import { newId } from '../../values/ids.ts';
import { type Book, type BookId, bookTime } from '../book/book.ts';
import { loadBook, lockBook, updateBook } from '../book/book-store.ts';
import type { Command, JobRow } from '../command/command.ts';
import { BookState, unionOfTouches } from '../command/state.ts';
import type { Delivery, Subscriber } from '../events/event.ts';
import { appendEntries, events } from '../journal/journal-tables.ts';
import { type Log, type Table, WRITE_ORDER } from '../rows/table.ts';
import { sendWrites } from './send-writes.ts';
import { type BalanceWatch, touchesOfWatched, withLowBalances } from './watch-balances.ts';

/** The subscribers of a book's events. Read under the lock, so that an event and its deliveries agree. */
export interface EventSink {
  subscribers(trx: Transaction, bookId: BookId): Promise<readonly Subscriber[]>;
  /** The same for several books. A book without subscribers may be absent. */
  subscribersOf(trx: Transaction, bookIds: readonly BookId[]): Promise<ReadonlyMap<BookId, readonly Subscriber[]>>;
  /** The tables that determine the subscribers. */
  readonly endpoints: readonly Table<unknown>[];
  readonly deliveries: Log<Delivery>;
}

export interface ObservedBatch {
  commands: number;
  /** Whether the batch was decided while the previous one was still committing. */
  ahead: boolean;
  /** Whether it was a shared batch, even if all its books but one were skipped. */
  shared: boolean;
  books: number;
  /** Books that the batch skipped, because another transaction had locked them. */
  skipped: number;
  lockWaitSeconds: number;
  commitSeconds: number;
}

export interface BatchContext {
  pool: Pool;
  clock: Clock;
  sink: EventSink;
  /** Which stored forms may be written. */
  forms: LedgerForms;
  /** Emits an event when little is left of an account. */
  watch: BalanceWatch;
  /** Called after each commit. Times are in seconds: the wait for the book's lock, and the whole batch. */
  observe?: (batch: ObservedBatch) => void;
}

/** The result of one command of a batch: its answer, or the exception that its decision threw. */
export type Decision = { answer: unknown } | { error: unknown };

export interface BatchResult {
  decisions: Decision[];
  jobs: JobRow[];
}

export interface Batch {
  readonly bookId: BookId;
  readonly commands: readonly Command<unknown>[];
  /**
   * The state that the previous batch leaves, whose commit is outstanding. This batch is decided over that state without
   * waiting, and fails with BookMoved if that state is not committed. Only where mayFollow allows it.
   */
  follows?: BookState;
  /** Called once, when the batch holds a lock that it waited for. Returns the commands that arrived meanwhile. */
  join?: () => readonly Command<unknown>[];
  /** Called once the lock is held and the writes have been sent, with the state that the batch leaves. */
  onDecided?: (state: BookState) => void;
  /** Uses the short time limits of a shared batch instead of the role's. */
  shortLimits?: boolean;
  /** Called once all rows are written and COMMIT has been sent: the next batch may begin to wait for the lock. */
  onCommitting?: () => void;
}

/** A free lock is granted sooner. Commands that arrive in less time wait for the next batch, which saves a round trip. */
const WORTH_JOINING_MS = 3;

/** Resolves with a decision for each command; the commands that joined come last. */
export async function runBatch(context: BatchContext, batch: Batch): Promise<BatchResult> {
  const started = performance.now();
  let lockWaitSeconds = 0;
  const waited = () => {
    lockWaitSeconds = (performance.now() - started) / 1000;
  };
  const locked = () => {
    waited();
    return lockWaitSeconds * 1000 >= WORTH_JOINING_MS ? (batch.join?.() ?? []) : [];
  };
  const work = async (trx: Transaction, { begun, commitBehind }: RoundTrips) => {
    const { state, commands } = batch.follows
      ? await loadBehind(trx, context, batch.follows, batch)
      : await loadUnderLock(trx, context, batch, locked);
    await begun;
    const decided = decideAll(state, commands, { begun: momentOf(context.clock, state.book), watch: context.watch });
    failpoint('ledger.commit.before');
    // A batch that was decided ahead takes its lock only now. Lock, writes and COMMIT travel together, so a busy
    // process does not lengthen the time for which the book is locked.
    const lock = batch.follows ? lockBook(trx, batch.bookId).then(waited) : undefined;
    const written = writeState(trx, context.sink, state, { guarded: batch.follows !== undefined, commitBehind });
    // The next batch must not ask for the lock before this batch holds it.
    await Promise.race([lock, written]);
    batch.onDecided?.(state);
    await written;
    batch.onCommitting?.();
    return decided;
  };
  const result = await inPipelinedTransaction(context.pool, work, batch.shortLimits ? SHARED : OF_ONE_BOOK);
  failpoint('ledger.commit.after');
  context.observe?.({
    commands: result.decisions.length,
    ahead: batch.follows !== undefined,
    shared: false,
    books: 1,
    skipped: 0,
    lockWaitSeconds,
    commitSeconds: (performance.now() - started) / 1000,
  });
  return result;
}

/**
 * Whether commands can be decided over the state that a batch leaves. Not where a command reads a derived table, nor
 * where that batch changed the subscribers: both are right only when read under the lock.
 */
export function mayFollow(sink: EventSink, before: BookState, commands: readonly Command<unknown>[]): boolean {
  return (
    !sink.endpoints.some((table) => before.changes(table)) &&
    commands.every(({ touches }) => touches.every(({ table, ids }) => !table.derived || ids.length === 0))
  );
}

interface Loaded {
  state: BookState;
  commands: readonly Command<unknown>[];
}

async function loadUnderLock(
  trx: Transaction,
  context: BatchContext,
  { bookId, commands }: Batch,
  locked: () => readonly Command<unknown>[],
): Promise<Loaded> {
  const book = lockBook(trx, bookId);
  const loading = loadState(trx, context, { bookId, book, commands });
  // Awaited only after the lock. Until then a rejection would count as unhandled.
  loading.catch(() => undefined);
  await book;
  const joined = locked();
  const joining = joined.length === 0 ? [] : loadTouched(trx, bookId, touchedBy(joined));
  const [state, more] = await Promise.all([loading, Promise.all(joining)]);
  for (const rows of more) state.admit(rows.table, rows.ids, rows.rows);
  if (more.length > 0) await loadWatched(trx, context, state);
  return { state, commands: [...commands, ...joined] };
}

/**
 * Loads before the lock. Rows that the previous batch does not touch stay as they are until this batch's turn; if
 * another process writes the book in between, updateBook throws BookMoved.
 */
async function loadBehind(
  trx: Transaction,
  context: BatchContext,
  before: BookState,
  { commands }: Batch,
): Promise<Loaded> {
  const touched = touchedBy(commands);
  const state = BookState.behind(before, touched);
  await loadMissing(trx, state, touched);
  await loadWatched(trx, context, state, before);
  return { state, commands };
}

/** What is read of accounts with an alert: a round trip more where there are any, and nothing otherwise. */
async function loadWatched(
  trx: Transaction,
  { watch }: BatchContext,
  state: BookState,
  before?: BookState,
): Promise<void> {
  const touched = touchesOfWatched(watch, state);
  if (touched === undefined) return;
  if (before) state.inherit(before, touched);
  await loadMissing(trx, state, touched);
}

async function loadMissing(
  trx: Transaction,
  state: BookState,
  touched: ReadonlyMap<Table<unknown>, readonly string[]>,
): Promise<void> {
  const missing = new Map([...touched].map(([table, ids]) => [table, state.missing(table, ids)]));
  for (const rows of await Promise.all(loadTouched(trx, state.book.id, missing)))
    state.admit(rows.table, rows.ids, rows.rows);
}

/**
 * Decides commands over the current state of the book, each as if it were alone, without a write or a lock: the answers of dry runs. In the
 * order of the commands.
 */
export async function previewCommands(
  context: BatchContext,
  bookId: BookId,
  commands: readonly Command<unknown>[],
): Promise<Decision[]> {
  const load = (trx: Transaction) => loadState(trx, context, { bookId, book: loadBook(trx, bookId), commands });
  const state = await inPipelinedTransaction(context.pool, load, OF_ONE_BOOK);
  const moment = momentOf(context.clock, state.book);
  return commands.map((command) => {
    try {
      return { answer: command.decide(state, moment).answer };
    } catch (error) {
      return { error };
    }
  });
}

/** The time of a batch's decisions. A book's time never runs backwards, whatever its writers' clocks read. */
export function momentOf(clock: Clock, book: Book): Moment {
  const wall = Math.floor(clock.now());
  return { book: bookTime(book, wall), wall };
}

interface Load {
  bookId: BookId;
  book: Promise<Book | undefined>;
  commands: readonly Command<unknown>[];
}

/** The loads travel behind the lock without waiting. Postgres runs them in order, each with its own snapshot. */
async function loadState(trx: Transaction, context: BatchContext, load: Load): Promise<BookState> {
  const { sink, forms } = context;
  const [book, subscribers, ...tables] = await Promise.all([
    load.book,
    sink.subscribers(trx, load.bookId),
    ...loadTouched(trx, load.bookId, touchedBy(load.commands)),
  ]);
  if (!book) throw new ApiError('resource_not_found', { detail: `There is no book ${load.bookId}.` });
  const state = new BookState(book, subscribers, snapshotOf(forms));
  for (const { table, ids, rows } of tables) state.admit(table, ids, rows);
  await loadWatched(trx, context, state);
  return state;
}

interface LoadedRows {
  table: Table<unknown>;
  ids: readonly string[];
  rows: Map<string, unknown>;
}

function touchedBy(commands: readonly Command<unknown>[]): Map<Table<unknown>, readonly string[]> {
  return unionOfTouches(commands.map((command) => command.touches));
}

/** One query a table. Commands that join may load a row again: under the lock it is the same row. */
function loadTouched(
  trx: Transaction,
  bookId: BookId,
  touched: ReadonlyMap<Table<unknown>, readonly string[]>,
): Promise<LoadedRows>[] {
  return [...touched]
    .filter(([, ids]) => ids.length > 0)
    .map(async ([table, ids]) => ({ table, ids, rows: await table.load(trx, bookId, ids) }));
}

export function decideAll(
  state: BookState,
  commands: readonly Command<unknown>[],
  { begun, watch }: { readonly begun: Moment; readonly watch: BalanceWatch },
): BatchResult {
  const jobs: JobRow[] = [];
  let moment = begun;
  const decisions = commands.map((command): Decision => {
    try {
      const outcome = withLowBalances(watch, { state, command, moment, outcome: command.decide(state, moment) });
      const { clockAt } = state.book;
      for (const job of state.apply(outcome)) jobs.push(command.behind === undefined ? job : { ...job, behind: true });
      // The command moved the book's clock: the batch's next one is decided later.
      if (state.book.clockAt !== clockAt) moment = { book: bookTime(state.book, moment.wall), wall: moment.wall };
      return { answer: outcome.answer };
    } catch (error) {
      return { error };
    }
  });
  return { decisions, jobs };
}

async function writeState(
  trx: Transaction,
  sink: EventSink,
  state: BookState,
  { guarded, commitBehind }: { guarded: boolean; commitBehind: () => void },
): Promise<void> {
  // A batch that was decided ahead writes the book even when nothing has changed: the write checks that the state it
  // was decided over was committed.
  if (state.isUnchanged && !guarded) return;
  state.book = { ...state.book, batchId: newId() };
  const bookId = state.book.id;
  const writes: { order: number; send: () => Promise<void> }[] = [];
  for (const { table, inserted, updated } of state.rowWrites()) {
    if (inserted.length > 0) writes.push({ order: table.writeOrder, send: () => table.insert(trx, bookId, inserted) });
    if (updated.length > 0) writes.push({ order: table.writeOrder, send: () => table.update(trx, bookId, updated) });
  }
  for (const { log, rows } of state.logWrites())
    writes.push({ order: log.writeOrder, send: () => log.append(trx, bookId, rows) });
  if (state.entries.length > 0)
    writes.push({ order: WRITE_ORDER.entries, send: () => appendEntries(trx, bookId, state.entries) });
  if (state.events.length > 0)
    writes.push({ order: WRITE_ORDER.events, send: () => events.append(trx, bookId, state.events) });
  if (state.deliveries.length > 0) {
    writes.push({
      order: sink.deliveries.writeOrder,
      send: () => sink.deliveries.append(trx, bookId, state.deliveries),
    });
  }
  writes.sort((a, b) => a.order - b.order);
  await sendWrites(
    [updateBook(trx, state.book, { after: state.after }), ...writes.map(({ send }) => send())],
    commitBehind,
  );
}
