/** Finds rows that no worker moved in time, such as events without a delivery attempt. Reads by partial indexes. */
import type { Finding } from '../checks/finding.ts';
import { formatInstant, type Instant } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import type { Group } from '../group.ts';
import type { BookId } from '../ledger/book.ts';
import { overdueOf } from '../moved-rows.ts';
import { readOverdue } from './overdue-store.ts';

/**
 * The sweeper enqueues a lost job again within a minute. The jobs of a worker that died are taken again within another.
 */
const GRACE_PERIOD_MS = 10 * 60_000;
/**
 * Findings of one kind: enough to see what they have in common. Where more wait, a process is down rather than a job
 * lost.
 */
const NAMED = 100;

export interface OverdueOptions {
  readonly groups: readonly Group[];
  readonly now: Instant;
  readonly bookId?: BookId | undefined;
  readonly report: (finding: Finding) => void;
}

export async function checkOverdue(pool: Pool, { groups, now, bookId, report }: OverdueOptions): Promise<void> {
  const before = now - GRACE_PERIOD_MS;
  const kinds = groups.flatMap(({ moved, overdue = [] }) => [...moved.map(overdueOf), ...overdue]);
  for (const rows of kinds) {
    const { check, expected, actual, detail, ids } = rows.finding;
    for (const row of await readOverdue(pool, rows, { before, bookId, limit: NAMED })) {
      report({
        check,
        book: row.bookId,
        ids: ids(row.key),
        expected: `${expected} before ${formatInstant(before)}`,
        actual: `${actual ?? row.status} since ${formatInstant(row.since)}`,
        detail,
      });
    }
  }
}
