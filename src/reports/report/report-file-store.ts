/**
 * The files of reports: who writes one, how far it is, and its sealed pieces. No command touches these rows, and none waits for the book's
 * lock. A file has one writer at a time: it has a lease, which it extends with whatever it writes.
 */
import type { Pool, Queryable, Transaction } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface FilePlace {
  readonly bookId: BookId;
  readonly reportId: Uuid;
}

/** A file as its writer finds it. */
export interface TakenFile {
  readonly keySealed: Buffer;
  /** What the writer before left, sealed with the file's key; null for a new file. */
  readonly state: Buffer | null;
  readonly pieces: number;
}

/** Undefined while another writer has it. Index: report_files_pkey. */
export async function takeFile(
  db: Queryable,
  { bookId, reportId }: FilePlace,
  by: { readonly holder: Uuid; readonly keySealed: Buffer; readonly now: Instant; readonly until: Instant },
): Promise<TakenFile | undefined> {
  const { rows } = await db.query<TakenFile>(
    `INSERT INTO report_files (book_id, report_id, key_sealed, holder, leased_until, pieces, bytes)
       VALUES ($1, $2, $3, $4, $6, 0, 0)
     ON CONFLICT (book_id, report_id) DO UPDATE SET holder = EXCLUDED.holder, leased_until = EXCLUDED.leased_until
       WHERE report_files.leased_until <= $5
     RETURNING key_sealed AS "keySealed", writer_state AS state, pieces`,
    [bookId, reportId, by.keySealed, by.holder, new Date(by.now), new Date(by.until)],
  );
  return rows[0];
}

export interface WrittenSoFar extends FilePlace {
  readonly holder: Uuid;
  readonly until: Instant;
  /** Sealed. */
  readonly state: Buffer;
  readonly pieces: number;
  readonly bytes: number;
  readonly rows: number;
}

/** Whether the writer still has the file. Index: report_files_pkey, reports_pkey. */
export async function extendFile(trx: Transaction, written: WrittenSoFar): Promise<boolean> {
  const { bookId, reportId, holder, until, state, pieces, bytes, rows } = written;
  const { rowCount } = await trx.query(
    `UPDATE report_files SET leased_until = $4, writer_state = $5, pieces = $6, bytes = $7
      WHERE book_id = $1 AND report_id = $2 AND holder = $3`,
    [bookId, reportId, holder, new Date(until), state, pieces, bytes],
  );
  if (rowCount !== 1) return false;
  await trx.query('UPDATE reports SET rows_done = $3 WHERE book_id = $1 AND id = $2', [bookId, reportId, rows]);
  return true;
}

/** Another process may take the file now. */
export async function leaveFile(
  db: Queryable,
  { bookId, reportId }: FilePlace,
  { holder, now }: { readonly holder: Uuid; readonly now: Instant },
): Promise<void> {
  await db.query(
    'UPDATE report_files SET leased_until = $4 WHERE book_id = $1 AND report_id = $2 AND holder = $3 AND leased_until > $4',
    [bookId, reportId, holder, new Date(now)],
  );
}

/** A whole file. False where it was dropped meanwhile, or has another writer. Index: report_files_pkey. */
export async function sealFile(
  db: Queryable,
  { bookId, reportId }: FilePlace,
  { holder, expiresAt }: { readonly holder: Uuid; readonly expiresAt: Instant },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE report_files SET expires_at = $4 WHERE book_id = $1 AND report_id = $2 AND holder = $3',
    [bookId, reportId, holder, new Date(expiresAt)],
  );
  return rowCount === 1;
}

export async function insertPiece(
  trx: Transaction,
  { bookId, reportId }: FilePlace,
  { place, sealed }: { readonly place: number; readonly sealed: Buffer },
): Promise<void> {
  await trx.query('INSERT INTO report_pieces (book_id, report_id, place, bytes) VALUES ($1, $2, $3, $4)', [
    bookId,
    reportId,
    place,
    sealed,
  ]);
}

/** The sealed key of a whole file that is kept. Index: report_files_pkey. */
export async function findFile(db: Queryable, { bookId, reportId }: FilePlace): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ key_sealed: Buffer }>(
    'SELECT key_sealed FROM report_files WHERE book_id = $1 AND report_id = $2 AND expires_at IS NOT NULL',
    [bookId, reportId],
  );
  return rows[0]?.key_sealed;
}

/** Index: report_pieces_pkey. */
export async function findPiece(
  db: Queryable,
  { bookId, reportId }: FilePlace,
  place: number,
): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ bytes: Buffer }>(
    'SELECT bytes FROM report_pieces WHERE book_id = $1 AND report_id = $2 AND place = $3',
    [bookId, reportId, place],
  );
  return rows[0]?.bytes;
}

/** Files whose time is over. Index: report_files_expiring. */
export async function findExpired(pool: Pool, { now, limit }: { now: Instant; limit: number }): Promise<FilePlace[]> {
  const { rows } = await pool.query<{ book_id: BookId; report_id: Uuid }>(
    `SELECT book_id, report_id FROM report_files WHERE expires_at IS NOT NULL AND expires_at <= $1
      ORDER BY expires_at LIMIT $2`,
    [new Date(now), limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, reportId: row.report_id }));
}

/** Its pieces go with it: report_pieces refers to it. Index: report_files_pkey. */
export async function dropFile(db: Queryable, { bookId, reportId }: FilePlace): Promise<number> {
  const { rowCount } = await db.query('DELETE FROM report_files WHERE book_id = $1 AND report_id = $2', [
    bookId,
    reportId,
  ]);
  return rowCount ?? 0;
}
