/** The SQL of replays: a page of one, and the counts that their requests answer. */
import { plainArray } from '../../db/columns.ts';
import type { Pool, Queryable, Transaction } from '../../db/pool.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { type EndpointStatus, subscriberOf } from '../endpoints/endpoint.ts';
import { firstSequenceAt } from '../events/event-store.ts';
import type { ReplayKind } from './replay.ts';

/** When the sweeper enqueues a replay again: beyond the pages of one job's turn. */
export const REPLAY_AGAIN_MS = 30_000;
/** Rows in a page: a statement of some milliseconds, whose locks delay no recorder. */
const PAGE = 1_000;
/** Beyond this, an exact count is not worth its cost. */
const COUNTED_MAX = 100_000;

export interface ReplayPage {
  /** The first event whose delivery waits since this page. */
  readonly from: bigint | undefined;
  readonly endpointId: Uuid | undefined;
  readonly isDone: boolean;
  /** The event at which the page began, and the one at which the next page begins. Undefined where nothing was looked at. */
  readonly range: { readonly began: bigint; readonly next: bigint } | undefined;
}

interface ReplayRow {
  endpoint_id: Uuid;
  kind: ReplayKind;
  since: Instant | null;
  until: Instant | null;
  first_sequence: bigint | null;
  next_sequence: bigint | null;
  through_sequence: bigint | null;
  endpoint_status: EndpointStatus;
  events: string[];
}

/** The events that are left, `next` to `through`. */
interface Range {
  readonly next: bigint;
  readonly through: bigint;
}

/** What a drain in order looks for after it has read a page: whatever was committed before that page shows here. */
export interface Preceding {
  /** The oldest replay of the endpoint that is under way. */
  readonly replayId: Uuid | null;
  /** Deliveries of earlier events joined the backlog. */
  readonly hasJoined: boolean;
}

/** Indexes: webhook_endpoints_pkey, webhook_replays_by_endpoint. */
export async function readPreceding(db: Queryable, bookId: BookId, endpointId: Uuid): Promise<Preceding> {
  const { rows } = await db.query<{ replay_id: Uuid | null; has_joined: boolean }>({
    name: 'webhook_replays.preceding',
    text: `SELECT joined_from IS NOT NULL AS has_joined, (SELECT id FROM webhook_replays
        WHERE webhook_replays.book_id = $1 AND endpoint_id = $2 AND webhook_replays.status = 'pending' AND stuck_at IS NULL
        ORDER BY id LIMIT 1) AS replay_id
      FROM webhook_endpoints WHERE book_id = $1 AND id = $2`,
    values: [bookId, endpointId],
  });
  return { replayId: rows[0]?.replay_id ?? null, hasJoined: rows[0]?.has_joined ?? false };
}

/**
 * Carries out one page under the lock of the replay's row: makes deliveries wait in the backlog of their endpoint, and
 * goes on behind them. Locks deliveries before the endpoint, as recorders do. A replay that is done does nothing.
 */
export function carryOutPage(
  pool: Pool,
  { bookId, id }: { bookId: BookId; id: Uuid },
  now: Instant,
): Promise<ReplayPage> {
  return inTransaction(pool, async (trx) => {
    const replay = await lockReplay(trx, bookId, id);
    if (!replay) return { from: undefined, endpointId: undefined, isDone: true, range: undefined };
    const range = replay.next_sequence === null ? await rangeOf(trx, bookId, replay) : rangeLeft(replay);
    const isOver = replay.endpoint_status === 'deleted' || range.next > range.through;
    const page = isOver
      ? { from: undefined, next: range.through + 1n }
      : await pageOf(trx, { bookId, replay, range, now });
    if (page.from !== undefined)
      await joinBacklog(trx, { bookId, endpointId: replay.endpoint_id, from: page.from, now });
    const isDone = page.next > range.through;
    await trx.query({
      name: 'webhook_replays.go_on',
      text: `UPDATE webhook_replays SET status = $3, due_at = $4, first_sequence = $5, next_sequence = $6, through_sequence = $7
        WHERE book_id = $1 AND id = $2`,
      values: [
        bookId,
        id,
        isDone ? 'done' : 'pending',
        isDone ? null : new Date(now + REPLAY_AGAIN_MS),
        replay.first_sequence ?? range.next,
        page.next,
        range.through,
      ],
    });
    const { endpoint_id: endpointId } = replay;
    return { from: page.from, endpointId, isDone, range: { began: range.next, next: page.next } };
  });
}

