/**
 * One batch: the commands that gathered for a book, carried out in one database transaction of five steps. Lock the
 * book, load the union of what they touch, decide in order of arrival, write each changed row once, commit.
 * Three round trips: the lock travels with the loads, the writes travel together, then COMMIT. Where the lock had to be
 * waited for, what came meanwhile joins the batch, at the price of a fourth.
 */
import type { Clock, Instant } from '../clock.ts';
import type { Pool, Transaction } from '../db/pool.ts';
import { BEGIN_WITH_HASH_JOINS, inTransaction } from '../db/transaction.ts';
import { ApiError } from '../errors.ts';
import { failpoint } from '../failpoints.ts';
import type { Book, BookId } from './book.ts';
import { loadBook, lockBook, updateBook } from './book-store.ts';
import type { Command, Ring } from './command.ts';
import type { Delivery, Subscriber } from './event.ts';
import { appendEntries, appendEvents } from './journal-store.ts';
import { BookState, unionOfTouches } from './state.ts';
import type { Log, Table } from './table.ts';

/** To whom events are delivered: read inside the lock, so that an event and its deliveries agree. */
export interface EventSink {
  subscribers(trx: Transaction, bookId: BookId): Promise<readonly Subscriber[]>;
  readonly deliveries: Log<Delivery>;
}

export interface BatchContext {
  pool: Pool;
  clock: Clock;
  sink: EventSink;
  /** Told how long the book's lock was waited for and how long the whole commit took, in seconds. */
  observe?: (batch: { commands: number; lockWaitSeconds: number; commitSeconds: number }) => void;
}

/** What became of one command of a batch: its answer, or the exception of its own decision. */
export type Decision = { answer: unknown } | { error: unknown };

export interface BatchResult {
  decisions: Decision[];
  rings: Ring[];
}

export interface Batch {
  readonly bookId: BookId;
  readonly commands: readonly Command<unknown>[];
  /** Asked once, when a lock that had to be waited for is held: commands that came meanwhile. Decided after the others. */
  join?: () => readonly Command<unknown>[];
  /** Told when all is written and only the commit is left: the book's next batch may begin to wait for the lock. */
  onCommitting?: () => void;
}

/** A lock that is free is answered sooner: what came in that time goes into the next batch and saves the round trip. */
const WORTH_JOINING_MS = 3;

/** Resolves with a decision for each command, those that joined last. */
export async function runBatch(
  context: BatchContext,
  { bookId, commands, join, onCommitting }: Batch,
): Promise<BatchResult> {
  const started = performance.now();
  let lockWaitSeconds = 0;
  const work = async (trx: Transaction) => {
    const book = lockBook(trx, bookId);
    const loading = loadState(trx, context.sink, { bookId, book, commands });
    // Its failure is the lock's own; until the lock is there nobody waits for it.
    loading.catch(() => undefined);
    await book;
    const lockWaitMs = performance.now() - started;
    lockWaitSeconds = lockWaitMs / 1000;
    const joined = lockWaitMs < WORTH_JOINING_MS ? [] : (join?.() ?? []);
    const joining = joined.length === 0 ? [] : loadTouched(trx, bookId, joined);
    const [state, more] = await Promise.all([loading, Promise.all(joining)]);
    for (const rows of more) state.admit(rows.table, rows.ids, rows.rows);
    const decided = decideAll(state, [...commands, ...joined], momentOf(context.clock, state.book));
    await writeState(trx, context.sink, state);
    failpoint('ledger.commit.before');
    onCommitting?.();
    return decided;
  };
  const result = await inTransaction(context.pool, work, { begin: BEGIN_WITH_HASH_JOINS });
  failpoint('ledger.commit.after');
  context.observe?.({
    commands: result.decisions.length,
    lockWaitSeconds,
    commitSeconds: (performance.now() - started) / 1000,
  });
  return result;
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
    ...loadTouched(trx, load.bookId, load.commands),
  ]);
  if (!book) throw new ApiError('resource_not_found', { detail: `There is no book ${load.bookId}` });
  const state = new BookState(book, subscribers);
  for (const { table, ids, rows } of tables) state.admit(table, ids, rows);
  return state;
}

interface LoadedRows {
  table: Table<unknown>;
  ids: ReadonlySet<string>;
  rows: Map<string, unknown>;
}

/** The union of what commands touch, one query a table. A row that is loaded twice in a batch is the same both times. */
function loadTouched(trx: Transaction, bookId: BookId, commands: readonly Command<unknown>[]): Promise<LoadedRows>[] {
  const union = unionOfTouches(commands.map((command) => command.touches));
  return [...union].map(async ([table, ids]) => ({ table, ids, rows: await table.load(trx, bookId, [...ids]) }));
}

export function decideAll(state: BookState, commands: readonly Command<unknown>[], moment: Instant): BatchResult {
  const rings: Ring[] = [];
  const decisions = commands.map((command): Decision => {
    try {
      const outcome = command.decide(state, moment);
      rings.push(...state.apply(outcome));
      return { answer: outcome.answer };
    } catch (error) {
      return { error };
    }
  });
  return { decisions, rings };
}

async function writeState(trx: Transaction, sink: EventSink, state: BookState): Promise<void> {
  if (state.isUnchanged) return;
  const bookId = state.book.id;
  const writes: { order: number; send: () => Promise<void> }[] = [];
  for (const { table, inserted, updated } of state.rowWrites()) {
    if (inserted.length > 0) writes.push({ order: table.writeOrder, send: () => table.insert(trx, bookId, inserted) });
    if (updated.length > 0) writes.push({ order: table.writeOrder, send: () => table.update(trx, bookId, updated) });
  }
  for (const { log, rows } of state.logWrites())
    writes.push({ order: log.writeOrder, send: () => log.append(trx, bookId, rows) });
  if (state.entries.length > 0) writes.push({ order: 30, send: () => appendEntries(trx, bookId, state.entries) });
  if (state.events.length > 0) writes.push({ order: 50, send: () => appendEvents(trx, bookId, state.events) });
  if (state.deliveries.length > 0) {
    writes.push({
      order: sink.deliveries.writeOrder,
      send: () => sink.deliveries.append(trx, bookId, state.deliveries),
    });
  }
  writes.sort((a, b) => a.order - b.order);
  await Promise.all([updateBook(trx, state.book), ...writes.map(({ send }) => send())]);
}
