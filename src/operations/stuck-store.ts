/**
 * Stuck rows: rows that a bug stopped. They keep their error, are not enqueued, and wait for a person (npm run ops --
 * stuck). Marked and retried outside the book's lock, so by compare-and-set: a row that moved meanwhile is left alone.
 */

import { byBook } from '../db/by-book.ts';
import { instantArray, textArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import { idSql, keyOf, type MovedRows } from '../group/moved-rows.ts';
import { maskCardNumbers } from '../values/card-number.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import { keyArrays, keyParameters, sameKey } from './due-store.ts';

export interface StuckRow {
  readonly kind: string;
  readonly bookId: Uuid;
  /** The id in jobs: the row's key, its columns separated by colons. */
  readonly id: string;
  readonly status: string;
  readonly stuckAt: Instant;
  readonly error: string;
}

/** Enough of an error to find its cause. The stack of a runaway recursion must not fill the table. */
const ERROR_CHARACTERS = 2_000;

/**
 * Marks a row that failed by a bug. Resolves to false when the row is final or already stuck, and there is nothing to
 * retry. Index: the primary key.
 */
export async function markStuck(
  pool: Pool,
  { table, open }: Pick<MovedRows, 'table' | 'open'>,
  row: { bookId: Uuid; id: string; error: unknown; at: Instant },
): Promise<boolean> {
  const key = table.key.map(({ name, type }, index) => `${name} = $${index + 5}::${type}`).join(' AND ');
  const { rowCount } = await pool.query(
    `UPDATE ${table.name} SET stuck_at = $2, stuck_error = $3
     WHERE book_id = $1 AND ${key} AND status = ANY ($4::text[]) AND stuck_at IS NULL`,
    [row.bookId, new Date(row.at), errorText(row.error), textArray(open), ...keyOf(table, row.id)],
  );
  return rowCount === 1;
}

/** Text columns of Postgres contain no NUL, and an error may quote the bytes that caused it. */
function errorText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
  return maskCardNumbers(text.replaceAll('\u0000', '').slice(0, ERROR_CHARACTERS));
}

/** Lists stuck rows of all books, longest stuck first. Indexes: <table>_stuck. */
export async function listStuck(pool: Pool, kinds: readonly MovedRows[], limit: number): Promise<StuckRow[]> {
  if (kinds.length === 0) return [];
  const { rows } = await pool.query<{
    kind: string;
    book_id: Uuid;
    id: string;
    status: string;
    stuck_at: Instant;
    error: string | null;
  }>(
    `SELECT * FROM (${kinds
      .map(
        ({ kind, table }) =>
          `(SELECT '${kind}' AS kind, book_id, (${idSql(table)})::text AS id, status, stuck_at, stuck_error AS error
      FROM ${table.name} WHERE stuck_at IS NOT NULL ORDER BY stuck_at LIMIT $1)`,
      )
      .join(' UNION ALL ')}) AS stuck ORDER BY stuck_at LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({
    kind: row.kind,
    bookId: row.book_id,
    id: row.id,
    status: row.status,
    stuckAt: row.stuck_at,
    error: row.error ?? '',
  }));
}

/**
 * Retries stuck rows: clears the mark and makes the row due now, so that the sweeper enqueues it in its next round. A
 * row whose mark is not the one that was seen is left alone. Resolves to how many rows were cleared.
 */
export async function retryStuck(
  pool: Pool,
  kinds: readonly MovedRows[],
  { rows, now }: { rows: readonly StuckRow[]; now: Instant },
): Promise<number> {
  let cleared = 0;
  for (const [bookId, ofBook] of byBook(rows)) {
    for (const kind of kinds) {
      const seen = ofBook.filter((row) => row.kind === kind.kind);
      if (seen.length > 0) cleared += await retryOfKind(pool, kind, { bookId, seen, now });
    }
  }
  return cleared;
}

async function retryOfKind(
  pool: Pool,
  { table, open, retriedAt = [] }: MovedRows,
  { bookId, seen, now }: { bookId: Uuid; seen: readonly StuckRow[]; now: Instant },
): Promise<number> {
  const names = ['stuck_at', ...table.key.map(({ name }) => name)].join(', ');
  const made = ['due_at', ...retriedAt].map((column) => `${column} = $2`).join(', ');
  const { rowCount } = await pool.query(
    `UPDATE ${table.name} AS moved SET stuck_at = NULL, stuck_error = NULL, ${made}
     FROM unnest($4::timestamptz[], ${keyParameters(table, 5)}) AS seen (${names})
     WHERE moved.book_id = $1 AND ${sameKey(table, 'moved')} AND moved.stuck_at = seen.stuck_at AND moved.status = ANY ($3::text[])`,
    [
      bookId,
      new Date(now),
      textArray(open),
      instantArray(seen.map(({ stuckAt }) => stuckAt)),
      ...keyArrays(
        table,
        seen.map(({ id }) => keyOf(table, id)),
      ),
    ],
  );
  return rowCount ?? 0;
}
