/**
 * Verifies a whole database against every invariant of the ledger, book by book, while it is in use. Memory contains a
 * few pages, and no snapshot stays open longer than a page. Rows that no longer change are read below a bound. Rows
 * that may change are read as of one moment with the rows that they must agree with.
 */

import type { Pool } from '../db/pool.ts';
import type { BookBounds, Check, CheckContext } from '../group/check-context.ts';
import type { Finding } from '../group/finding.ts';
import type { Group } from '../group/group.ts';
import type { RowCheck } from '../group/row-check.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Clock } from '../values/clock.ts';
import { accountCheck } from './account-check.ts';
import { countRows, readBookIds, readBounds } from './book-bounds-store.ts';
import { bookCheck } from './book-check.ts';
import { checkpointCheck, checkTrustedBooks, type Trusted } from './checkpoint-check.ts';
import { eventCheck } from './event-check.ts';
import { holdCheck } from './hold-check.ts';
import { holdStepCheck } from './hold-step-check.ts';
import { journalCheck } from './journal-check.ts';
import { checkOrphanBooks, orphanCheck } from './orphan-check.ts';
import { checkOverdue, type MissingWorker } from './overdue-check.ts';
import { readAhead } from './read-ahead.ts';
import { whereReadable } from './readable.ts';
import { rowChecksOf, tiedCodes } from './tied-rows.ts';

/** The checks of the ledger, with those of every group between the rows they depend on and the book as a whole. */
function checksOf(groups: readonly Group[]): Check[] {
  return [
    journalCheck,
    accountCheck,
    holdCheck,
    holdStepCheck,
    eventCheck(groups.flatMap(({ eventChecks = [] }) => eventChecks)),
    ...groups.flatMap(rowChecksOf).map(checkOfRows),
    bookCheck,
    orphanCheck,
  ];
}

function checkOfRows(rows: RowCheck): Check {
  return {
    name: rows.name,
    async run(context) {
      const pages = readAhead<unknown>((last) => {
        const after = last === undefined ? undefined : rows.placeOf(last, undefined);
        return rows.read(context, { after, limit: rows.pageRows });
      });
      for await (const page of pages) for (const row of page) rows.check(context, row);
    },
  };
}

const BOOKS_PAGE = 1_000;
/** Rows between two progress reports: a screen is slower than a database. */
const PROGRESS_EVERY = 1_000n;

export interface VerifyProgress {
  /** Entries, account lines and events of all books. */
  readonly total: bigint;
  readonly done: bigint;
  readonly book: BookId;
  readonly check: string;
}

export interface VerifyOptions {
  readonly groups: readonly Group[];
  /** Verifies this book alone. */
  bookId?: BookId;
  /** Checkpoints and keys kept elsewhere. Stored checkpoints are checked in any case. */
  trusted?: Trusted;
  onFinding: (finding: Finding) => void;
  /** Finds rows that no worker moved in time, by this clock. Left out: not checked. */
  readonly clock?: Clock;
  /** Rows wait for a process that does not run. Nothing is wrong with the ledger. */
  onMissing?: (worker: MissingWorker) => void;
  onProgress?: (progress: VerifyProgress) => void;
}

export interface VerifyResult {
  readonly books: number;
  readonly entries: bigint;
  readonly lines: bigint;
  readonly events: bigint;
  readonly findings: number;
}

/** The book asked for does not exist. */
export class NoSuchBook extends Error {
  override name = 'NoSuchBook';
}

/** Reports findings as they come up. Throws NoSuchBook, and the database's own errors. */
export async function verifyDatabase(pool: Pool, options: VerifyOptions): Promise<VerifyResult> {
  const { groups } = options;
  const { rows: total } = await countRows(pool, options.bookId);
  const result = { books: 0, entries: 0n, lines: 0n, events: 0n, findings: 0 };
  let done = 0n;
  let shown = 0n;
  const report = (finding: Finding) => {
    result.findings++;
    options.onFinding(finding);
  };
  const trusted = options.trusted ?? { checkpoints: [], keys: [] };
  const resources = groups.flatMap((group) => group.resources);
  const tied = tiedCodes(groups);
  const checks = [...checksOf(groups), checkpointCheck(trusted)];
  for await (const bookId of bookIds(pool, options.bookId)) {
    const book = await readBounds(pool, bookId);
    if (!book) throw new NoSuchBook(`There is no book ${bookId}`);
    for (const check of checks) {
      const showProgress = () => {
        shown = done;
        options.onProgress?.({ total, done, book: bookId, check: check.name });
      };
      showProgress();
      const context: CheckContext = {
        pool,
        book,
        resources,
        tied,
        report: (finding) => report({ ...finding, book: bookId }),
        advance(rows) {
          done += BigInt(rows);
          if (done - shown >= PROGRESS_EVERY) showProgress();
        },
      };
      await whereReadable(context, check.name, () => check.run(context));
      showProgress();
    }
    count(result, book);
  }
  if (options.bookId === undefined) {
    await checkOrphanBooks(pool, { resources, report });
    await checkTrustedBooks(pool, trusted, report);
  }
  const { clock, bookId, onMissing } = options;
  if (clock) await checkOverdue(pool, { groups, now: clock.now(), bookId, report, missing: onMissing });
  return result;
}

async function* bookIds(pool: Pool, only: BookId | undefined): AsyncGenerator<BookId, void> {
  if (only !== undefined) {
    yield only;
    return;
  }
  for await (const page of readAhead<BookId>((after) => readBookIds(pool, { after, limit: BOOKS_PAGE }))) yield* page;
}

function count(result: { books: number; entries: bigint; lines: bigint; events: bigint }, book: BookBounds): void {
  result.books++;
  result.entries += book.entrySequence;
  result.lines += book.lines;
  result.events += book.eventSequence;
}
