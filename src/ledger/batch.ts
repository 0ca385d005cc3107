/**
 * One batch: the commands that gathered for a book, carried out in one database transaction of five steps. Lock the
 * book, load the union of what they touch, decide in order of arrival, write each changed row once, commit.
 * Two round trips: the lock travels with the loads, COMMIT with the writes. Where the lock had to be waited for, what came
 * meanwhile joins the batch, at the price of a third. A batch that follows another in this process is decided before it has
 * the lock, over what the other leaves behind, while that one is written.
 */
import type { Clock, Instant } from '../clock.ts';
import type { Pool, Transaction } from '../db/pool.ts';
import { BEGIN_WITH_KEPT_PLANS, inPipelinedTransaction, inTransaction, type RoundTrips } from '../db/transaction.ts';
import { ApiError } from '../errors.ts';
import { failpoint } from '../failpoints.ts';
import { newId } from '../ids.ts';
import type { Book, BookId } from './book.ts';
import { loadBook, lockBook, updateBook } from './book-store.ts';
import type { Command, JobRow } from './command.ts';
import type { Delivery, Subscriber } from './event.ts';
import { appendEntries, appendEvents } from './journal-store.ts';
import { BookState, unionOfTouches } from './state.ts';
import { type Log, type Table, WRITE_ORDER } from './table.ts';

/** To whom events are delivered: read inside the lock, so that an event and its deliveries agree. */
export interface EventSink {
  subscribers(trx: Transaction, bookId: BookId): Promise<readonly Subscriber[]>;
  /** What the subscribers follow from. */
  readonly endpoints: readonly Table<unknown>[];
  readonly deliveries: Log<Delivery>;
}

export interface ObservedBatch {
  commands: number;
  /** Decided while the batch before it was still committing. */
  ahead: boolean;
  lockWaitSeconds: number;
  commitSeconds: number;
}

export interface BatchContext {
  pool: Pool;
  clock: Clock;
  sink: EventSink;
  /** Told of each commit: how long the book's lock was waited for and how long all of it took, in seconds. */
  observe?: (batch: ObservedBatch) => void;
}

/** What became of one command of a batch: its answer, or the exception of its own decision. */
export type Decision = { answer: unknown } | { error: unknown };

export interface BatchResult {
  decisions: Decision[];
  jobs: JobRow[];
}

export interface Batch {
  readonly bookId: BookId;
  readonly commands: readonly Command<unknown>[];
  /**
   * What the batch before this one leaves behind, its commit still under way: this one is decided over it without waiting,
   * and fails with BookMoved when that is not what came to be. Only where mayFollow says so.
   */
  follows?: BookState;
  /** Asked once, when a lock that had to be waited for is held: commands that came meanwhile. Decided after the others. */
  join?: () => readonly Command<unknown>[];
  /** Told when the lock is held and all is decided and on its way to the database: what the batch leaves behind. */
  onDecided?: (state: BookState) => void;
  /** Told when all is written and the commit is under way: the book's next batch may begin to wait for the lock. */
  onCommitting?: () => void;
}

/** A lock that is free is answered sooner: what came in that time goes into the next batch and saves the round trip. */
const WORTH_JOINING_MS = 3;

/** Resolves with a decision for each command, those that joined last. */
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
      ? await loadBehind(trx, batch.follows, batch)
      : await loadUnderLock(trx, context.sink, batch, locked);
    await begun;
    const decided = decideAll(state, commands, momentOf(context.clock, state.book));
    failpoint('ledger.commit.before');
    // One that was decided ahead comes to its lock only now. Lock, writes and COMMIT travel together: how busy this process
    // is does not lengthen the time for which the book is locked.
    const lock = batch.follows ? lockBook(trx, batch.bookId).then(waited) : undefined;
    const written = writeState(trx, context.sink, state, { guarded: batch.follows !== undefined, commitBehind });
    // The next one's lock must not be asked for before this one's is held.
    await Promise.race([lock, written]);
    batch.onDecided?.(state);
    await written;
    batch.onCommitting?.();
    return decided;
  };
  const result = await inPipelinedTransaction(context.pool, work, { begin: BEGIN_WITH_KEPT_PLANS });
  failpoint('ledger.commit.after');
  context.observe?.({
    commands: result.decisions.length,
    ahead: batch.follows !== undefined,
    lockWaitSeconds,
    commitSeconds: (performance.now() - started) / 1000,
  });
  return result;
}

/**
 * Whether commands can be decided over what a batch leaves behind: not where they read what only follows from rows, nor
 * where the batch changed to whom events go. Both are right only when they are read under the lock.
 */
export function mayFollow(sink: EventSink, before: BookState, commands: readonly Command<unknown>[]): boolean {
  return (
    !sink.endpoints.some((table) => before.changes(table)) &&
    commands.every(({ touches }) => touches.every(({ table }) => !table.derived))
  );
}

