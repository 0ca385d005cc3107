/** Exceptions of all books that nobody has approved, for metrics and operators. In `status`, those are open. */
import { COUNT_LIMIT } from '../db/count-limit.ts';
import type { Pool } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import { EXCEPTION_STATUSES, type Exception, type ExceptionStatus } from './exception.ts';
import { exceptions } from './exception-table.ts';

export interface ExceptionCount {
  readonly kind: string;
  readonly status: ExceptionStatus;
  readonly exceptions: number;
}

/** Counts them by kind and status. Index: exceptions_open, counted up to COUNT_LIMIT, newest first. */
export async function countOpenExceptions(pool: Pool): Promise<ExceptionCount[]> {
  const { rows } = await pool.query<{ kind: string; stage: ExceptionStatus; exceptions: bigint }>(
    `SELECT kind, stage, count(*) AS exceptions
     FROM (SELECT kind, stage FROM exceptions WHERE status = 'open' ORDER BY created_at DESC LIMIT ${COUNT_LIMIT}) AS open
     GROUP BY kind, stage ORDER BY kind, stage`,
  );
  return rows.map((row) => ({ kind: row.kind, status: row.stage, exceptions: Number(row.exceptions) }));
}

/** Those of one book, up to COUNT_LIMIT. Index: exceptions_by_stage. */
export async function countOpenIn(pool: Pool, bookId: BookId): Promise<number> {
  const { rows } = await pool.query<{ exceptions: bigint }>(
    `SELECT count(*) AS exceptions FROM (
       SELECT FROM exceptions WHERE book_id = $1 AND stage = ANY ($2) AND stage IS NOT NULL LIMIT ${COUNT_LIMIT}
     ) AS open`,
    [bookId, EXCEPTION_STATUSES.filter((status) => status !== 'approved')],
  );
  return Number(rows[0]!.exceptions);
}

export interface ExceptionOfBook {
  readonly bookId: BookId;
  readonly exception: Exception;
}

/** Lists them, oldest first. Index: exceptions_open. */
export async function listOpenExceptions(
  pool: Pool,
  { limit, status, kind }: { limit: number; status?: string | undefined; kind?: string | undefined },
): Promise<ExceptionOfBook[]> {
  const { rows } = await pool.query<{ book_id: BookId }>(
    `SELECT book_id, ${exceptions.selected()} FROM exceptions
     WHERE status = 'open' AND ($2::text IS NULL OR stage = $2) AND ($3::text IS NULL OR kind = $3)
     ORDER BY created_at LIMIT $1`,
    [limit, status ?? null, kind ?? null],
  );
  return rows.map((row) => ({ bookId: row.book_id, exception: exceptions.fromRow(row) }));
}

/** Any exception, of any book: one probe of exceptions_pkey a book. */
export async function findExceptionOfAnyBook(pool: Pool, id: string): Promise<ExceptionOfBook | undefined> {
  const { rows } = await pool.query<{ book_id: BookId }>(
    `SELECT books.id AS book_id, found.* FROM books CROSS JOIN LATERAL (
       SELECT ${exceptions.selected()} FROM exceptions WHERE exceptions.book_id = books.id AND exceptions.id = $1 OFFSET 0
     ) AS found LIMIT 1`,
    [id],
  );
  return rows[0] && { bookId: rows[0].book_id, exception: exceptions.fromRow(rows[0]) };
}
