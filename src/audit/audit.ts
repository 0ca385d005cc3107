/**
 * The audit: `npm run verify` in small pages, in a loop, beside the posting. A turn checks one page of one book, with
 * the parts before it that have no rows. Then the audit rests long enough to keep within its percentage of the time. A
 * few books at a time take turns. A round ends when every book has been checked once, and the next round begins. The
 * position is kept in memory: a new process begins a new round.
 *
 * Findings are reported by a log line at level error and by metrics. They do not change readiness: one finding in one
 * book must not take every API away.
 * Next: parts.ts (what a page is), open-findings.ts (which findings are reported when).
 */

import type { Pool } from '../db/pool.ts';
import type { Finding } from '../group/finding.ts';
import type { Group } from '../group/group.ts';
import { type Until, untilNow } from '../group/until.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import { withinLimit } from '../process/time-limit.ts';
import type { Clock } from '../values/clock.ts';
import { publicId } from '../values/ids.ts';
import { readBookIds } from '../verify/book-bounds-store.ts';
import { checkOverdue, describeMissing, type MissingWorker } from '../verify/overdue-check.ts';
import { whereReadable } from '../verify/readable.ts';
import { tiedCodes } from '../verify/tied-rows.ts';
import { readHead } from '../verify/window-store.ts';
import { OpenFindings } from './open-findings.ts';
import { partsOf } from './parts.ts';

export interface AuditCounts {
  /** Counts rows as checked. */
  rows(count: number): void;
  /** Sets the open findings by kind. An absent kind has no findings. */
  findings(byKind: ReadonlyMap<string, number>): void;
  /** A round has ended, or the first one begins. */
  round(): void;
}

export interface AuditOptions {
  readonly groups: readonly Group[];
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly counts: AuditCounts;
}

export interface Audit {
  /** Checks one page. Resolves to whether the page ended a round. */
  turn(): Promise<boolean>;
}

/** A book of the current round, and the page it is at. */
interface OpenBook {
  readonly id: BookId;
  part: number;
  place: unknown;
  /** Set when the book is first checked. */
  until?: Until;
}

/** Books that take turns. A small book is done after a few pages; a large one must not keep the others waiting. */
const BOOKS_AT_ONCE = 20;

export function createAudit({ groups, pool, clock, log, counts }: AuditOptions): Audit {
  const parts = partsOf(groups);
  const resources = groups.flatMap((group) => group.resources);
  const tied = tiedCodes(groups);
  const logFinding = ({ check, book, ids, expected, actual, detail }: Finding) =>
    log.error({ check, book: publicId('book', book), ids, expected, actual }, `audit: ${detail}`);
  const found = new OpenFindings(logFinding);
  const overdue = new OpenFindings(logFinding);
  /** Pools and kinds of rows that wait for a worker, each logged once. They are no findings: the ledger is not wrong. */
  let missing: ReadonlySet<string> = new Set();
  const open: OpenBook[] = [];
  let last: BookId | undefined;
  let allOpened = false;

  async function openBooks(): Promise<void> {
    const ids = await readBookIds(pool, { after: last, limit: BOOKS_AT_ONCE - open.length });
    for (const id of ids) open.push({ id, part: 0, place: undefined });
    last = ids.at(-1) ?? last;
    allOpened = ids.length === 0;
  }

  async function turnPage(book: OpenBook): Promise<void> {
    const bounds = await readHead(pool, book.id);
    if (!bounds) return;
    book.until ??= untilNow(bounds);
    const { until } = book;
    const report = (finding: Omit<Finding, 'book'>) => found.add({ ...finding, book: book.id });
    let rows = 0;
    const advance = (count: number) => {
      rows += count;
      counts.rows(count);
    };
    const context = { pool, book: bounds, resources, tied, report, advance };
    // A part without rows is a query or two: the turn continues with the next part.
    for (const { name, turn } of parts.slice(book.part)) {
      // A row that cannot be read ends its part, not the round.
      book.place = await whereReadable(context, name, () => turn(context, book.place, until));
      if (book.place === undefined) book.part++;
      if (rows > 0 || book.place !== undefined) break;
    }
    if (book.part < parts.length) open.push(book);
  }

  async function lookForOverdue(): Promise<void> {
    const now = new Map<string, MissingWorker>();
    await checkOverdue(pool, {
      groups,
      now: clock.now(),
      report: (finding) => overdue.add(finding),
      missing: (worker) => now.set(`${worker.pool} ${worker.kind}`, worker),
    });
    overdue.endRound();
    for (const [name, worker] of now)
      if (!missing.has(name)) log.warn({ ...worker }, `audit: ${describeMissing(worker)}`);
    missing = new Set(now.keys());
  }

  return {
    async turn() {
      await lookForOverdue();
      if (!allOpened && open.length < BOOKS_AT_ONCE) await openBooks();
      const book = open.shift();
      try {
        if (book) await turnPage(book);
      } catch (error) {
        // The page is read again after the other books' turns.
        open.push(book!);
        throw error;
      }
      const ended = open.length === 0 && allOpened;
      if (ended) {
        found.endRound();
        last = undefined;
        allOpened = false;
        counts.round();
      }
      counts.findings(new Map([...found.counts(), ...overdue.counts()]));
      return ended;
    },
  };
}

export interface AuditPace {
  /** Percent of one connection's time; 0 turns the audit off. */
  readonly timePercent: number;
  /** Least rest between two pages. */
  readonly intervalMs: number;
}

const CLOSE_LIMIT_MS = 5_000;

/** Runs the audit until it is closed. */
export function startAudit(options: AuditOptions & AuditPace): { close(): Promise<void> } {
  const { timePercent, intervalMs } = options;
  const audit = createAudit(options);
  const warn = warnSeldom(options.log, 'the audit was interrupted');
  let timer: NodeJS.Timeout | undefined;
  let turning: Promise<void> = Promise.resolve();
  let closed = timePercent === 0;

  async function turn(): Promise<void> {
    const begun = performance.now();
    await audit.turn().catch(warn);
    const restMs = (performance.now() - begun) * (100 / timePercent - 1);
    if (!closed) next(Math.max(restMs, intervalMs));
  }

  function next(afterMs: number): void {
    timer = setTimeout(() => {
      turning = turn();
    }, afterMs);
  }

  if (!closed) {
    options.counts.round();
    next(intervalMs);
  }
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await withinLimit(turning, { what: 'the last page', limitMs: CLOSE_LIMIT_MS }).catch(warn);
    },
  };
}
