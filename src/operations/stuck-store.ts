/**
 * Stuck rows: rows that a bug stopped. They keep their error, are not enqueued, and wait for a person (npm run ops --
 * stuck). Marked and retried outside the book's lock, so by compare-and-set: a row that moved meanwhile is left alone.
 */
import type { Instant } from '../clock.ts';
import { instantArray, plainArray, textArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import { type DeliveryKey, parseDeliveryId } from '../webhooks/delivery.ts';
import { byBook } from '../db/by-book.ts';

export type StuckKind = 'payout' | 'delivery' | 'notice';

export interface StuckRow {
  readonly kind: StuckKind;
  readonly bookId: Uuid;
  /** A payout's UUID, a delivery's `<event sequence>:<endpoint UUID>`, or a notice's `<rail>:<UUID>`. */
  readonly id: string;
  readonly status: string;
  readonly stuckAt: Instant;
  readonly error: string;
}

/** Enough of an error to find its cause. The stack of a runaway recursion must not fill the table. */
const ERROR_CHARACTERS = 2_000;

/**
 * Marks a row that failed by a bug. Resolves to false when the row is final or already stuck, and there is nothing to
 * retry. Index: the primary keys.
 */
export async function markStuck(
  pool: Pool,
  row: { kind: StuckKind; bookId: Uuid; id: string; error: unknown; at: Instant },
): Promise<boolean> {
  const at = new Date(row.at);
  const error = errorText(row.error);
  if (row.kind === 'payout') {
    const { rowCount } = await pool.query(
      `UPDATE payouts SET stuck_at = $3, stuck_error = $4
       WHERE book_id = $1 AND id = $2 AND status IN ('pending', 'processing') AND stuck_at IS NULL`,
      [row.bookId, row.id, at, error],
    );
    return rowCount === 1;
  }
  if (row.kind === 'notice') {
    const { rail, id } = noticeKey(row.id);
    const { rowCount } = await pool.query(
      `UPDATE rail_notices SET stuck_at = $4, stuck_error = $5
       WHERE book_id = $1 AND rail = $2 AND id = $3 AND status = 'waiting' AND stuck_at IS NULL`,
      [row.bookId, rail, id, at, error],
    );
    return rowCount === 1;
  }
  const { eventSequence, endpointId } = deliveryKey(row.id);
  const { rowCount } = await pool.query(
    `UPDATE webhook_deliveries SET stuck_at = $4, stuck_error = $5
     WHERE book_id = $1 AND event_sequence = $2 AND endpoint_id = $3 AND status = 'pending' AND stuck_at IS NULL`,
    [row.bookId, eventSequence, endpointId, at, error],
  );
  return rowCount === 1;
}

function deliveryKey(id: string): DeliveryKey {
  const key = parseDeliveryId(id);
  if (!key) throw new TypeError(`Not the id of a delivery: ${id}`);
  return key;
}

function noticeKey(id: string): { rail: string; id: Uuid } {
  const at = id.lastIndexOf(':');
  return { rail: id.slice(0, at), id: id.slice(at + 1) };
}

/** Text columns of Postgres hold no NUL, and an error may quote the bytes that broke it. */
function errorText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
  return text.replaceAll('\u0000', '').slice(0, ERROR_CHARACTERS);
}

/**
 * Lists stuck rows of all books, longest stuck first. Indexes: payouts_stuck, webhook_deliveries_stuck,
 * rail_notices_stuck.
 */