/** Indexes: webhook_replays_pkey, webhook_endpoints_pkey. */
async function lockReplay(trx: Transaction, bookId: BookId, id: Uuid): Promise<ReplayRow | undefined> {
  const { rows } = await trx.query<ReplayRow>({
    name: 'webhook_replays.lock',
    text: `SELECT r.endpoint_id, r.kind, r.since, r.until, r.first_sequence, r.next_sequence, r.through_sequence,
        w.status AS endpoint_status, w.events
      FROM webhook_replays r JOIN webhook_endpoints w ON w.book_id = r.book_id AND w.id = r.endpoint_id
      WHERE r.book_id = $1 AND r.id = $2 AND r.status = 'pending' AND r.stuck_at IS NULL FOR NO KEY UPDATE OF r`,
    values: [bookId, id],
  });
  return rows[0];
}

function rangeLeft({ next_sequence: next, through_sequence: through }: ReplayRow): Range {
  return { next: next!, through: through! };
}

/** The events of a time by their sequence, up to the last one that is committed. */
export async function rangeOf(
  db: Queryable,
  bookId: BookId,
  { since, until }: Pick<ReplayRow, 'since' | 'until'>,
): Promise<Range> {
  const next = await firstSequenceAt(db, bookId, since!);
  if (until !== null) return { next, through: (await firstSequenceAt(db, bookId, until)) - 1n };
  const { rows } = await db.query<{ last: bigint }>({
    name: 'events.last_sequence',
    text: 'SELECT COALESCE(max(sequence), 0) AS last FROM events WHERE book_id = $1',
    values: [bookId],
  });
  return { next, through: rows[0]!.last };
}

interface PageRequest {
  readonly bookId: BookId;
  readonly replay: ReplayRow;
  readonly range: Range;
  readonly now: Instant;
}

function pageOf(trx: Transaction, page: PageRequest): Promise<{ from: bigint | undefined; next: bigint }> {
  return page.replay.kind === 'missing' ? addMissing(trx, page) : sendAgain(trx, page);
}

/**
 * A page of deliveries becomes `pending` again. The retry schedule begins anew: it does not count the attempts so far. Index:
 * webhook_deliveries_open, or webhook_deliveries_pkey for one that arrived.
 */
async function sendAgain(
  trx: Transaction,
  { bookId, replay: { endpoint_id: endpointId, kind }, range, now }: PageRequest,
): Promise<{ from: bigint | undefined; next: bigint }> {
  const isOne = kind === 'resend';
  const { rows } = await trx.query<{ looked_at: bigint; last: bigint | null; first: bigint | null }>({
    name: isOne ? 'webhook_deliveries.resend' : 'webhook_deliveries.recover',
    text: `WITH seen AS MATERIALIZED (
        SELECT event_sequence, status FROM webhook_deliveries
        WHERE book_id = $1 AND endpoint_id = $2 AND event_sequence >= $3 AND event_sequence <= $4
          ${isOne ? '' : "AND status <> 'delivered'"} ORDER BY event_sequence LIMIT ${PAGE}
      ), moved AS (
        UPDATE webhook_deliveries SET status = 'pending', retry_at = $5, due_at = NULL, early_attempts = attempts,
          stuck_at = NULL, stuck_error = NULL
        WHERE book_id = $1 AND endpoint_id = $2
          AND event_sequence = ANY (ARRAY (SELECT event_sequence FROM seen ${isOne ? '' : "WHERE status <> 'pending'"}))
          ${isOne ? '' : "AND status IN ('failed', 'canceled')"}
        RETURNING event_sequence
      )
      SELECT (SELECT count(*) FROM seen) AS looked_at, (SELECT max(event_sequence) FROM seen) AS last,
        (SELECT min(event_sequence) FROM moved) AS first`,
    values: [bookId, endpointId, range.next, range.through, new Date(now)],
  });
  const { looked_at: lookedAt, last, first } = rows[0]!;
  return { from: first ?? undefined, next: lookedAt < PAGE ? range.through + 1n : last! + 1n };
}

