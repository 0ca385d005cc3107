/**
 * Finds rows that no worker moved in time, such as events without a delivery attempt. Reads by partial indexes.
 *
 * A row that the sweeper enqueues every minute, and that no worker moves, shows that a process is missing: the ledger
 * is correct, and continues once the process runs. Such rows are reported by their pool. A row that is not even
 * enqueued again soon is a finding: nothing leads to another attempt.
 */

import type { Pool } from '../db/pool.ts';
import type { Finding } from '../group/finding.ts';
import type { Group } from '../group/group.ts';
import { type OverdueRows, waitingOf } from '../group/moved-rows.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { QueuePool } from '../queue/job.ts';
import { formatInstant, type Instant } from '../values/clock.ts';
import { type OverdueRow, readOverdue } from './overdue-store.ts';

/**
 * The sweeper enqueues a lost job again within a minute. The jobs of a worker that died are taken again within another.
 */
const GRACE_PERIOD_MS = 10 * 60_000;
/** A row that is due within this time is enqueued: the sweeper postpones it by a minute at most. */
const ENQUEUED_WITHIN_MS = 10 * 60_000;
/** A round of the sweeper takes a second; one that is stuck behind a slow database, some more. */
const ENQUEUED_AFTER_MS = 60_000;
/**
 * Findings of one kind: enough to see their common cause. Where more wait, a process is down rather than a job lost.
 */
const NAMED = 100;

/** Rows of one kind that wait for a process that does not run. */
export interface MissingWorker {
  /** The pool whose workers move them. */
  readonly pool: QueuePool;
  readonly kind: string;
  /** How many wait, counted up to 100. */
  readonly rows: number;
  readonly since: Instant;
  /** False: no sweeper has enqueued them either, or the queue is so deep that it enqueues no more. */
  readonly enqueued: boolean;
}

export interface OverdueOptions {
  readonly groups: readonly Group[];
  readonly now: Instant;
  readonly bookId?: BookId | undefined;
  readonly report: (finding: Finding) => void;
  readonly missing?: ((worker: MissingWorker) => void) | undefined;
}

export async function checkOverdue(
  pool: Pool,
  { groups, now, bookId, report, missing }: OverdueOptions,
): Promise<void> {
  const before = now - GRACE_PERIOD_MS;
  for (const rows of groups.flatMap(waitingOf)) {
    const overdue = await readOverdue(pool, rows, { before, bookId, limit: NAMED });
    const byPool = new Map<QueuePool, OverdueRow[]>();
    for (const row of overdue) {
      if (row.pool === null || row.dueAt > now + ENQUEUED_WITHIN_MS) report(findingOf(rows, row, before));
      else byPool.set(row.pool, [...(byPool.get(row.pool) ?? []), row]);
    }
    for (const [of, waiting] of byPool)
      missing?.({
        pool: of,
        kind: rows.kind,
        rows: waiting.length,
        since: Math.min(...waiting.map(({ since }) => since)),
        enqueued: waiting.some(({ dueAt }) => dueAt > now - ENQUEUED_AFTER_MS),
      });
  }
}

function findingOf({ finding }: OverdueRows, { bookId, key, status, since }: OverdueRow, before: Instant): Finding {
  const { check, expected, actual, detail, ids } = finding;
  return {
    check,
    book: bookId,
    ids: ids(key),
    expected: `${expected} before ${formatInstant(before)}`,
    actual: `${actual ?? status} since ${formatInstant(since)}`,
    detail,
  };
}

/** One sentence for people. */
export function describeMissing({ pool, kind, rows, since, enqueued }: MissingWorker): string {
  const who = enqueued
    ? `No worker of the pool ${pool} moves them`
    : `No worker of the pool ${pool} moves them, or no sweeper enqueues them`;
  const counted =
    rows === 1
      ? `1 row of kind ${kind} waits`
      : `${rows === NAMED ? `${rows} or more` : rows} rows of kind ${kind} wait`;
  return `${counted} since ${formatInstant(since)}. ${who}. The ledger is not wrong: they go on once the process runs.`;
}
