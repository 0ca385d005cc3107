/**
 * Rows that are due: no worker moved them in time. Read across all books, which only the sweeper and the metrics may
 * do. Postponed book by book, outside the book's lock, by compare-and-set.
 */
import type { Instant } from '../clock.ts';
import { instantArray, plainArray, textArray } from '../db/columns.ts';
import type { Forms } from '../db/forms.ts';
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import { WAITING_DUE } from '../webhooks/backlog.ts';

/** A row that is due, with the id that a job carries. */
export interface DueRow {
  readonly bookId: Uuid;
  readonly id: string;
  readonly dueAt: Instant;
}

/** A kind of row that falls due. The SQL is constant; it never carries input. */
export interface DueSource {
  readonly table: string;
  /** The id that a job carries. */
  readonly id: string;
  /** Selects among the rows that are due. The table's due_by_book index begins with the same columns. */
  readonly where: string;
}

export const DUE_PENDING_PAYOUTS: DueSource = { table: 'payouts', id: 'id', where: "status = 'pending'" };
export const DUE_PROCESSING_PAYOUTS: DueSource = { table: 'payouts', id: 'id', where: "status = 'processing'" };
export const DUE_DELIVERIES: DueSource = {
  table: 'webhook_deliveries',
  id: "event_sequence || ':' || endpoint_id",
  where: "status = 'pending'",
};

interface DueRecord {
  book_id: Uuid;
  id: string;
  due_at: Instant;
}

const toDueRow = (row: DueRecord): DueRow => ({ bookId: row.book_id, id: row.id, dueAt: row.due_at });

/**
 * Finds rows of all books, longest due first. No second sort key: of a hundred thousand rows that are due at the same
 * moment a page must not sort them all, and postponed rows leave the front by themselves. Index: <table>_due.
 */
export async function findDue(
  pool: Pool,
  { table, id, where }: DueSource,
  page: { now: Instant; limit: number },
): Promise<DueRow[]> {
  const { rows } = await pool.query<DueRecord>(
    `SELECT book_id, ${id} AS id, due_at FROM ${table}
     WHERE due_at <= $1 AND due_at IS NOT NULL AND stuck_at IS NULL AND ${where}
     ORDER BY due_at LIMIT $2`,
    [new Date(page.now), page.limit],
  );
  return rows.map(toDueRow);
}

export interface DueByBook {
  readonly rows: DueRow[];
  /** The last book of the page; undefined when no book follows. */
  readonly lastBook: Uuid | undefined;
}

export const BEFORE_ALL_BOOKS = '00000000-0000-0000-0000-000000000000';
/** Books in one page. */
export const BOOKS_PAGE = 100;
/** Rows in one page, shared equally among its books: at least the rows of one job for each, at most those of ten. */
const ROWS_PAGE = 10_000;
const ROWS_PER_BOOK = { least: 100, most: 1_000 };

/**
 * Finds a page of books in order of id, each with its own longest due rows. The due rows of one book, however many,
 * never hide those of another. A step from book to book reads one entry of the index, a book without due rows another
 * one. Index: <table>_due_by_book.
 */
export async function findDueByBook(
  pool: Pool,
  source: DueSource,
  page: { now: Instant; after: Uuid | undefined },
): Promise<DueByBook> {
  const { rows } = await pool.query<{ book_id: Uuid; id: string | null; due_at: Instant | null }>(
    dueByBookSql(source),
    [new Date(page.now), page.after ?? BEFORE_ALL_BOOKS],
  );
  const books = new Set(rows.map((row) => row.book_id));
  const due = rows.filter((row): row is DueRecord => row.id !== null).map(toDueRow);
  return { rows: due, lastBook: books.size < BOOKS_PAGE ? undefined : [...books].at(-1) };
}

