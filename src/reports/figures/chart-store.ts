/** Names and types of accounts, beside their balances. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { AccountType } from '../../ledger/account/chart-names.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

/** Of an account of the organisation's own chart. */
export interface OwnProfile {
  readonly code: string;
  readonly name: string;
  readonly type: AccountType;
}

/** Index: own_accounts_pkey. */
export async function loadOwnProfiles(
  db: Queryable,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<Map<Uuid, OwnProfile>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<OwnProfile & { account_id: Uuid }>({
    name: 'own_accounts.profiles',
    text: 'SELECT account_id, code, name, type FROM own_accounts WHERE book_id = $1 AND account_id = ANY ($2::uuid[])',
    values: [bookId, plainArray([...ids])],
  });
  return new Map(rows.map(({ account_id: id, ...profile }) => [id, profile]));
}

/** The hash of an entry. Index: entries_pkey. */
export async function findChainHash(db: Queryable, bookId: BookId, sequence: bigint): Promise<string | undefined> {
  const { rows } = await db.query<{ hash: Buffer }>({
    name: 'entries.hash',
    text: 'SELECT hash FROM entries WHERE book_id = $1 AND sequence = $2',
    values: [bookId, sequence],
  });
  return rows[0]?.hash.toString('hex');
}
