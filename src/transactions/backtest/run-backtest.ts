/**
 * Back-tests controls: folds past decisions as they would have come out under them. Nothing is written. Balances, cards, tokens, other
 * controls and the decision endpoint stay as they were decided then.
 *
 * Counters begin with the longest window that a limit has, so purchases before `from` are read too. All that is read is kept in compact
 * steps and folded in the order of events: about 600 bytes a transaction. The process gives way to other requests every few milliseconds.
 */
import { windowStartsOf } from '../../calendar/counting-windows.ts';
import { startOfDay } from '../../calendar/day.ts';
import type { ControlsContent } from '../../cards/controls/controls-content.ts';
import type { Program } from '../../cards/program/program.ts';
import { programInForce, programs } from '../../cards/program/program-table.ts';
import type { ListReads } from '../../db/list-reads.ts';
import type { Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import { Turns } from '../../fairness/turns.ts';
import type { Book, BookId } from '../../ledger/book/book.ts';
import { bookTime } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Instant } from '../../values/clock.ts';
import { BEFORE_ALL_IDS, firstIdAt } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import {
  countPast,
  type PastList,
  type PastRange,
  type ReadPurchase,
  ROWS_PER_QUERY,
  readCardsOfLine,
  readPastMessages,
  readPastPurchases,
} from './backtest-store.ts';
import { Fold, type Folded, type TestedControls } from './fold.ts';
import { type PastStep, type Reading, stepsOf } from './past-purchase.ts';

/** Transactions that one back-test folds, those that only fill its counters included. Published at GET /v1/limits. */
export const BACKTEST_TRANSACTIONS_MAX = 100_000;
/** Their messages. Most purchases have two. */
const MESSAGES_MAX = 500_000;
/** 100,000 transactions take some ten seconds of one core. */
const TIMEOUT_MS = 60_000;
/** A process has one core for requests: two leave it to the others every few milliseconds. */
const AT_ONCE = { places: 2, placesOfOne: 1, waitingOfOne: 1, waitMs: 2_000 };
/** Between the id of a message and its commit, clocks of several processes included. */
const CLOCKS_DIFFER_MS = 300_000;
const DAY_MS = 86_400_000;

export interface BacktestInput {
  readonly bookId: BookId;
  readonly controls: TestedControls;
  readonly from: Instant;
  readonly to: Instant;
  /** Of the book: later events are left out. Undefined: all there are. */
  readonly asOfSequence: bigint | undefined;
  readonly wall: Instant;
}

export interface Backtested extends Folded {
  readonly asOfSequence: bigint;
}

/** Throws ApiError `limit_exceeded` for more than is folded at once, and `service_unavailable` where others are being folded. */
export async function runBacktest(lists: ListReads, input: BacktestInput): Promise<Backtested> {
  const turns = turnsOf(lists);
  if (!(await turns.take(input.bookId))) throw busy();
  try {
    return await backtest(lists, input);
  } finally {
    turns.give(input.bookId);
  }
}

function turnsOf(lists: ListReads): Turns {
  const known = ofLists.get(lists);
  if (known !== undefined) return known;
  const turns = new Turns(AT_ONCE);
  ofLists.set(lists, turns);
  return turns;
}
const ofLists = new WeakMap<ListReads, Turns>();

async function backtest(lists: ListReads, input: BacktestInput): Promise<Backtested> {
  const { bookId, controls, from, to } = input;
  const read = <Result>(work: (db: Queryable) => Promise<Result>) => lists.read(bookId, work, NARROW);
  const { book, program, cards } = await read(async (db) => {
    const found = await loadBook(db, bookId);
    return {
      book: found!,
      program: programInForce(await programs.find(db, bookId, bookId), found!),
      cards: controls.scope === 'card' ? await readCardsOfLine(db, bookId, controls.subjectId) : undefined,
    };
  });
  const asOfSequence = sequenceOf(input, book);
  const { timeZone } = program;
  const range = rangeOf(input, { book, program });
  const all = cards ? cards.cardIds.map((cardId): PastList => ({ cardId })) : [listOf(controls)];
  await requireFew(all, (list) => read((db) => countPast(db, bookId, { list, range, atMost: BEYOND_MAX })));

  const fold = new Fold({ controls, timeZone, from, to });
  const reading: Reading = { program, replaced: { scope: controls.scope, isLocked: cards?.isLocked ?? false } };
  const pauses = new Pauses();
  const steps: { running: ReturnType<Fold['begin']>; step: PastStep }[] = [];
  for (const list of all)
    for await (const page of pagesOf(range, (rest) =>
      read((db) => readPastPurchases(db, bookId, { list, range: rest })),
    ))
      for (const some of inQueries(page)) {
        const ids = some.map(({ id }) => id);
        const messages = await read((db) => readPastMessages(db, bookId, { ids, through: asOfSequence }));
        for (const purchase of some) {
          let running: ReturnType<Fold['begin']> | undefined;
          for (const step of stepsOf(purchase, messages.get(purchase.id) ?? [], reading)) {
            await pauses.giveWay();
            if (step === undefined) continue;
            running ??= fold.begin(purchase, step);
            steps.push({ running, step });
          }
        }
      }
  steps.sort((one, other) => one.step.eventSequence - other.step.eventSequence);
  for (const { running, step } of steps) {
    await pauses.giveWay();
    fold.take(running, step);
  }
  return { asOfSequence, ...fold.finish() };
}

