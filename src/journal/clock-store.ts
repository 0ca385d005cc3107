/** Targets of the clocks of test books, and the appointments that are due before them. */

import type { Pool } from '../db/pool.ts';
import type { Appointment } from '../group/appointment.ts';
import { idSql } from '../group/moved-rows.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

/** A page of the books whose clock is being advanced, in order of id. Index: books_advancing. */
export async function findAdvancingBooks(pool: Pool, page: { after: BookId; limit: number }): Promise<BookId[]> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM books WHERE clock_target IS NOT NULL AND id > $1 ORDER BY id LIMIT $2',
    [page.after, page.limit],
  );
  return rows.map(({ id }) => id);
}

export interface DueAppointments {
  readonly at: Instant;
  /** Those of one moment, at most the limit. */
  readonly ids: readonly Uuid[];
}

/**
 * The earliest moment at which an appointment of a book falls due, up to `until`, with rows of that moment. Index:
 * TABLE_appointments.
 */
export async function findNextAppointments(
  pool: Pool,
  { rows: { table }, status, column }: Appointment,
  { bookId, until, limit }: { bookId: BookId; until: Instant; limit: number },
): Promise<DueAppointments | undefined> {
  const { rows } = await pool.query<{ id: string; at: Instant }>(
    `SELECT ${idSql(table)} AS id, ${column} AS at FROM ${table.name}
     WHERE book_id = $1 AND status = '${status}' AND ${column} <= $2 AND stuck_at IS NULL
     ORDER BY ${column}, ${idSql(table)} LIMIT $3`,
    [bookId, new Date(until), limit],
  );
  const first = rows[0];
  if (!first) return undefined;
  return { at: first.at, ids: rows.filter(({ at }) => at === first.at).map(({ id }) => id) };
}

/** When these rows fall due. Without those that have no appointment, or are stuck. Index: the table's key. */
export async function findDueMoments(
  pool: Pool,
  { rows: { table }, status, column }: Appointment,
  { bookId, ids }: { bookId: BookId; ids: readonly Uuid[] },
): Promise<ReadonlyMap<Uuid, Instant>> {
  const { rows } = await pool.query<{ id: Uuid; at: Instant }>(
    `SELECT ${idSql(table)} AS id, ${column} AS at FROM ${table.name}
     WHERE book_id = $1 AND ${idSql(table)} = ANY ($2::${table.key.length === 1 ? table.key[0]!.type : 'text'}[])
       AND status = '${status}' AND ${column} IS NOT NULL AND stuck_at IS NULL`,
    [bookId, ids],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

export interface BookAppointments {
  readonly bookId: BookId;
  readonly ids: readonly Uuid[];
}

/**
 * A page of the books whose own time is ahead, each with the appointments that are due in it. A row that is due in wall
 * time has a due time that the sweeper reads anyway. Indexes: books_ahead, TABLE_appointments.
 */
export async function findAppointmentsAhead(
  pool: Pool,
  { rows: { table }, status, column }: Appointment,
  page: { now: Instant; after: BookId; limit: number; rowsPerBook: number },
): Promise<BookAppointments[]> {
  const { rows } = await pool.query<{ book_id: string; ids: string[] }>(
    `SELECT book.id AS book_id, ARRAY (
       SELECT ${idSql(table)} FROM ${table.name}
       WHERE book_id = book.id AND status = '${status}' AND stuck_at IS NULL
         AND ${column} <= $1::timestamptz + book.clock_offset_ms * interval '1 ms'
       ORDER BY ${column} LIMIT $4) AS ids
     FROM (SELECT id, clock_offset_ms FROM books WHERE clock_offset_ms > 0 AND id > $2 ORDER BY id LIMIT $3) AS book
     ORDER BY book.id`,
    [new Date(page.now), page.after, page.limit, page.rowsPerBook],
  );
  return rows.map((row) => ({ bookId: row.book_id, ids: row.ids }));
}