/** $1: due until this time. $2: the page begins after this book. */
export function dueByBookSql({ table, id, where }: DueSource): string {
  const open = `due_at IS NOT NULL AND stuck_at IS NULL AND ${where}`;
  return `WITH RECURSIVE step (book_id) AS (
       (SELECT book_id FROM ${table} WHERE ${open} AND book_id > $2 ORDER BY book_id LIMIT 1)
       UNION ALL
       SELECT (SELECT book_id FROM ${table} WHERE ${open} AND ${table}.book_id > step.book_id ORDER BY ${table}.book_id LIMIT 1)
       FROM step WHERE step.book_id IS NOT NULL
     ), book AS MATERIALIZED (
       SELECT book_id FROM step WHERE book_id IS NOT NULL LIMIT ${BOOKS_PAGE}
     )
     SELECT book.book_id, due.id, due.due_at FROM book LEFT JOIN LATERAL (
       SELECT ${id} AS id, due_at FROM ${table}
       WHERE ${open} AND ${table}.book_id = book.book_id AND due_at <= $1 ORDER BY due_at
       LIMIT (SELECT GREATEST(${ROWS_PER_BOOK.least}, LEAST(${ROWS_PER_BOOK.most}, ${ROWS_PAGE} / count(*))) FROM book)
     ) AS due ON true`;
}

/**
 * Postpones rows of one book, and resolves to the ids that were postponed; the caller enqueues those. A row that moved
 * meanwhile, or that another sweeper postponed, has another due time and is left alone. A locked row is being moved
 * right now and is skipped, so that the statement never waits for a committer and is part of no deadlock.
 *
 * Each row is found by its key: LIMIT 1 makes sure of it, and `due_at` is compared in a way that no index serves. Tried
 * and slower: a join with the list, which read all 60,000 due rows of a book for each hundred (100 ms instead of 3).
 */
export async function postponeDuePayouts(
  pool: Pool,
  bookId: Uuid,
  rows: readonly DueRow[],
  until: Instant,
): Promise<string[]> {
  const { rows: postponed } = await pool.query<{ id: Uuid }>(
    `WITH free AS (
       SELECT payout.id FROM unnest($2::uuid[], $3::timestamptz[]) AS seen (id, due_at)
       CROSS JOIN LATERAL (SELECT id FROM payouts
         WHERE book_id = $1 AND id = seen.id AND due_at IS NOT DISTINCT FROM seen.due_at AND stuck_at IS NULL
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS payout
     )
     UPDATE payouts SET due_at = $4 WHERE book_id = $1 AND id = ANY (ARRAY (SELECT id FROM free))
     RETURNING id`,
    [bookId, plainArray(rows.map((row) => row.id)), instantArray(rows.map((row) => row.dueAt)), new Date(until)],
  );
  return postponed.map(({ id }) => id);
}

/**
 * Postpones deliveries in the same way. Deliveries of an endpoint that is behind join its backlog: they are due with
 * their endpoint. Their own due time is late (WAITING_DUE), spread so that all backlogs together take two updates a
 * second, or null once the forms are contracted. Their ids are not among those returned.
 */
