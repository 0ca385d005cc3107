/**
 * Verifies what came since an entry or a moment: the entries and events, and the accounts, rows of groups and holds that
 * they touch. This costs as much as has come since then, not as much as there ever was. Other rows of these kinds are not
 * checked. Book totals, orphan rows and overdue rows are checked as they are now.
 */

import type { Pool } from '../db/pool.ts';
import type { CheckContext } from '../group/check-context.ts';
import type { RowCheck } from '../group/row-check.ts';
import type { BookId } from '../ledger/book.ts';
import type { Clock, Instant } from '../values/clock.ts';
import { checkAccounts } from './account-window.ts';
import { readBookIds } from './book-bounds-store.ts';
import { bookCheck } from './book-check.ts';
import { accountsOf, checkEntryWindow } from './entry-window.ts';
import { checkEventWindow } from './event-window.ts';
import { checkHold } from './hold-check.ts';
import { readHoldsById } from './hold-check-store.ts';
import { checkOrphanBooks, orphanCheck } from './orphan-check.ts';
import { checkOverdue } from './overdue-check.ts';
import { readAhead } from './read-ahead.ts';
import { whereReadable } from './readable.ts';
import type { Since } from './since.ts';
import { rowChecksOf, tiedCodes } from './tied-rows.ts';
import { NoSuchBook, type VerifyOptions, type VerifyResult } from './verify-database.ts';
import { readEventBefore, readHead, readNewestLinesById, readPredecessor } from './window-store.ts';

const WINDOW = 1_000n;
const BOOKS_PAGE = 1_000;

/** Reports findings as they come up. Throws NoSuchBook, and the database's own errors. */
export async function verifySince(
  pool: Pool,
  { groups, since, clock, bookId, onFinding, onMissing, onProgress }: VerifyOptions & { since: Since; clock: Clock },
): Promise<VerifyResult> {
  const result = { books: 0, entries: 0n, lines: 0n, events: 0n, findings: 0 };
  const resources = groups.flatMap((group) => group.resources);
  const tied = tiedCodes(groups);
  const checks = groups.flatMap(rowChecksOf);
  const children = new Set<string>(resources.filter(({ parent }) => parent !== null).map(({ name }) => name));
  const eventChecks = groups.flatMap((group) => group.eventChecks ?? []);
  const report: VerifyOptions['onFinding'] = (finding) => {
    result.findings++;
    onFinding(finding);
  };
  for await (const id of bookId ? [bookId] : allBooks(pool)) {
    const book = await readHead(pool, id);
    if (!book) throw new NoSuchBook(`There is no book ${id}`);
    let done = 0n;
    let total = 0n;
    const context: CheckContext = {
      pool,
      book,
      resources,
      tied,
      report: (finding) => report({ ...finding, book: id }),
      advance(rows) {
        done += BigInt(rows);
        onProgress?.({ total, done: done < total ? done : total, book: id, check: 'entries and events' });
      },
    };
    const after = await placesBefore(context, since);
    total = book.entrySequence - after.entry + book.eventSequence - after.event;
    result.books++;
    for (const window of windows(after.entry, book.entrySequence)) {
      await whereReadable(context, named('entries', window), async () => {
        const entries = await checkEntryWindow(context, window);
        const touched = await readNewestLinesById(pool, id, accountsOf(entries));
        await checkAccounts({ ...context, advance: () => undefined }, touched);
        // Events are about the parent: a child that is booked is found by its entry.
        const booked = entries.filter(({ resource }) => children.has(resource)).map(({ resourceId }) => resourceId);
        if (booked.length > 0) for (const check of checks) await checkRows(context, check, booked);
        result.entries += BigInt(entries.length);
        result.lines += entries.reduce((sum, { postings }) => sum + 2n * BigInt(postings.length), 0n);
      });
    }
    for (const window of windows(after.event, book.eventSequence)) {
      await whereReadable(context, named('events', window), async () => {
        const events = await checkEventWindow(context, window, eventChecks);
        const objects = [...new Set(events.map(({ objectId }) => objectId))];
        for (const check of checks) await checkRows(context, check, objects);
        result.events += BigInt(events.length);
      });
    }
    await bookCheck.run(context);
    await orphanCheck.run(context);
  }
  if (!bookId) await checkOrphanBooks(pool, { resources, report });
  await checkOverdue(pool, { groups, now: clock.now(), bookId, report, missing: onMissing });
  return result;
}

function named(rows: string, { after, upTo }: { after: bigint; upTo: bigint }): string {
  return `${rows} ${after + 1n} to ${upTo}`;
}

/** Every change that is checked here emits an event, and holds change with the row that made them. */
async function checkRows(context: CheckContext, rows: RowCheck, ids: readonly string[]): Promise<void> {
  const { pool, book, resources } = context;
  const found = (await rows.readByIds?.(context, ids)) ?? [];
  for (const row of found) rows.check(context, row);
  const holdIds = found.flatMap((row) => rows.holdsOf?.(row) ?? []);
  if (holdIds.length === 0) return;
  for (const hold of await readHoldsById(pool, book.id, { ids: holdIds, resources })) checkHold(context, hold);
}

async function* allBooks(pool: Pool): AsyncGenerator<BookId, void> {
  for await (const page of readAhead<BookId>((after) => readBookIds(pool, { after, limit: BOOKS_PAGE }))) yield* page;
}

function* windows(after: bigint, head: bigint): Generator<{ after: bigint; upTo: bigint }> {
  for (let from = after; from < head; from += WINDOW) {
    yield { after: from, upTo: from + WINDOW < head ? from + WINDOW : head };
  }
}

/**
 * Resolves to the last entry and the last event before `since`. A sequence stands for the moment of its entry, which
 * the events are found by.
 */
async function placesBefore({ pool, book }: CheckContext, since: Since): Promise<{ entry: bigint; event: bigint }> {
  const entryMoment = async (sequence: bigint) => (await readPredecessor(pool, book.id, sequence))?.postedAt;
  const eventMoment = async (sequence: bigint) => (await readEventBefore(pool, book.id, sequence))?.createdAt;
  if ('moment' in since) {
    return {
      entry: await lastBefore(since.moment, book.entrySequence, entryMoment),
      event: await lastBefore(since.moment, book.eventSequence, eventMoment),
    };
  }
  const entry = since.sequence > book.entrySequence ? book.entrySequence : since.sequence - 1n;
  const moment = await entryMoment(entry + 1n);
  const event = moment === undefined ? book.eventSequence : await lastBefore(moment, book.eventSequence, eventMoment);
  return { entry, event };
}

/**
 * Binary search: sequences have no gap and times do not run back. A missing row counts as later, and is reported then.
 */
async function lastBefore(
  moment: Instant,
  head: bigint,
  momentOf: (sequence: bigint) => Promise<Instant | undefined>,
): Promise<bigint> {
  let [before, upTo] = [0n, head];
  while (before < upTo) {
    const middle = (before + upTo + 1n) / 2n;
    const at = await momentOf(middle);
    if (at !== undefined && at < moment) before = middle;
    else upTo = middle - 1n;
  }
  return before;
}
