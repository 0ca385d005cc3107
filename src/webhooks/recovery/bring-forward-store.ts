/**
 * Brings forward the deliveries that wait for their own retry at an endpoint that has answered well again
 * (docs/decisions/early-attempts.md).
 */

import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Instant } from '../../values/clock.ts';
import type { BacklogKey } from '../backlogs/backlog-store.ts';
import { FIRST_DUE_SECONDS, RETRY_DELAYS_MS, RETRY_SPREAD } from '../deliveries/delivery.ts';

/**
 * Attempts of a delivery that its schedule does not count. An event that the receiver rejects while it accepts others
 * is attempted so often more, and then keeps to its schedule.
 */
export const EARLY_ATTEMPTS_MAX = 5;

/** A retry that is due within the first wait of the schedule is left unchanged. */
const SOON_MS = RETRY_DELAYS_MS[0]! * (1 + RETRY_SPREAD);

/** Status of an answer that asks for fewer requests: a later answer does not lift the wait. */
const TOO_MANY_REQUESTS = 429;

export interface RetryPlace {
  readonly retryAt: Instant;
  readonly eventSequence: bigint;
}

export interface BroughtForward {
  /** May be attempted now; due as after their first commit if no worker attempts them. */
  readonly eventSequences: bigint[];
  /** Where the next page begins; undefined when none follows. */
  readonly next: RetryPlace | undefined;
}

/**
 * One page, the earliest retry first. A wait that the receiver asked for (Retry-After beyond the schedule, or 429)
 * stays, and a delivery that another process is writing is skipped. Indexes: webhook_deliveries_retried,
 * webhook_attempts_pkey.
 */
export async function bringForward(
  db: Queryable,
  { bookId, endpointId }: BacklogKey,
  { now, after, limit }: { now: Instant; after: RetryPlace | undefined; limit: number },
): Promise<BroughtForward> {
  const { rows } = await db.query<{ event_sequence: bigint; retry_at: Instant; moved: boolean }>({
    name: 'webhook_deliveries.bring_forward',
    text: `WITH page AS MATERIALIZED (
        SELECT ctid AS place, event_sequence, attempts, retry_at, COALESCE(early_attempts, 0) AS early FROM webhook_deliveries
        WHERE book_id = $1 AND endpoint_id = $2 AND status = 'pending' AND attempts > 0 AND stuck_at IS NULL
          AND (retry_at, event_sequence) > ($3, $4)
        ORDER BY retry_at, event_sequence LIMIT $5 FOR NO KEY UPDATE SKIP LOCKED
      ), free AS MATERIALIZED (
        SELECT page.place FROM page CROSS JOIN LATERAL (SELECT FROM webhook_attempts AS a
          WHERE a.book_id = $1 AND a.endpoint_id = $2 AND a.event_sequence = page.event_sequence AND a.attempt = page.attempts
            AND a.status IS DISTINCT FROM ${TOO_MANY_REQUESTS}
            AND page.retry_at <= a.started_at
              + (a.duration_ms + 1000 + ${1 + RETRY_SPREAD} * ($8::bigint[])[page.attempts - page.early]) * interval '1 ms'
          LIMIT 1) AS last
        WHERE page.early < ${EARLY_ATTEMPTS_MAX}
      ), moved AS (
        UPDATE webhook_deliveries SET retry_at = $6, due_at = $7, early_attempts = COALESCE(early_attempts, 0) + 1
        WHERE book_id IS NOT DISTINCT FROM $1 AND ctid = ANY (ARRAY (SELECT place FROM free)) RETURNING event_sequence
      )
      SELECT page.event_sequence, page.retry_at, moved.event_sequence IS NOT NULL AS moved
      FROM page LEFT JOIN moved USING (event_sequence) ORDER BY page.retry_at, page.event_sequence`,
    values: [
      bookId,
      endpointId,
      new Date(after?.retryAt ?? now + SOON_MS),
      after?.eventSequence ?? 0n,
      limit,
      new Date(now),
      new Date(now + FIRST_DUE_SECONDS * 1_000),
      plainArray([...RETRY_DELAYS_MS]),
    ],
  });
  const last = rows.length < limit ? undefined : rows.at(-1)!;
  return {
    eventSequences: rows.filter(({ moved }) => moved).map(({ event_sequence }) => event_sequence),
    next: last && { retryAt: last.retry_at, eventSequence: last.event_sequence },
  };
}