export async function listStuck(pool: Pool, limit: number): Promise<StuckRow[]> {
  const { rows } = await pool.query<{
    kind: StuckKind;
    book_id: Uuid;
    id: Uuid;
    prefix: string | null;
    status: string;
    stuck_at: Instant;
    error: string;
  }>(
    `(SELECT 'payout' AS kind, book_id, id, NULL::text AS prefix, status, stuck_at, stuck_error AS error
      FROM payouts WHERE stuck_at IS NOT NULL ORDER BY stuck_at LIMIT $1)
     UNION ALL
     (SELECT 'delivery', book_id, endpoint_id, event_sequence::text, status, stuck_at, stuck_error
      FROM webhook_deliveries WHERE stuck_at IS NOT NULL ORDER BY stuck_at LIMIT $1)
     UNION ALL
     (SELECT 'notice', book_id, id, rail, status, stuck_at, stuck_error
      FROM rail_notices WHERE stuck_at IS NOT NULL ORDER BY stuck_at LIMIT $1)
     ORDER BY stuck_at LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({
    kind: row.kind,
    bookId: row.book_id,
    id: row.prefix === null ? row.id : `${row.prefix}:${row.id}`,
    status: row.status,
    stuckAt: row.stuck_at,
    error: row.error ?? '',
  }));
}

/**
 * Retries stuck rows: clears the mark and makes the row due now, so that the sweeper enqueues it in its next round. A
 * row whose mark is not the one that was seen is left alone. Resolves to how many rows were cleared.
 */
export async function retryStuck(pool: Pool, rows: readonly StuckRow[], now: Instant): Promise<number> {
  let cleared = 0;
  for (const [bookId, ofBook] of byBook(rows)) {
    const payouts = ofBook.filter((row) => row.kind === 'payout');
    const deliveries = ofBook
      .filter((row) => row.kind === 'delivery')
      .map((row) => ({ ...row, ...deliveryKey(row.id) }));
    const notices = ofBook.filter((row) => row.kind === 'notice').map((row) => ({ ...row, ...noticeKey(row.id) }));
    if (notices.length > 0) cleared += await retryNotices(pool, bookId, notices, now);
    if (payouts.length > 0) cleared += await retryPayouts(pool, bookId, payouts, now);
    if (deliveries.length > 0) cleared += await retryDeliveries(pool, bookId, deliveries, now);
  }
  return cleared;
}

async function retryPayouts(pool: Pool, bookId: Uuid, rows: readonly StuckRow[], now: Instant): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE payouts SET stuck_at = NULL, stuck_error = NULL, due_at = $4
     FROM unnest($2::uuid[], $3::timestamptz[]) AS seen (id, stuck_at)
     WHERE payouts.book_id = $1 AND payouts.id = seen.id AND payouts.stuck_at = seen.stuck_at
       AND payouts.status IN ('pending', 'processing')`,
    [bookId, plainArray(rows.map((row) => row.id)), instantArray(rows.map((row) => row.stuckAt)), new Date(now)],
  );
  return rowCount ?? 0;
}

async function retryNotices(
  pool: Pool,
  bookId: Uuid,
  rows: readonly (StuckRow & { rail: string })[],
  now: Instant,
): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE rail_notices AS notice SET stuck_at = NULL, stuck_error = NULL, due_at = $5, next_attempt_at = $5
     FROM unnest($2::text[], $3::uuid[], $4::timestamptz[]) AS seen (rail, id, stuck_at)
     WHERE notice.book_id = $1 AND notice.rail = seen.rail AND notice.id = seen.id AND notice.stuck_at = seen.stuck_at
       AND notice.status = 'waiting'`,
    [
      bookId,
      textArray(rows.map((row) => row.rail)),
      plainArray(rows.map((row) => row.id)),
      instantArray(rows.map((row) => row.stuckAt)),
      new Date(now),
    ],
  );
  return rowCount ?? 0;
}

async function retryDeliveries(
  pool: Pool,
  bookId: Uuid,
  rows: readonly (StuckRow & { eventSequence: bigint; endpointId: Uuid })[],
  now: Instant,
): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE webhook_deliveries AS delivery SET stuck_at = NULL, stuck_error = NULL, due_at = $5
     FROM unnest($2::bigint[], $3::uuid[], $4::timestamptz[]) AS seen (event_sequence, endpoint_id, stuck_at)
     WHERE delivery.book_id = $1 AND delivery.event_sequence = seen.event_sequence
       AND delivery.endpoint_id = seen.endpoint_id AND delivery.stuck_at = seen.stuck_at AND delivery.status = 'pending'`,
    [
      bookId,
      plainArray(rows.map((row) => row.eventSequence)),
      plainArray(rows.map((row) => row.endpointId)),
      instantArray(rows.map((row) => row.stuckAt)),
      new Date(now),
    ],
  );
  return rowCount ?? 0;
}
