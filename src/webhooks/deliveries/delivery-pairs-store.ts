/**
 * The SQL of deliveries of several books at once: what delivery-store.ts does for one, over pairs of book and id. Each row
 * has an index lookup by its primary key, which LIMIT 1 forces: two lists of books and ids would probe every pair, and a
 * plain join reads the table where its plan was made while it was small.
 */
import { column, plainArray } from '../../db/columns.ts';
import { newestBook } from '../../db/newest.ts';
import type { Pool, Queryable, Transaction } from '../../db/pool.ts';
import { BEGIN_MULTI_BOOK, inTransaction } from '../../db/transaction.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { FIRST_EVENT, KEPT_COLUMNS } from '../../ledger/events/event-read-store.ts';
import { fillPayloadsOfBooks } from '../../ledger/rows/personal-text-store.ts';
import { type BookRow, pairKey } from '../../ledger/rows/table.ts';
import type { Uuid } from '../../values/ids.ts';
import type { DeliveryInHand, DeliveryKey, DeliveryResult } from './delivery.ts';
import {
  byKey,
  deliveryFromRow,
  ENDPOINT_COLUMNS,
  type EndpointInHand,
  type EndpointRow,
  endpointFromRow,
  keptPayload,
  type PendingRow,
  resultColumns,
} from './delivery-store.ts';
import {
  type EndpointHealth,
  HEALTH_CHANGES,
  HEALTH_COLUMNS,
  HEALTH_SET,
  healthColumns,
} from './endpoint-health-store.ts';
import { healthOf } from './failing-streak.ts';

/**
 * Loads pending deliveries of several books with their events and endpoints: two queries for any number, and one for
 * their personal text, in no order. Absent: as in loadPendingDeliveries.
 */
export async function loadPendingOfBooks(
  db: Queryable,
  keys: readonly BookRow<DeliveryKey>[],
): Promise<BookRow<DeliveryInHand>[]> {
  const [pending, endpoints] = await Promise.all([loadPending(db, keys), loadEndpoints(db, keys)]);
  const kept = pending.map((row) => ({ bookId: row.book_id, ...keptPayload(row) }));
  const filled = await fillPayloadsOfBooks(db, kept);
  return pending.map((row, index) => ({
    bookId: row.book_id,
    row: deliveryFromRow(row, filled[index]!, endpoints.get(pairKey(row.book_id, row.endpoint_id))!),
  }));
}

/** Indexes: webhook_deliveries_open, which has the columns of the key, or webhook_deliveries_pkey; events_pkey. */
async function loadPending(db: Queryable, keys: readonly BookRow<DeliveryKey>[]): Promise<PendingRow[]> {
  const { rows } = await db.query<PendingRow>({
    name: 'webhook_deliveries.load_pairs',
    text: `SELECT k.event_sequence, k.endpoint_id, d.*, e.*
      FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS k (book_id, endpoint_id, event_sequence)
      CROSS JOIN LATERAL (SELECT attempts, retry_at, early_attempts FROM webhook_deliveries
        WHERE book_id = k.book_id AND endpoint_id = k.endpoint_id AND event_sequence = k.event_sequence
          AND status = 'pending' AND stuck_at IS NULL LIMIT 1) AS d
      CROSS JOIN LATERAL (SELECT ${KEPT_COLUMNS} FROM events ${FIRST_EVENT}
        WHERE book_id = k.book_id AND sequence = k.event_sequence LIMIT 1) AS e`,
    values: [
      booksOf(keys),
      plainArray(column(keys, ({ row }) => row.endpointId)),
      plainArray(column(keys, ({ row }) => row.eventSequence)),
    ],
  });
  return rows;
}

/** By book and id. Indexes: webhook_endpoints_pkey, books_pkey. */
async function loadEndpoints(
  db: Queryable,
  keys: readonly BookRow<DeliveryKey>[],
): Promise<Map<string, EndpointInHand>> {
  const wanted = [
    ...new Map(
      keys.map(({ bookId, row }) => [pairKey(bookId, row.endpointId), { bookId, id: row.endpointId }]),
    ).values(),
  ];
  const { rows } = await db.query<EndpointRow & { book_id: BookId }>({
    name: 'webhook_deliveries.endpoints_pairs',
    text: `SELECT k.book_id, w.*, b.mode FROM unnest($1::uuid[], $2::uuid[]) AS k (book_id, id)
      CROSS JOIN LATERAL (SELECT ${ENDPOINT_COLUMNS}
        FROM webhook_endpoints WHERE webhook_endpoints.book_id = k.book_id AND webhook_endpoints.id = k.id LIMIT 1) AS w
      CROSS JOIN LATERAL (${newestBook('mode', 'k.book_id')}) AS b`,
    values: [booksOf(wanted), plainArray(column(wanted, ({ id }) => id))],
  });
  return new Map(
    rows.map((row) => [pairKey(row.book_id, row.id), { mode: row.mode, endpoint: endpointFromRow(row.book_id, row) }]),
  );
}

/**
 * Records the results of deliveries of several books, as recordResults does those of one. Locks deliveries, then endpoints,
 * each in order of book and id, so that two recorders never wait for each other. Mostly no endpoint's health changes, and
 * the third statement is not sent.
 */
