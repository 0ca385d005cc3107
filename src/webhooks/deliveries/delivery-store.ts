/**
 * All SQL that delivering needs, of one book. Of several books at once: delivery-pairs-store.ts. The lists of the API are
 * in delivery-list-store.ts.
 */

import { column, instantArray, plainArray, textArray } from '../../db/columns.ts';
import { newestBook } from '../../db/newest.ts';
import type { Queryable, Transaction } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Delivery } from '../../ledger/events/event.ts';
import { FIRST_EVENT, KEPT_COLUMNS } from '../../ledger/events/event-read-store.ts';
import { type KeptEventRow, wholePayload } from '../../ledger/events/render-event.ts';
import { fillPayloads } from '../../ledger/rows/personal-text-store.ts';
import { type BookRow, type Log, WRITE_ORDER } from '../../ledger/rows/table.ts';
import type { Instant } from '../../values/clock.ts';
import type { Signature } from '../endpoints/endpoint.ts';
import { readSecrets, type StoredSecret } from '../endpoints/endpoint-table.ts';
import {
  type DeliveryEndpoint,
  type DeliveryInHand,
  type DeliveryKey,
  type DeliveryResult,
  FIRST_DUE_SECONDS,
} from './delivery.ts';
import { HEALTH_CHANGES, HEALTH_COLUMNS, HEALTH_SET, healthColumns } from './endpoint-health-store.ts';
import { healthOf } from './failing-streak.ts';

/**
 * One row for each event and matching endpoint, in the event's own commit. A test book's clock may be ahead of the wall
 * clock, which the sweeper uses. So the due time is counted from the earlier of the two.
 */
export const deliveryLog: Log<Delivery> = {
  name: 'webhook_deliveries',
  writeOrder: WRITE_ORDER.deliveries,
  append: (trx, bookId, rows) =>
    rows.some((row) => row.behindFrom !== null) ? appendBehind(trx, bookId, rows) : appendDue(trx, bookId, rows),
  pairs: { append: appendOfBooks },
};

async function appendDue(trx: Transaction, bookId: BookId, rows: readonly Delivery[]): Promise<void> {
  await trx.query({
    name: 'webhook_deliveries.append',
    text: `INSERT INTO webhook_deliveries (book_id, endpoint_id, event_sequence, status, due_at, created_at)
      SELECT $1, v.endpoint_id, v.event_sequence, 'pending', LEAST(v.created_at, now()) + interval '${FIRST_DUE_SECONDS} seconds', v.created_at
      FROM unnest($2::uuid[], $3::bigint[], $4::timestamptz[]) AS v (endpoint_id, event_sequence, created_at)`,
    values: [bookId, ...deliveryColumns(rows)],
  });
}

/**
 * Appends deliveries when some of the endpoints are behind: the deliveries of those are due with their endpoint
 * (backlog.ts).
 */
async function appendBehind(trx: Transaction, bookId: BookId, rows: readonly Delivery[]): Promise<void> {
  const delays = column(rows, dueSecondsOf);
  await trx.query({
    name: 'webhook_deliveries.append_behind',
    text: `INSERT INTO webhook_deliveries (book_id, endpoint_id, event_sequence, status, due_at, created_at)
      SELECT $1, v.endpoint_id, v.event_sequence, 'pending', LEAST(v.created_at, now()) + v.delay * interval '1 second', v.created_at
      FROM unnest($2::uuid[], $3::bigint[], $4::timestamptz[], $5::double precision[]) AS v (endpoint_id, event_sequence, created_at, delay)`,
    values: [bookId, ...deliveryColumns(rows), plainArray(delays)],
  });
}

/** Appends deliveries of several books, whether or not their endpoints are behind. */
async function appendOfBooks(trx: Transaction, rows: readonly BookRow<Delivery>[]): Promise<void> {
  const deliveries = column(rows, ({ row }) => row);
  await trx.query({
    name: 'webhook_deliveries.append_pairs',
    text: `INSERT INTO webhook_deliveries (book_id, endpoint_id, event_sequence, status, due_at, created_at)
      SELECT v.book_id, v.endpoint_id, v.event_sequence, 'pending', LEAST(v.created_at, now()) + v.delay * interval '1 second', v.created_at
      FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::timestamptz[], $5::double precision[]) AS v (book_id, endpoint_id, event_sequence, created_at, delay)`,
    values: [
      plainArray(column(rows, ({ bookId }) => bookId)),
      ...deliveryColumns(deliveries),
      plainArray(column(deliveries, dueSecondsOf)),
    ],
  });
}

/** After how many seconds a delivery is due, from its event on. Null: with its endpoint (backlog.ts). */
function dueSecondsOf({ behindFrom }: Delivery): number | null {
  return behindFrom === null ? FIRST_DUE_SECONDS : null;
}

function deliveryColumns(rows: readonly Delivery[]): string[] {
  return [
    plainArray(column(rows, (row) => row.subscriberId)),
    plainArray(column(rows, (row) => row.eventSequence)),
    instantArray(column(rows, (row) => row.createdAt)),
  ];
}

