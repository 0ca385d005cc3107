/** The rows of files from outside, by the SHA-256 of their bytes, in a book of the operator's. Their bytes are sealed (sealed-file.ts). */

import { byteaArray, column, plainArray } from '../db/columns.ts';
import type { Pool, Queryable, Transaction } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Instant } from '../values/clock.ts';

export interface IntakeFile {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly kind: string;
  /** The name of the file, for people. */
  readonly name: string;
  /** The sealed key of its pieces. */
  readonly keySealed: Buffer;
}

/** False when the same bytes are stored already. Waits for another transaction that stores them. Index: intake_files_pkey. */
export async function insertFile(
  trx: Transaction,
  bookId: BookId,
  { sha256, kind, name, keySealed }: IntakeFile,
  now: Instant,
): Promise<boolean> {
  const { rowCount } = await trx.query(
    `INSERT INTO intake_files (book_id, sha256, kind, name, key_sealed, created_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT DO NOTHING`,
    [bookId, Buffer.from(sha256, 'hex'), kind, name, keySealed, new Date(now)],
  );
  return rowCount === 1;
}

export interface SealedPiece {
  readonly sha256: string;
  /** Counts from 1. */
  readonly place: number;
  readonly sealed: Buffer;
}

export async function insertPiece(
  trx: Transaction,
  bookId: BookId,
  { sha256, place, sealed }: SealedPiece,
): Promise<void> {
  await trx.query('INSERT INTO intake_file_parts (book_id, sha256, place, bytes) VALUES ($1, $2, $3, $4)', [
    bookId,
    Buffer.from(sha256, 'hex'),
    place,
    sealed,
  ]);
}

/** Index: intake_files_pkey. */
export async function findFile(
  db: Queryable,
  bookId: BookId,
  sha256: string,
): Promise<{ readonly name: string; readonly keySealed: Buffer } | undefined> {
  const { rows } = await db.query<{ name: string; key_sealed: Buffer }>(
    'SELECT name, key_sealed FROM intake_files WHERE book_id = $1 AND sha256 = $2 AND key_sealed IS NOT NULL',
    [bookId, Buffer.from(sha256, 'hex')],
  );
  return rows[0] && { name: rows[0].name, keySealed: rows[0].key_sealed };
}

/** Index: intake_file_parts_pkey. */
export async function findPiece(
  db: Queryable,
  bookId: BookId,
  { sha256, place }: { readonly sha256: string; readonly place: number },
): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ bytes: Buffer }>(
    'SELECT bytes FROM intake_file_parts WHERE book_id = $1 AND sha256 = $2 AND place = $3',
    [bookId, Buffer.from(sha256, 'hex'), place],
  );
  return rows[0]?.bytes;
}

/** The sealed key of a file; `id` is its SHA-256. Null where none is. */
interface FileKey {
  readonly bookId: BookId;
  readonly id: string;
  readonly value: Buffer | null;
}

/** Keys of files, to be sealed anew (operations/rekey.ts). Index: intake_files_pkey. */
export async function readFileKeysPage(
  pool: Pool,
  { after, limit }: { after: { readonly bookId: string; readonly id: string } | undefined; limit: number },
): Promise<FileKey[]> {
  const { rows } = await pool.query<{ book_id: BookId; id: string; value: Buffer | null }>(
    `SELECT book_id, encode(sha256, 'hex') AS id, key_sealed AS value FROM intake_files
     WHERE $1::uuid IS NULL OR (book_id, sha256) > ($1, $2) ORDER BY book_id, sha256 LIMIT $3`,
    [after?.bookId ?? null, Buffer.from(after?.id ?? '', 'hex'), limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, id: row.id, value: row.value }));
}

/** By compare-and-set. Resolves to how many were written. Index: intake_files_pkey. */
export async function writeFileKeys(
  pool: Pool,
  keys: readonly { readonly bookId: BookId; readonly id: string; readonly before: Buffer; readonly after: Buffer }[],
): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE intake_files AS f SET key_sealed = v.after
       FROM unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::bytea[]) AS v (book_id, sha256, before, after)
      WHERE f.book_id = v.book_id AND f.sha256 = v.sha256 AND f.key_sealed = v.before`,
    [
      plainArray(column(keys, ({ bookId }) => bookId)),
      byteaArray(column(keys, ({ id }) => Buffer.from(id, 'hex'))),
      byteaArray(column(keys, ({ before }) => before)),
      byteaArray(column(keys, ({ after }) => after)),
    ],
  );
  return rowCount ?? 0;
}