export async function recordResultsOfBooks(pool: Pool, unordered: readonly BookRow<DeliveryResult>[]): Promise<void> {
  const results = [...unordered].sort((a, b) => byBook(a, b) || byKey(a.row, b.row));
  await inTransaction(
    pool,
    async (trx) => {
      const [, changed] = await Promise.all([record(trx, results), lockChangedHealth(trx, results)]);
      if (changed.length > 0) await updateHealth(trx, changed);
    },
    { begin: BEGIN_MULTI_BOOK },
  );
}

/** An upsert that never inserts: see recordResults. Index: webhook_deliveries_pkey. */
async function record(trx: Transaction, results: readonly BookRow<DeliveryResult>[]): Promise<void> {
  await trx.query({
    name: 'webhook_deliveries.record_pairs',
    text: `WITH result AS (
        SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::smallint[], $5::text[], $6::timestamptz[],
          $7::timestamptz[], $8::integer[], $9::smallint[], $10::text[], $11::text[])
          AS r (book_id, endpoint_id, event_sequence, attempts, status, retry_at, started_at, duration_ms, http_status, error, response)
      ), changed AS (
        INSERT INTO webhook_deliveries AS d (book_id, endpoint_id, event_sequence, status, attempts, retry_at, due_at, created_at)
        SELECT book_id, endpoint_id, event_sequence, status, attempts, retry_at, retry_at, now() FROM result
        ON CONFLICT (book_id, endpoint_id, event_sequence) DO UPDATE
          SET status = excluded.status, attempts = excluded.attempts, retry_at = excluded.retry_at, due_at = excluded.due_at,
            stuck_at = NULL, stuck_error = NULL
          WHERE d.status = 'pending' AND d.attempts = excluded.attempts - CASE excluded.status WHEN 'canceled' THEN 0 ELSE 1 END
        RETURNING d.book_id, d.endpoint_id, d.event_sequence
      )
      INSERT INTO webhook_attempts (book_id, endpoint_id, event_sequence, attempt, started_at, duration_ms, status, error, response)
      SELECT r.book_id, r.endpoint_id, r.event_sequence, r.attempts, r.started_at, r.duration_ms, r.http_status, r.error, r.response
      FROM result r JOIN changed USING (book_id, endpoint_id, event_sequence)
      WHERE r.started_at IS NOT NULL`,
    values: [booksOf(results), ...resultColumns(column(results, ({ row }) => row))],
  });
}

/** The books, the ids and HEALTH_COLUMNS of a list of healths. */
const HEALTH_PARAMETERS =
  '$1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::timestamptz[]';

interface Health extends EndpointHealth {
  readonly bookId: BookId;
}

/**
 * Locks the endpoints whose health these results change. A statement of its own: the update that follows finds each row as
 * it is under the lock. Index: webhook_endpoints_pkey.
 */
async function lockChangedHealth(trx: Transaction, results: readonly BookRow<DeliveryResult>[]): Promise<Health[]> {
  const health = healthOfBooks(results);
  const { rows } = await trx.query<{ book_id: BookId; id: Uuid }>({
    name: 'webhook_endpoints.lock_health',
    text: `SELECT h.book_id, h.id FROM unnest(${HEALTH_PARAMETERS}) AS h (book_id, id, ${HEALTH_COLUMNS})
      CROSS JOIN LATERAL (SELECT FROM webhook_endpoints w
        WHERE w.book_id = h.book_id AND w.id = h.id AND ${HEALTH_CHANGES} LIMIT 1 FOR NO KEY UPDATE) AS changed`,
    values: [booksOf(health), ...healthColumns(health)],
  });
  const changed = new Set(rows.map((row) => pairKey(row.book_id, row.id)));
  return health.filter(({ bookId, endpointId }) => changed.has(pairKey(bookId, endpointId)));
}

/** Index: webhook_endpoints_pkey. */
async function updateHealth(trx: Transaction, health: readonly Health[]): Promise<void> {
  await trx.query({
    name: 'webhook_endpoints.update_health',
    text: `UPDATE webhook_endpoints AS w SET ${HEALTH_SET}
      FROM unnest(${HEALTH_PARAMETERS}) AS h (book_id, id, ${HEALTH_COLUMNS})
      WHERE w.book_id = h.book_id AND w.id = h.id AND w.ctid = ANY (ARRAY(
        SELECT (SELECT ctid FROM webhook_endpoints
          WHERE webhook_endpoints.book_id = wanted.book_id AND webhook_endpoints.id = wanted.id LIMIT 1)
        FROM unnest($1::uuid[], $2::uuid[]) AS wanted (book_id, id)))`,
    values: [booksOf(health), ...healthColumns(health)],
  });
}

/** In the order of the results. */
function healthOfBooks(results: readonly BookRow<DeliveryResult>[]): Health[] {
  const ofBooks = new Map<BookId, DeliveryResult[]>();
  for (const { bookId, row } of results) {
    const known = ofBooks.get(bookId);
    if (known) known.push(row);
    else ofBooks.set(bookId, [row]);
  }
  return [...ofBooks].flatMap(([bookId, ofBook]) =>
    [...healthOf(ofBook)].map(([endpointId, failures]) => ({ bookId, endpointId, failures })),
  );
}

function booksOf(rows: readonly { readonly bookId: BookId }[]): string {
  return plainArray(column(rows, ({ bookId }) => bookId));
}

function byBook(a: BookRow<unknown>, b: BookRow<unknown>): number {
  return a.bookId === b.bookId ? 0 : a.bookId < b.bookId ? -1 : 1;
}