export async function postponeDueDeliveries(
  pool: Pool,
  bookId: Uuid,
  rows: readonly DueRow[],
  until: Instant,
  { contracted }: Pick<Forms, 'contracted'>,
): Promise<string[]> {
  const keys = rows.map((row) => row.id.split(':'));
  const { rows: postponed } = await pool.query<{ id: string }>(
    `WITH behind AS (
       -- Held until the end: none catches up between this look and the deliveries that join.
       SELECT id, waiting_from FROM webhook_endpoints
       WHERE book_id = $1 AND id = ANY ($3::uuid[]) AND behind_since IS NOT NULL AND due_at IS NOT NULL
       ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
     ), spread AS (
       SELECT LEAST($6::float8 * ((SELECT event_sequence FROM books WHERE id = $1) - (SELECT min(waiting_from) FROM behind) + 1)
           * (SELECT count(*) FROM (SELECT FROM webhook_endpoints WHERE due_at IS NOT NULL LIMIT 1000) AS others), $7) AS seconds
       WHERE EXISTS (SELECT FROM behind)
     ), free AS (
       SELECT delivery.place FROM unnest($2::bigint[], $3::uuid[], $4::timestamptz[]) AS seen (event_sequence, endpoint_id, due_at)
       CROSS JOIN LATERAL (SELECT ctid AS place FROM webhook_deliveries
         WHERE book_id = $1 AND endpoint_id = seen.endpoint_id AND event_sequence = seen.event_sequence
           AND due_at IS NOT DISTINCT FROM seen.due_at AND stuck_at IS NULL
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS delivery
     ), moved AS (
       UPDATE webhook_deliveries SET due_at = CASE WHEN endpoint_id = ANY (ARRAY (SELECT id FROM behind))
         THEN $8::timestamptz + random() * (SELECT seconds FROM spread) * interval '1 second' ELSE $5 END
       WHERE book_id = $1 AND ctid = ANY (ARRAY (SELECT place FROM free))
       RETURNING event_sequence, endpoint_id, endpoint_id = ANY (ARRAY (SELECT id FROM behind)) AS waits
     ), lowered AS (
       -- Who drains it may be past them: told by joined_from (keepBacklog, clearBacklog).
       UPDATE webhook_endpoints w SET waiting_from = LEAST(w.waiting_from, first.event_sequence),
         joined_from = LEAST(w.joined_from, first.event_sequence)
       FROM (SELECT endpoint_id, min(event_sequence) AS event_sequence FROM moved WHERE waits GROUP BY endpoint_id) AS first
       WHERE w.book_id = $1 AND w.id = first.endpoint_id
     )
     SELECT event_sequence || ':' || endpoint_id AS id FROM moved WHERE NOT waits`,
    [
      bookId,
      plainArray(keys.map(([sequence]) => sequence!)),
      plainArray(keys.map(([, endpointId]) => endpointId!)),
      instantArray(rows.map((row) => row.dueAt)),
      new Date(until),
      WAITING_DUE.spacingSeconds,
      WAITING_DUE.spreadMaxSeconds,
      contracted ? null : new Date(until + 1_000 * WAITING_DUE.firstSeconds),
    ],
  );
  return postponed.map(({ id }) => id);
}

/**
 * Finds a page of books with rail notices in their inbox, and whether any of them is due. Reads one step of the index a
 * book, however many notices the book has. Index: rail_notices_due_by_book.
 */
export async function findBooksWithNotices(
  pool: Pool,
  page: { now: Instant; after: Uuid; limit: number },
): Promise<{ bookId: Uuid; due: boolean }[]> {
  const { rows } = await pool.query<{ book_id: Uuid; due: boolean }>(
    `WITH RECURSIVE inbox AS (
       (SELECT book_id, due_at, 1 AS number FROM rail_notices
        WHERE book_id > $2 AND due_at IS NOT NULL AND stuck_at IS NULL ORDER BY book_id, due_at LIMIT 1)
       UNION ALL
       SELECT next.book_id, next.due_at, inbox.number + 1 FROM inbox CROSS JOIN LATERAL (
         SELECT book_id, due_at FROM rail_notices
         WHERE book_id > inbox.book_id AND due_at IS NOT NULL AND stuck_at IS NULL ORDER BY book_id, due_at LIMIT 1) AS next
       WHERE inbox.number < $3
     )
     SELECT book_id, due_at <= $1 AS due FROM inbox`,
    [new Date(page.now), page.after, page.limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, due: row.due }));
}

export interface AgedKey {
  readonly bookId: Uuid;
  readonly key: string;
}

/** Finds keys whose stored answer is older than its retention. Index: idempotency_keys_with_body. */
export async function findAgedKeys(pool: Pool, page: { before: Instant; limit: number }): Promise<AgedKey[]> {
  const { rows } = await pool.query<{ book_id: Uuid; key: string }>(
    `SELECT book_id, key FROM idempotency_keys
     WHERE body IS NOT NULL AND created_at < $1
     ORDER BY created_at LIMIT $2`,
    [new Date(page.before), page.limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, key: row.key }));
}

/** Drops the stored answers and keeps the keys, so that a repeated request never pays twice. */
export async function dropBodies(pool: Pool, bookId: Uuid, keys: readonly AgedKey[]): Promise<number> {
  const { rowCount } = await pool.query(
    'UPDATE idempotency_keys SET body = NULL WHERE book_id = $1 AND key = ANY ($2::text[]) AND body IS NOT NULL',
    [bookId, textArray(keys.map(({ key }) => key))],
  );
  return rowCount ?? 0;
}
