/** What the operator's book has of all others begins in a mode with its first bank account there. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';

export interface BegunMode {
  readonly mode: Mode;
  /** Of the operator's. */
  readonly bookId: BookId;
}

/** Index: bank_accounts_pkey. */
export async function readBegunModes(db: Queryable): Promise<BegunMode[]> {
  const books = await operatorBooks(db);
  const { rows } = await db.query<{ id: BookId }>(
    `SELECT id FROM unnest($1::uuid[]) AS book (id)
     WHERE EXISTS (SELECT FROM bank_accounts WHERE book_id = book.id)`,
    [plainArray(Object.values(books))],
  );
  const begun = new Set(rows.map(({ id }) => id));
  return (['test', 'live'] as const).flatMap((mode) => (begun.has(books[mode]) ? [{ mode, bookId: books[mode] }] : []));
}