interface Loaded {
  state: BookState;
  commands: readonly Command<unknown>[];
}

async function loadUnderLock(
  trx: Transaction,
  sink: EventSink,
  { bookId, commands }: Batch,
  locked: () => readonly Command<unknown>[],
): Promise<Loaded> {
  const book = lockBook(trx, bookId);
  const loading = loadState(trx, sink, { bookId, book, commands });
  // Its failure is the lock's own; until the lock is there nobody waits for it.
  loading.catch(() => undefined);
  await book;
  const joined = locked();
  const joining = joined.length === 0 ? [] : loadTouched(trx, bookId, touchedBy(joined));
  const [state, more] = await Promise.all([loading, Promise.all(joining)]);
  for (const rows of more) state.admit(rows.table, rows.ids, rows.rows);
  return { state, commands: [...commands, ...joined] };
}

/** Before the lock: what the batch before does not touch stays as it is until this one's turn. */
async function loadBehind(trx: Transaction, before: BookState, { bookId, commands }: Batch): Promise<Loaded> {
  const touched = touchedBy(commands);
  const state = BookState.behind(before, touched);
  const missing = new Map([...touched].map(([table, ids]) => [table, state.missing(table, ids)]));
  for (const rows of await Promise.all(loadTouched(trx, bookId, missing))) state.admit(rows.table, rows.ids, rows.rows);
  return { state, commands };
}

/** Decides one command over the book as it is now, writes nothing and takes no lock: the answer of a dry run. */
export async function previewCommand<Answer>(
  context: BatchContext,
  bookId: BookId,
  command: Command<Answer>,
): Promise<Answer> {
  return inTransaction(context.pool, async (trx) => {
    const state = await loadState(trx, context.sink, { bookId, book: loadBook(trx, bookId), commands: [command] });
    return command.decide(state, momentOf(context.clock, state.book)).answer;
  });
}

/** A book's time never runs backwards, whatever the clocks of its writers say. */
export function momentOf(clock: Clock, book: Book): Instant {
  return Math.max(Math.floor(clock.now()), book.lastPostedAt);
}

interface Load {
  bookId: BookId;
  book: Promise<Book | undefined>;
  commands: readonly Command<unknown>[];
}

/** Sent behind the lock without waiting for it; Postgres runs them in order, each with a snapshot of its own. */
async function loadState(trx: Transaction, sink: EventSink, load: Load): Promise<BookState> {
  const [book, subscribers, ...tables] = await Promise.all([
    load.book,
    sink.subscribers(trx, load.bookId),
    ...loadTouched(trx, load.bookId, touchedBy(load.commands)),
  ]);
  if (!book) throw new ApiError('resource_not_found', { detail: `There is no book ${load.bookId}` });
  const state = new BookState(book, subscribers);
  for (const { table, ids, rows } of tables) state.admit(table, ids, rows);
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

/** One query a table. A row that is loaded twice in a batch is the same both times. */
function loadTouched(
  trx: Transaction,
  bookId: BookId,
  touched: ReadonlyMap<Table<unknown>, readonly string[]>,
): Promise<LoadedRows>[] {
  return [...touched]
    .filter(([, ids]) => ids.length > 0)
    .map(async ([table, ids]) => ({ table, ids, rows: await table.load(trx, bookId, ids) }));
}

export function decideAll(state: BookState, commands: readonly Command<unknown>[], moment: Instant): BatchResult {
  const jobs: JobRow[] = [];
  const decisions = commands.map((command): Decision => {
    try {
      const outcome = command.decide(state, moment);
      jobs.push(...state.apply(outcome));
      return { answer: outcome.answer };
    } catch (error) {
      return { error };
    }
  });
  return { decisions, jobs };
}

/**
 * Sends what changed, and COMMIT behind it unless a statement could not even be made: a table refuses the change, or a value
 * cannot be written down. Such a failure is there before the turn's statements leave, and the server would not know of it.
 */
async function writeState(
  trx: Transaction,
  sink: EventSink,
  state: BookState,
  { guarded, commitBehind }: { guarded: boolean; commitBehind: () => void },
): Promise<void> {
  // One that only answers still has to know that what it was decided over came to be.
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
    writes.push({ order: WRITE_ORDER.events, send: () => appendEvents(trx, bookId, state.events) });
  if (state.deliveries.length > 0) {
    writes.push({
      order: sink.deliveries.writeOrder,
      send: () => sink.deliveries.append(trx, bookId, state.deliveries),
    });
  }
  writes.sort((a, b) => a.order - b.order);
  const sent = [updateBook(trx, state.book, { after: state.after }), ...writes.map(({ send }) => send())];
  let whole = true;
  for (const statement of sent) {
    statement.catch(() => {
      whole = false;
    });
  }
  await new Promise<void>((resolve) => process.nextTick(resolve));
  if (whole) commitBehind();
  // After one that fails all others fail for that alone: the first says why.
  const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}
