/** References of accounts. They stand in the operator's book of a mode, so that one is unique over all books. */
import { textArray } from '../../db/columns.ts';
import type { Pool, Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { newReference } from './receive-reference.ts';

export interface ReferencedAccount {
  readonly ownerBookId: BookId;
  readonly accountId: Uuid;
}

/** 80 random bits: a second try is never needed twice. */
const TRIES = 5;

/** The account's reference, made when it is first asked for. Indexes: receive_references_by_account, receive_references_pkey. */
export async function referenceOf(
  pool: Pool,
  operatorBookId: BookId,
  { ownerBookId, accountId }: ReferencedAccount,
  now: Instant,
): Promise<string> {
  for (let tried = 0; tried < TRIES; tried++) {
    const { rows } = await pool.query<{ reference: string }>(
      'SELECT reference FROM receive_references WHERE book_id = $1 AND owner_book_id = $2 AND account_id = $3',
      [operatorBookId, ownerBookId, accountId],
    );
    if (rows[0]) return rows[0].reference;
    // Another request may make it at the same time, or another account may have this one: then it is read or made anew.
    await pool.query(
      `INSERT INTO receive_references (book_id, reference, owner_book_id, account_id, created_at)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
      [operatorBookId, newReference(), ownerBookId, accountId, new Date(now)],
    );
  }
  throw new Error(`No reference was made for account ${accountId}`);
}

/** The accounts that these references name, each once. Index: receive_references_pkey. */
export async function accountsOf(
  db: Queryable,
  operatorBookId: BookId,
  references: readonly string[],
): Promise<ReferencedAccount[]> {
  if (references.length === 0) return [];
  const { rows } = await db.query<{ owner_book_id: BookId; account_id: Uuid }>(
    'SELECT owner_book_id, account_id FROM receive_references WHERE book_id = $1 AND reference = ANY ($2::text[])',
    [operatorBookId, textArray(references)],
  );
  return rows.map((row) => ({ ownerBookId: row.owner_book_id, accountId: row.account_id }));
}
