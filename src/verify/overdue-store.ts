import type { Instant } from '../clock.ts';
import type { Queryable } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';

export interface OverduePayout {
  readonly bookId: BookId;
  readonly id: Uuid;
  readonly status: string;
  /** When a worker should have moved the payout. */
  readonly since: Instant;
}

export interface OverdueNotice {
  readonly bookId: BookId;
  readonly rail: string;
  readonly id: Uuid;
  readonly since: Instant;
}

export interface OverdueDelivery {
  readonly bookId: BookId;
  readonly endpointId: Uuid;
  readonly eventSequence: bigint;
  readonly since: Instant;
}

/**
 * Overdue rows are looked for among this many with the earliest due times: a backlog of a million is not read whole.
 */
const LOOKED_AT = 10_000;

/**
 * Reads open payouts that a worker should have moved before a moment, over all books or in one. Due times do not tell:
 * the sweeper postpones these payouts whether a worker takes the job or not. Stuck payouts are known already. Index:
 * payouts_due.
 */
export async function readOverduePayouts(
  db: Queryable,
  { before, bookId, limit }: { before: Instant; bookId?: BookId | undefined; limit: number },
): Promise<OverduePayout[]> {
  const { rows } = await db.query<{ book_id: Uuid; id: Uuid; status: string; since: Instant }>({
    name: 'verify.overdue_payouts',
    text: `SELECT book_id, id, status, since FROM (
        SELECT book_id, id, status, COALESCE(next_inquiry_at, updated_at) AS since FROM payouts
        WHERE due_at IS NOT NULL AND stuck_at IS NULL AND ($2::uuid IS NULL OR book_id = $2) ORDER BY due_at LIMIT $3
      ) open WHERE since < $1 LIMIT $4`,
    values: [new Date(before), bookId ?? null, LOOKED_AT, limit],
  });
  return rows.map((row) => ({ bookId: row.book_id, id: row.id, status: row.status, since: row.since }));
}

/** Reads overdue rail notices by their next attempt: a claim moves only the due time. Index: rail_notices_due. */
export async function readOverdueNotices(
  db: Queryable,
  { before, bookId, limit }: { before: Instant; bookId?: BookId | undefined; limit: number },
): Promise<OverdueNotice[]> {
  const { rows } = await db.query<{ book_id: Uuid; rail: string; id: Uuid; since: Instant }>({
    name: 'verify.overdue_notices',
    text: `SELECT book_id, rail, id, since FROM (
        SELECT book_id, rail, id, COALESCE(next_attempt_at, created_at) AS since FROM rail_notices
        WHERE due_at IS NOT NULL AND stuck_at IS NULL AND ($2::uuid IS NULL OR book_id = $2) ORDER BY due_at LIMIT $3
      ) open WHERE since < $1 LIMIT $4`,
    values: [new Date(before), bookId ?? null, LOOKED_AT, limit],
  });
  return rows.map((row) => ({ bookId: row.book_id, rail: row.rail, id: row.id, since: row.since }));
}

/**
 * Reads overdue deliveries by their next attempt. Deliveries of an endpoint that is due wait for it and are left out.
 * Indexes: webhook_deliveries_due, webhook_endpoints_pkey.
 */
export async function readOverdueDeliveries(
  db: Queryable,
  { before, bookId, limit }: { before: Instant; bookId?: BookId | undefined; limit: number },
): Promise<OverdueDelivery[]> {
  const { rows } = await db.query<{ book_id: Uuid; endpoint_id: Uuid; event_sequence: bigint; since: Instant }>({
    name: 'verify.overdue_deliveries',
    text: `SELECT open.book_id, open.endpoint_id, open.event_sequence, open.since FROM (
        SELECT book_id, endpoint_id, event_sequence, COALESCE(retry_at, created_at) AS since FROM webhook_deliveries
        WHERE due_at IS NOT NULL AND stuck_at IS NULL AND ($2::uuid IS NULL OR book_id = $2) ORDER BY due_at LIMIT $3
      ) open LEFT JOIN webhook_endpoints w ON w.book_id = open.book_id AND w.id = open.endpoint_id
      WHERE open.since < $1 AND w.due_at IS NULL LIMIT $4`,
    values: [new Date(before), bookId ?? null, LOOKED_AT, limit],
  });
  return rows.map((row) => ({
    bookId: row.book_id,
    endpointId: row.endpoint_id,
    eventSequence: row.event_sequence,
    since: row.since,
  }));
}

export interface OverdueEndpoint {
  readonly bookId: BookId;
  readonly id: Uuid;
  readonly since: Instant;
}

/** Reads endpoints whose deliveries should have been attempted before a moment. Index: webhook_endpoints_due. */
export async function readOverdueEndpoints(
  db: Queryable,
  { before, bookId, limit }: { before: Instant; bookId?: BookId | undefined; limit: number },
): Promise<OverdueEndpoint[]> {
  const { rows } = await db.query<{ book_id: Uuid; id: Uuid; since: Instant }>({
    name: 'verify.overdue_endpoints',
    text: `SELECT book_id, id, since FROM (
        SELECT book_id, id, retry_at AS since FROM webhook_endpoints
        WHERE due_at IS NOT NULL AND ($2::uuid IS NULL OR book_id = $2) ORDER BY due_at LIMIT $3
      ) due WHERE since < $1 LIMIT $4`,
    values: [new Date(before), bookId ?? null, LOOKED_AT, limit],
  });
  return rows.map((row) => ({ bookId: row.book_id, id: row.id, since: row.since }));
}