const NARROW = 'Narrow `from` and `to`.';

function listOf({ scope, subjectId }: TestedControls): PastList {
  return scope === 'account' ? { accountId: subjectId } : 'book';
}

/** Throws ApiError for an event that has not happened. */
function sequenceOf({ asOfSequence }: BacktestInput, { eventSequence }: Book): bigint {
  if (asOfSequence === undefined || asOfSequence <= eventSequence) return asOfSequence ?? eventSequence;
  throw new ApiError('parameter_invalid', {
    param: '/as_of_sequence',
    detail: `The book has had ${eventSequence} events.`,
  });
}

/**
 * Purchases that have changed since the counters begin, and began before the end. Ids of messages have the time of the world; a test book's
 * own is ahead of it by what its clock was advanced. What expired before counts no more.
 */
function rangeOf(
  { controls, from, to, wall }: BacktestInput,
  { book, program }: { book: Book; program: Program },
): PastRange {
  const changedFrom = countingFrom(controls.content, from, program.timeZone);
  const ahead = bookTime(book, wall) - wall;
  const lastsMs = Math.max(...Object.values(program.expiryDays)) * DAY_MS;
  const after = changedFrom === null ? null : changedFrom - ahead - lastsMs - CLOCKS_DIFFER_MS;
  return {
    begunBy: [after === null ? BEFORE_ALL_IDS : firstIdAt(after), firstIdAt(to + CLOCKS_DIFFER_MS)],
    changedFrom,
    begunBefore: to,
  };
}

/** The beginning of the longest window around `from` in which a limit counts. Null: the first purchase. */
function countingFrom({ limits }: ControlsContent, from: Instant, timeZone: string): Instant | null {
  const starts = windowStartsOf(from, timeZone);
  let first = from;
  for (const { window } of limits) {
    if (window === 'all_time') return null;
    if (window === 'authorization') continue;
    first = Math.min(first, startOfDay(starts[window], timeZone));
  }
  // No book is older than UTC counts from.
  return first < 0 ? null : first;
}

const BEYOND_MAX = BACKTEST_TRANSACTIONS_MAX + 1;

async function requireFew(
  all: readonly PastList[],
  count: (list: PastList) => Promise<{ transactions: number; messages: number }>,
): Promise<void> {
  let [transactions, messages] = [0, 0];
  for (const list of all) {
    const counted = await count(list);
    transactions += counted.transactions;
    messages += counted.messages;
    if (transactions > BACKTEST_TRANSACTIONS_MAX) throw tooMany('transactions', BACKTEST_TRANSACTIONS_MAX);
    if (messages > MESSAGES_MAX) throw tooMany('messages of transactions', MESSAGES_MAX);
  }
}

function tooMany(what: string, limit: number): ApiError {
  return new ApiError('limit_exceeded', {
    detail: `A back-test folds ${limit.toLocaleString('en')} ${what} at most, those that its longest window counts before \`from\` included. ${NARROW}`,
    facts: { limit: BigInt(limit) },
  });
}

async function* pagesOf(
  range: PastRange,
  read: (rest: PastRange) => Promise<ReadPurchase[]>,
): AsyncGenerator<readonly ReadPurchase[]> {
  let [after, before] = range.begunBy;
  for (;;) {
    const page = await read({ ...range, begunBy: [after, before] });
    yield page;
    if (page.length < ROWS_PER_QUERY) return;
    after = further('purchases of a back-test', after, page.at(-1)!.begunBy);
  }
}

/** Purchases whose messages one query reads. */
function* inQueries(page: readonly ReadPurchase[]): Generator<readonly ReadPurchase[]> {
  let some: ReadPurchase[] = [];
  let rows = 0;
  for (const purchase of page) {
    if (rows > 0 && rows + purchase.messages > ROWS_PER_QUERY) {
      yield some;
      [some, rows] = [[], 0];
    }
    some.push(purchase);
    rows += purchase.messages;
  }
  if (some.length > 0) yield some;
}

/** Gives way to other requests of the process. Throws ApiError `service_unavailable` once the time is over. */
class Pauses {
  readonly #until = performance.now() + TIMEOUT_MS;
  #since = performance.now();

  async giveWay(): Promise<void> {
    const now = performance.now();
    if (now - this.#since < EVERY_MS) return;
    if (now > this.#until)
      throw new ApiError('service_unavailable', {
        detail: `This could not be folded within ${TIMEOUT_MS / 1_000} s. ${NARROW}`,
        headers: { 'Retry-After': '1' },
      });
    await new Promise(setImmediate);
    this.#since = performance.now();
  }
}
/** As long as a batch of the committer takes. */
const EVERY_MS = 5;

function busy(): ApiError {
  return new ApiError('service_unavailable', {
    detail: 'Other back-tests are running. A book has one at a time.',
    headers: { 'Retry-After': '2' },
  });
}
