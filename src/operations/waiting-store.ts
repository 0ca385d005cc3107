/**
 * Rows that wait for their pool, by when they began to wait. Read across all books, by the partial indexes of due rows.
 * The due time itself does not show it: the sweeper postpones it as it enqueues, whether or not a worker moves the row.
 */

import { instantArray, plainArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import { keyOf, poolSql, type WaitingRows, waitingColumns } from '../group/moved-rows.ts';
import type { QueuePool } from '../queue/job.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import { keyArrays, keyParameters, sameKey } from './due-store.ts';

/**
 * A row that waits is due within this time: it is postponed by a minute at most, and its first due time is no later. A
 * row that is due later waits for its own time.
 */
const HORIZON_MS = 2 * 60_000;

export interface WaitingFront {
  /** Since when the oldest of these rows waits; null when no row waits. By pool. */
  readonly oldest: ReadonlyMap<QueuePool, Instant>;
  /** How many rows were read. As many as the limit: there may be older ones. */
  readonly seen: number;
}

/** The rows of one kind that are due first. Index: <table>_due. */
export async function readFront(
  pool: Pool,
  rows: WaitingRows,
  { now, limit }: { now: Instant; limit: number },
): Promise<WaitingFront> {
  const found = await pool.query<{ pool: QueuePool; seen: bigint; oldest: Instant | null }>(
    `SELECT ${poolSql(rows)} AS pool, count(*) AS seen, min(since) FILTER (WHERE ${waits(rows)}) AS oldest
     FROM ${openSql(rows, 'ORDER BY due_at LIMIT $3')} GROUP BY 1`,
    [new Date(now), new Date(now + HORIZON_MS), limit],
  );
  return {
    oldest: new Map(found.rows.flatMap((row) => (row.oldest === null ? [] : [[row.pool, row.oldest] as const]))),
    seen: found.rows.reduce((sum, { seen }) => sum + Number(seen), 0),
  };
}

/** A row that waits, by its key as jobs name it. */
export interface WaitingRow {
  readonly bookId: Uuid;
  readonly id: string;
  readonly since: Instant;
}

/** Rows that one scan reads: a second or two. */
const SCANNED_MAX = 1_000_000;

/**
 * Reads all rows of one kind, and answers with those of a pool that have waited longest, in order. Index: <table>_due, by a bitmap. Tried
 * and slower: in the order of due times, 2.3 times for 200,000 rows (docs/benchmarks.md). It sorts them all, on disk, and due times do not
 * show how long a row waits.
 */
export async function scanOldest(
  pool: Pool,
  rows: WaitingRows,
  { of, now, limit }: { of: QueuePool; now: Instant; limit: number },
): Promise<WaitingRow[]> {
  const id = rows.table.key.map(({ name }) => `open.${name}`).join(` || ':' || `);
  const found = await pool.query<{ book_id: Uuid; id: string; since: Instant }>(
    `SELECT book_id, (${id})::text AS id, since FROM ${openSql(rows, `LIMIT ${SCANNED_MAX}`)}
     WHERE ${waits(rows)} AND ${poolSql(rows)} = $3 ORDER BY since LIMIT $4`,
    [new Date(now), new Date(now + HORIZON_MS), of, limit],
  );
  return found.rows.map((row) => ({ bookId: row.book_id, id: row.id, since: row.since }));
}

/** The place in the list of the first row that still waits unchanged; undefined when there is no such row. Index: the primary key. */
export async function firstStillWaiting(
  pool: Pool,
  rows: WaitingRows,
  list: readonly WaitingRow[],
): Promise<number | undefined> {
  const { table } = rows;
  const names = table.key.map(({ name }) => name).join(', ');
  const keys = list.map(({ id }) => keyOf(table, id));
  const { rows: found } = await pool.query<{ place: bigint }>(
    `SELECT seen.place FROM unnest($1::uuid[], $2::timestamptz[], ${keyParameters(table, 3)})
       WITH ORDINALITY AS seen (book_id, since, ${names}, place)
     CROSS JOIN LATERAL (SELECT FROM ${table.name} AS open
       WHERE open.book_id = seen.book_id AND ${sameKey(table, 'open')} AND ${rows.waiting} AND ${rows.waitsSince} = seen.since
       LIMIT 1) AS waiting
     ORDER BY seen.place LIMIT 1`,
    [
      plainArray(list.map(({ bookId }) => bookId)),
      instantArray(list.map(({ since }) => since)),
      ...keyArrays(table, keys),
    ],
  );
  return found[0] && Number(found[0].place) - 1;
}

/** $1: now. $2: the horizon. `part`: which of the rows, and how many. */
function openSql(rows: WaitingRows, part: string): string {
  return `(SELECT ${waitingColumns(rows).join(', ')}, ${rows.waitsSince} AS since FROM ${rows.table.name}
    WHERE due_at <= $2 AND ${rows.waiting} ${part}) AS open`;
}

function waits({ unless }: WaitingRows): string {
  return `since <= $1${unless ? ` AND NOT (${unless})` : ''}`;
}