/** A page of events is matched with the endpoint's filters of now. Indexes: events_pkey, webhook_deliveries_pkey. */
async function addMissing(
  trx: Transaction,
  { bookId, replay, range }: PageRequest,
): Promise<{ from: bigint | undefined; next: bigint }> {
  const endpointId = replay.endpoint_id;
  const { rows } = await trx.query<{ sequence: bigint; type: string; object_id: Uuid }>({
    name: 'events.replayed',
    text: `SELECT sequence, type, object_id FROM events WHERE book_id = $1 AND sequence >= $2 AND sequence <= $3
      ORDER BY sequence LIMIT ${PAGE}`,
    values: [bookId, range.next, range.through],
  });
  const { wants } = subscriberOf({ id: endpointId, events: replay.events });
  const wanted = rows.filter(({ type, object_id: objectId }) => wants(type, objectId)).map(({ sequence }) => sequence);
  const next = rows.length < PAGE ? range.through + 1n : rows.at(-1)!.sequence + 1n;
  if (wanted.length === 0) return { from: undefined, next };
  const { rows: added } = await trx.query<{ event_sequence: bigint }>({
    name: 'webhook_deliveries.add_missing',
    text: `INSERT INTO webhook_deliveries (book_id, endpoint_id, event_sequence, status, created_at)
      SELECT $1, $2, sequence, 'pending', now() FROM unnest($3::bigint[]) AS missing (sequence)
      ON CONFLICT DO NOTHING RETURNING event_sequence`,
    values: [bookId, endpointId, plainArray(wanted)],
  });
  const from = added.reduce<bigint | undefined>(
    (first, { event_sequence: sequence }) => (first === undefined || sequence < first ? sequence : first),
    undefined,
  );
  return { from, next };
}

/**
 * Deliveries without a due time of their own are due with their endpoint. A process that drains it finds them by
 * `joined_from` (keepBacklog, clearBacklog). Index: webhook_endpoints_pkey.
 */
async function joinBacklog(
  trx: Transaction,
  { bookId, endpointId, from, now }: { bookId: BookId; endpointId: Uuid; from: bigint; now: Instant },
): Promise<void> {
  await trx.query({
    name: 'webhook_endpoints.join',
    text: `UPDATE webhook_endpoints SET retry_at = COALESCE(retry_at, $4), due_at = COALESCE(due_at, $4),
        waiting_from = LEAST(waiting_from, $3), joined_from = LEAST(joined_from, $3)
      WHERE book_id = $1 AND id = $2`,
    values: [bookId, endpointId, from, new Date(now)],
  });
}

/** How many deliveries a recovery makes wait, up to COUNTED_MAX. Index: webhook_deliveries_open. */
export async function countRecoverable(
  db: Queryable,
  { bookId, endpointId }: { bookId: BookId; endpointId: Uuid },
  { next, through }: Range,
): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>({
    name: 'webhook_deliveries.count_recoverable',
    text: `SELECT count(*) FROM (SELECT FROM webhook_deliveries
      WHERE book_id = $1 AND endpoint_id = $2 AND event_sequence >= $3 AND event_sequence <= $4
        AND status <> 'delivered' AND status IN ('failed', 'canceled') LIMIT ${COUNTED_MAX}) AS recoverable`,
    values: [bookId, endpointId, next, through],
  });
  return Number(rows[0]!.count);
}

/**
 * How many events of these types have no delivery to the endpoint, up to COUNTED_MAX. Indexes: events_pkey,
 * webhook_deliveries_pkey.
 */
export async function countMissing(
  db: Queryable,
  { bookId, endpointId, types }: { bookId: BookId; endpointId: Uuid; types: readonly string[] | null },
  { next, through }: Range,
): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>({
    name: 'events.count_missing',
    text: `SELECT count(*) FROM (SELECT FROM events e
      WHERE e.book_id = $1 AND e.sequence >= $3 AND e.sequence <= $4 AND ($5::text[] IS NULL OR e.type = ANY ($5))
        AND e.type <> 'webhook.test' AND NOT (e.type = 'webhook_endpoint.disabled' AND e.object_id = $2)
        AND NOT EXISTS (SELECT FROM webhook_deliveries d
          WHERE d.book_id = $1 AND d.endpoint_id = $2 AND d.event_sequence = e.sequence)
      LIMIT ${COUNTED_MAX}) AS missing`,
    values: [bookId, endpointId, next, through, types],
  });
  return Number(rows[0]!.count);
}

/** The sequence of an event that has a delivery to the endpoint. Indexes: events_book_id_id_key, webhook_deliveries_pkey. */
export async function findDelivery(
  db: Queryable,
  { bookId, endpointId, eventId }: { bookId: BookId; endpointId: Uuid; eventId: Uuid },
): Promise<bigint | undefined> {
  const { rows } = await db.query<{ sequence: bigint }>({
    name: 'webhook_deliveries.find',
    text: `SELECT e.sequence FROM events e JOIN webhook_deliveries d
        ON d.book_id = e.book_id AND d.endpoint_id = $2 AND d.event_sequence = e.sequence
      WHERE e.book_id = $1 AND e.id = $3`,
    values: [bookId, endpointId, eventId],
  });
  return rows[0]?.sequence;
}
