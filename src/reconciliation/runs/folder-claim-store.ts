/**
 * Which process reads a folder of files. A claim spares work and protects nothing: two processes over one file post each line once. Outside of
 * commands, since nothing of it is money.
 */
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface FolderClaim {
  readonly bookId: BookId;
  /** Its path, without links. */
  readonly folder: string;
  /** The process. */
  readonly by: Uuid;
}

/** Claims a folder, or prolongs the claim. False while another process has it. Index: bank_folders_pkey. */
export async function claimFolder(
  pool: Pool,
  { bookId, folder, by }: FolderClaim,
  { now, until }: { readonly now: Instant; readonly until: Instant },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `INSERT INTO bank_folders AS known (book_id, folder, claimed_by, claimed_until) VALUES ($1, $2, $3, $5)
     ON CONFLICT (book_id, folder) DO UPDATE SET claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
       WHERE known.claimed_by = excluded.claimed_by OR known.claimed_until <= $4`,
    [bookId, folder, by, new Date(now), new Date(until)],
  );
  return rowCount === 1;
}

/** Ends the claim of this process. Index: bank_folders_pkey. */
export async function leaveFolder(pool: Pool, { bookId, folder, by }: FolderClaim, now: Instant): Promise<void> {
  await pool.query(
    'UPDATE bank_folders SET claimed_until = $4 WHERE book_id = $1 AND folder = $2 AND claimed_by = $3 AND claimed_until > $4',
    [bookId, folder, by, new Date(now)],
  );
}
