/**
 * The audit: `npm run verify` in small bites, for ever, beside the posting. A turn is one page of one book; then it rests as
 * long as it needs to keep to its share of the time. Books take turns, a few at a time, until each has been gone through
 * once: that is a round, and the next one begins. Where it was is kept in memory; a process that starts again begins again.
 *
 * What it finds is told by a line at level error and by metrics. Never by readiness: one finding in one book must not take
 * every API away.
 * Next: parts.ts (what a page is), open-findings.ts (what is told when).
 */
import type { Clock } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { publicId } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Logger } from '../log.ts';
import { warnSeldom } from '../seldom.ts';
import { withinLimit } from '../time-limit.ts';
import { readBookIds } from '../verify/book-bounds-store.ts';
import type { Finding } from '../verify/finding.ts';
import { checkOverdue } from '../verify/overdue-check.ts';
import { whereReadable } from '../verify/readable.ts';
import { readHead } from '../verify/window-store.ts';
import { OpenFindings } from './open-findings.ts';
import { PARTS } from './parts.ts';
import { type Until, untilNow } from './until.ts';

export interface AuditCounts {
  /** Rows that were looked at. */
  rows(count: number): void;
  /** Open findings by kind; a kind that is not named has none. */
  findings(byKind: ReadonlyMap<string, number>): void;
  /** Every book has been gone through; or the first round begins. */
  round(): void;
}

export interface AuditOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly counts: AuditCounts;
}

export interface Audit {
  /** One page. Resolves to whether a round has ended with it. */
  turn(): Promise<boolean>;
}

/** A book that the round is in, and the page it is at. */
interface OpenBook {
  readonly id: BookId;
  part: number;
  place: unknown;
  /** Set as it is first looked at. */
  until?: Until;
}

/** Books that take turns. A small one is done after a dozen pages; a large one must not keep all others waiting. */
const BOOKS_AT_ONCE = 20;

export function createAudit({ pool, clock, log, counts }: AuditOptions): Audit {
  const tell = ({ check, book, ids, expected, actual, detail }: Finding) =>
    log.error({ check, book: publicId('book', book), ids, expected, actual }, `audit: ${detail}`);
  const found = new OpenFindings(tell);
  const overdue = new OpenFindings(tell);
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
    const part = bounds && PARTS[book.part];
    if (!part) return;
    book.until ??= untilNow(bounds);
    const { place, until } = book;
    const report = (finding: Omit<Finding, 'book'>) => found.add({ ...finding, book: book.id });
    const context = { pool, book: bounds, report, advance: counts.rows };
    // What cannot be read ends its part, and not the round.
    book.place = await whereReadable(context, part.name, () => part.turn(context, place, until));
    if (book.place === undefined) book.part++;
    if (book.part < PARTS.length) open.push(book);
  }

  async function lookForOverdue(): Promise<void> {
    await checkOverdue(pool, { now: clock.now(), report: (finding) => overdue.add(finding) });
    overdue.endRound();
  }

  return {
    async turn() {
      await lookForOverdue();
      if (!allOpened && open.length < BOOKS_AT_ONCE) await openBooks();
      const book = open.shift();
      try {
        if (book) await turnPage(book);
      } catch (error) {
        // The page is read again when the others have had their turn.
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
  /** Of the time of one connection; 0 for no audit at all. */
  readonly sharePercent: number;
  /** From one page to the next, at least. */
  readonly intervalMs: number;
}

const CLOSE_LIMIT_MS = 5_000;

/** An audit that runs by itself. */
export function startAudit(options: AuditOptions & AuditPace): { close(): Promise<void> } {
  const { sharePercent, intervalMs } = options;
  const audit = createAudit(options);
  const warn = warnSeldom(options.log, 'the audit was interrupted');
  let timer: NodeJS.Timeout | undefined;
  let turning: Promise<void> = Promise.resolve();
  let closed = sharePercent === 0;

  async function turn(): Promise<void> {
    const begun = performance.now();
    await audit.turn().catch(warn);
    const restMs = (performance.now() - begun) * (100 / sharePercent - 1);
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