export interface PendingRow extends KeptEventRow {
  event_sequence: bigint;
  endpoint_id: string;
  attempts: number;
  retry_at: Instant | null;
  early_attempts: number | null;
}

/** A row of events as fillPayloads takes it. Throws UnreadableEvent. */
export function keptPayload(row: KeptEventRow) {
  return { payload: wholePayload(row), textReferences: row.text_references };
}

export interface EndpointRow {
  id: string;
  mode: DeliveryInHand['mode'];
  url: string;
  status: DeliveryEndpoint['status'];
  secret_sealed: Buffer | null;
  previous_secret_sealed: Buffer | null;
  previous_secret_until: Instant | null;
  earlier_secrets: readonly StoredSecret[] | null;
  failing_since: Instant | null;
  behind_since: Instant | null;
  ordered: boolean;
  rate_per_second: number | null;
  rate_free_at: Instant | null;
  headers_sealed: Buffer | null;
  signatures: readonly Signature[];
  signing_key_sealed: Buffer | null;
}

/** The columns of an endpoint that attempts need, for both statements that load them. */
export const ENDPOINT_COLUMNS = `id, url, status, secret_sealed, previous_secret_sealed, previous_secret_until, earlier_secrets, failing_since,
  behind_since, ordered, rate_per_second, rate_free_at, headers_sealed, signatures, signing_key_sealed`;

/**
 * Loads pending deliveries with their events and endpoints: two queries for any number,
 * and one for their personal text, in no order. Final, stuck and
 * unknown deliveries are absent. Each endpoint is loaded once, however many deliveries it has.
 */
export async function loadPendingDeliveries(
  db: Queryable,
  bookId: BookId,
  keys: readonly DeliveryKey[],
): Promise<DeliveryInHand[]> {
  const [pending, endpoints] = await Promise.all([
    loadPending(db, bookId, keys),
    loadEndpoints(db, bookId, new Set(column(keys, (key) => key.endpointId))),
  ]);
  const filled = await fillPayloads(db, bookId, pending.map(keptPayload));
  return pending.map((row, index) => deliveryFromRow(row, filled[index]!, endpoints.get(row.endpoint_id)!));
}

/** A delivery's endpoint, and the mode of its book. */
export type EndpointInHand = Pick<DeliveryInHand, 'mode' | 'endpoint'>;

export function deliveryFromRow(
  row: PendingRow,
  { payload, texts }: Pick<DeliveryInHand, 'payload' | 'texts'>,
  endpoint: EndpointInHand,
): DeliveryInHand {
  return {
    eventSequence: row.event_sequence,
    endpointId: row.endpoint_id,
    eventId: row.id,
    payload,
    texts,
    attempts: row.attempts,
    retryAt: row.retry_at,
    earlyAttempts: row.early_attempts ?? 0,
    ...endpoint,
  };
}

/**
 * Indexes: webhook_deliveries_pkey, events_pkey. LIMIT 1 forces them. With a plain join, a planner that has seen few
 * open deliveries reads all of them, and keeps that plan when there are a million.
 */
async function loadPending(db: Queryable, bookId: BookId, keys: readonly DeliveryKey[]): Promise<PendingRow[]> {
  const { rows } = await db.query<PendingRow>({
    name: 'webhook_deliveries.load',
    text: `SELECT k.event_sequence, k.endpoint_id, d.*, e.*
      FROM unnest($2::uuid[], $3::bigint[]) AS k (endpoint_id, event_sequence)
      CROSS JOIN LATERAL (SELECT attempts, retry_at, early_attempts FROM webhook_deliveries
        WHERE book_id = $1 AND endpoint_id = k.endpoint_id AND event_sequence = k.event_sequence
          AND status = 'pending' AND stuck_at IS NULL LIMIT 1) AS d
      CROSS JOIN LATERAL (SELECT ${KEPT_COLUMNS} FROM events ${FIRST_EVENT}
        WHERE book_id = $1 AND sequence = k.event_sequence LIMIT 1) AS e`,
    values: [
      bookId,
      plainArray(column(keys, (key) => key.endpointId)),
      plainArray(column(keys, (key) => key.eventSequence)),
    ],
  });
  return rows;
}

/** Index: webhook_endpoints_pkey, books_pkey. */
export async function loadEndpoints(
  db: Queryable,
  bookId: BookId,
  ids: ReadonlySet<string>,
): Promise<Map<string, EndpointInHand>> {
  const { rows } = await db.query<EndpointRow>({
    name: 'webhook_deliveries.endpoints',
    text: `SELECT b.mode, w.* FROM (SELECT ${ENDPOINT_COLUMNS} FROM webhook_endpoints WHERE book_id = $1 AND id = ANY ($2::uuid[])) w, LATERAL (${newestBook('mode', '$1')}) b`,
    values: [bookId, plainArray([...ids])],
  });
  return new Map(rows.map((row) => [row.id, { mode: row.mode, endpoint: endpointFromRow(bookId, row) }]));
}

