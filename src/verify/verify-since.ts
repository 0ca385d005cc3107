/**
 * Verifies the rows since an entry or a moment: the entries and events, and the accounts, rows of groups and holds that
 * they touch, and the lines of clearing files that were taken further. The cost grows with these rows, not with the whole
 * book. Other rows of these kinds are not checked. Book
 * totals, orphan rows and overdue rows are checked as they are now.
 */

import type { Pool } from '../db/pool.ts';
import type { CheckContext } from '../group/check-context.ts';
import type { Group } from '../group/group.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Clock, Instant } from '../values/clock.ts';
import { readBookIds } from './book-bounds-store.ts';
import { bookCheck } from './book-check.ts';
import { checkOrphanBooks, orphanCheck } from './orphan-check.ts';
import { checkOverdue } from './overdue-check.ts';
import { readAhead } from './read-ahead.ts';
import { whereReadable } from './readable.ts';
import type { Since } from './since.ts';
import { rowChecksOf, tiedCodes } from './tied-rows.ts';
import { NoSuchBook, type VerifyOptions, type VerifyResult } from './verify-database.ts';
import { checkRange } from './verify-range.ts';
import { readEventBefore, readHead, readPredecessor } from './window-store.ts';

const BOOKS_PAGE = 1_000;

/** Reports findings as they come up. Throws NoSuchBook, and the database's own errors. */
export async function verifySince(
  pool: Pool,
  { groups, since, clock, bookId, onFinding, onMissing, onProgress }: VerifyOptions & { since: Since; clock: Clock },
): Promise<VerifyResult> {
  const result = { books: 0, entries: 0n, lines: 0n, events: 0n, findings: 0 };
  const resources = groups.flatMap((group) => group.resources);
  const tied = tiedCodes(groups);
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
    const range = {
      entries: { after: after.entry, upTo: book.entrySequence },
      events: { after: after.event, upTo: book.eventSequence },
    };
    const seen = await checkRange(context, groups, range);
    if (after.moment !== undefined) await checkMoved(context, groups, after.moment);
    result.entries += seen.entries;
    result.lines += seen.lines;
    result.events += seen.events;
    await bookCheck.run(context);
    await orphanCheck.run(context);
  }
  if (!bookId) await checkOrphanBooks(pool, { resources, report });
  await checkOverdue(pool, { groups, now: clock.now(), bookId, report, missing: onMissing });
  return result;
}

/** Rows whose changes emit no event and post no entry. */
async function checkMoved(context: CheckContext, groups: readonly Group[], since: Instant): Promise<void> {
  for (const rows of groups.flatMap(rowChecksOf)) {
    const { readSince } = rows;
    if (readSince === undefined) continue;
    await whereReadable(context, rows.name, async () => {
      let page = await readSince(context, { since, after: undefined, limit: rows.pageRows });
      while (page.length > 0) {
        for (const row of page) rows.check(context, row);
        page = await readSince(context, { since, after: rows.placeOf(page.at(-1)!, undefined), limit: rows.pageRows });
      }
    });
  }
}

async function* allBooks(pool: Pool): AsyncGenerator<BookId, void> {
  for await (const page of readAhead<BookId>((after) => readBookIds(pool, { after, limit: BOOKS_PAGE }))) yield* page;
}

/**
 * Resolves to the last entry and the last event before `since`, and its moment. A sequence stands for the moment of its
 * entry, which the events are found by; one that the book has not come to stands for none.
 */
async function placesBefore(
  { pool, book }: CheckContext,
  since: Since,
): Promise<{ entry: bigint; event: bigint; moment: Instant | undefined }> {
  const entryMoment = async (sequence: bigint) => (await readPredecessor(pool, book.id, sequence))?.postedAt;
  const eventMoment = async (sequence: bigint) => (await readEventBefore(pool, book.id, sequence))?.createdAt;
  if ('moment' in since) {
    return {
      entry: await lastBefore(since.moment, book.entrySequence, entryMoment),
      event: await lastBefore(since.moment, book.eventSequence, eventMoment),
      moment: since.moment,
    };
  }
  const entry = since.sequence > book.entrySequence ? book.entrySequence : since.sequence - 1n;
  const moment = await entryMoment(entry + 1n);
  const event = moment === undefined ? book.eventSequence : await lastBefore(moment, book.eventSequence, eventMoment);
  return { entry, event, moment };
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
