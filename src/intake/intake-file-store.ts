/** The bytes of files that came in, kept once by their SHA-256, in a book of the operator's. */

import type { Transaction } from '../db/pool.ts';
import type { BookId } from '../ledger/book.ts';
import type { Instant } from '../values/clock.ts';

export interface IntakeFile {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly kind: string;
  /** As the file was called, for people. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** False when the same bytes are there already. Waits for another transaction that keeps them. Index: intake_files_pkey. */
export async function keepFile(
  trx: Transaction,
  bookId: BookId,
  { sha256, kind, name, bytes }: IntakeFile,
  now: Instant,
): Promise<boolean> {
  const { rowCount } = await trx.query(
    `INSERT INTO intake_files (book_id, sha256, kind, name, bytes, created_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT DO NOTHING`,
    [bookId, Buffer.from(sha256, 'hex'), kind, name, bytes, new Date(now)],
  );
  return rowCount === 1;
}