export function endpointFromRow(bookId: BookId, row: EndpointRow): DeliveryEndpoint {
  return {
    bookId,
    id: row.id,
    url: row.url,
    status: row.status,
    secretSealed: row.secret_sealed,
    previousSecretSealed: row.previous_secret_sealed,
    previousSecretUntil: row.previous_secret_until,
    earlierSecrets: readSecrets(row.earlier_secrets),
    failingSince: row.failing_since,
    behindSince: row.behind_since,
    ordered: row.ordered,
    ratePerSecond: row.rate_per_second,
    rateFreeAt: row.rate_free_at,
    headersSealed: row.headers_sealed,
    signatures: row.signatures,
    signingKeySealed: row.signing_key_sealed,
  };
}

/**
 * Records the results of deliveries, in one statement for any number. Each is a compare-and-set on `pending` and the
 * count of attempts: of two results of the same attempt only the first is written, with its attempt row. The statement
 * also keeps the streaks of failures of the endpoints, of which mostly no row changes.
 *
 * An upsert that never inserts, since deliveries are not deleted. It finds each row by the primary key and locks the
 * rows in the order given, which is the order of their keys. Tried and slower: an UPDATE joined with the list. It wrote
 * 30,000 rows a second, until the planner believed that a book has few open deliveries and read all of them for each
 * row of the list: 260 a second.
 */
export async function recordResults(
  db: Queryable,
  bookId: BookId,
  unordered: readonly DeliveryResult[],
): Promise<void> {
  const results = [...unordered].sort(byKey);
  const health = [...healthOf(results)].map(([endpointId, failures]) => ({ endpointId, failures }));
  await db.query({
    name: 'webhook_deliveries.record',
    text: `WITH result AS (
        SELECT * FROM unnest($2::uuid[], $3::bigint[], $4::smallint[], $5::text[], $6::timestamptz[],
          $7::timestamptz[], $8::integer[], $9::smallint[], $10::text[], $11::text[])
          AS r (endpoint_id, event_sequence, attempts, status, retry_at, started_at, duration_ms, http_status, error, response)
      ), changed AS (
        INSERT INTO webhook_deliveries AS d (book_id, endpoint_id, event_sequence, status, attempts, retry_at, due_at, created_at)
        SELECT $1, endpoint_id, event_sequence, status, attempts, retry_at, retry_at, now() FROM result
        ON CONFLICT (book_id, endpoint_id, event_sequence) DO UPDATE
          SET status = excluded.status, attempts = excluded.attempts, retry_at = excluded.retry_at, due_at = excluded.due_at,
            stuck_at = NULL, stuck_error = NULL
          WHERE d.status = 'pending' AND d.attempts = excluded.attempts - CASE excluded.status WHEN 'canceled' THEN 0 ELSE 1 END
        RETURNING d.endpoint_id, d.event_sequence
      ), health AS (
        UPDATE webhook_endpoints w SET ${HEALTH_SET}
        FROM unnest($12::uuid[], $13::timestamptz[], $14::timestamptz[], $15::bigint[], $16::timestamptz[])
          AS h (endpoint_id, ${HEALTH_COLUMNS})
        WHERE w.book_id = $1 AND w.id = h.endpoint_id AND ${HEALTH_CHANGES}
      )
      INSERT INTO webhook_attempts (book_id, endpoint_id, event_sequence, attempt, started_at, duration_ms, status, error, response)
      SELECT $1, r.endpoint_id, r.event_sequence, r.attempts, r.started_at, r.duration_ms, r.http_status, r.error, r.response
      FROM result r JOIN changed USING (endpoint_id, event_sequence)
      WHERE r.started_at IS NOT NULL`,
    values: [bookId, ...resultColumns(results), ...healthColumns(health)],
  });
}

/** The columns of results, for both statements that record them. */
export function resultColumns(results: readonly DeliveryResult[]): string[] {
  return [
    plainArray(column(results, (result) => result.endpointId)),
    plainArray(column(results, (result) => result.eventSequence)),
    // The count after this attempt. A canceled delivery was not attempted.
    plainArray(column(results, ({ attempts, attempt }) => (attempt === null ? attempts : attempts + 1))),
    textArray(column(results, (result) => result.status)),
    instantArray(column(results, (result) => result.retryAt)),
    instantArray(column(results, ({ attempt }) => attempt?.startedAt ?? null)),
    plainArray(column(results, ({ attempt }) => attempt?.durationMs ?? null)),
    plainArray(column(results, ({ attempt }) => attempt?.status ?? null)),
    textArray(column(results, ({ attempt }) => attempt?.error ?? null)),
    textArray(column(results, ({ attempt }) => attempt?.response ?? null)),
  ];
}

/** The order in which results lock their rows, within a book. */
export function byKey(a: DeliveryKey, b: DeliveryKey): number {
  if (a.endpointId !== b.endpointId) return a.endpointId < b.endpointId ? -1 : 1;
  return Number(a.eventSequence - b.eventSequence);
}
