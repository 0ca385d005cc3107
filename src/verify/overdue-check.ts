/** Finds rows that no worker moved in time, and events without a delivery attempt in time. Reads by partial indexes. */
import { formatInstant, type Instant } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { publicId } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Finding } from '../checks/finding.ts';
import {
  readOverdueDeliveries,
  readOverdueEndpoints,
  readOverdueNotices,
  readOverduePayouts,
} from './overdue-store.ts';

/**
 * The sweeper enqueues a lost job again within a minute. The jobs of a worker that died are taken again within another.
 */
const GRACE_PERIOD_MS = 10 * 60_000;
/**
 * Findings of one kind: enough to see what they have in common. Where more wait, a process is down rather than a job
 * lost.
 */
const NAMED = 100;

export async function checkOverdue(
  pool: Pool,
  { now, bookId, report }: { now: Instant; bookId?: BookId | undefined; report: (finding: Finding) => void },
): Promise<void> {
  const overdue = { before: now - GRACE_PERIOD_MS, bookId, limit: NAMED };
  const expected = `moved before ${formatInstant(overdue.before)}`;
  for (const { bookId: book, id, status, since } of await readOverduePayouts(pool, overdue)) {
    report({
      check: 'payout.overdue',
      book,
      ids: { payout: publicId('payout', id) },
      expected,
      actual: `${status} since ${formatInstant(since)}`,
      detail: 'Nobody moves this payout, and no bug has stopped it.',
    });
  }
  for (const { bookId: book, rail, id, since } of await readOverdueNotices(pool, overdue)) {
    report({
      check: 'notice.overdue',
      book,
      ids: { rail, notice: id },
      expected: `attempted before ${formatInstant(overdue.before)}`,
      actual: `to be attempted since ${formatInstant(since)}`,
      detail: 'Nobody attempts to book this notice of a rail, and no bug has stopped it.',
    });
  }
  for (const { bookId: book, endpointId, eventSequence, since } of await readOverdueDeliveries(pool, overdue)) {
    report({
      check: 'delivery.overdue',
      book,
      ids: { webhook_endpoint: publicId('webhookEndpoint', endpointId), sequence: `${eventSequence}` },
      expected,
      actual: `to be tried since ${formatInstant(since)}`,
      detail: 'Nobody tries to deliver this event, and no bug has stopped it.',
    });
  }
  for (const { bookId: book, id, since } of await readOverdueEndpoints(pool, overdue)) {
    report({
      check: 'delivery.overdue',
      book,
      ids: { webhook_endpoint: publicId('webhookEndpoint', id) },
      expected,
      actual: `to be tried since ${formatInstant(since)}`,
      detail: 'Nobody tries to deliver what waits for this endpoint.',
    });
  }
}
