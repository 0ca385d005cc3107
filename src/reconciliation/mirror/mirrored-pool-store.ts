/** Which books have lines that the operator's book does not mirror yet. It reads over books, as sweeps do; each is found by its own keys. */
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

/** Whether the mode has a bank account: its mirror begins with the first one. Index: bank_accounts_pkey. */
export async function hasBegun(db: Queryable, operatorBookId: BookId): Promise<boolean> {
  const { rows } = await db.query<{ begun: boolean }>({
    name: 'mirror.begun',
    text: 'SELECT EXISTS (SELECT FROM bank_accounts WHERE book_id = $1) AS begun',
    values: [operatorBookId],
  });
  return rows[0]!.begun;
}

export interface BookBehind {
  readonly id: BookId;
  /** Some line of its pool accounts is not mirrored. */
  readonly isBehind: boolean;
}

/** A page of the books of the operator's mode, by id, without the operator's own. Indexes: books_pkey, accounts_by_code, mirrored_pools_pkey. */
export async function readBooksBehind(
  db: Queryable,
  { operatorBookId, after, limit }: { operatorBookId: BookId; after: BookId; limit: number },
): Promise<BookBehind[]> {
  const { rows } = await db.query<BookBehind>({
    name: 'mirror.behind',
    text: `SELECT b.id, EXISTS (SELECT FROM accounts a
        LEFT JOIN mirrored_pools m ON m.book_id = $1 AND m.pool_account_id = a.id
        WHERE a.book_id = b.id AND a.code = 'pool' AND a.lines > COALESCE(m.line, 0)) AS "isBehind"
      FROM (SELECT id FROM books
        WHERE id > $2 AND id <> $1 AND mode = (SELECT mode FROM books WHERE id = $1) ORDER BY id LIMIT $3) AS b ORDER BY b.id`,
    values: [operatorBookId, after, limit],
  });
  return rows;
}

export interface PoolAccount {
  readonly id: Uuid;
  readonly currency: string;
  /** How many it has. */
  readonly lines: bigint;
}

/** The pool accounts of a book, one a currency. Index: accounts_by_code. */
export async function readPoolAccounts(db: Queryable, bookId: BookId): Promise<PoolAccount[]> {
  const { rows } = await db.query<PoolAccount>({
    name: 'mirror.pools',
    text: "SELECT id, currency, lines FROM accounts WHERE book_id = $1 AND code = 'pool' ORDER BY currency",
    values: [bookId],
  });
  return rows;
}
