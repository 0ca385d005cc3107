import type { Page, PageRequest } from '../../db/page.ts';
import type { Pool, Queryable } from '../../db/pool.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Walk } from '../../db/walk.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Uuid } from '../../values/ids.ts';
import { type DetailAccess, detailAccesses } from './detail-access-table.ts';

/** Append-only, and no event: outside of the book's lock. */
export function keepAccess(pool: Pool, bookId: BookId, access: DetailAccess): Promise<void> {
  return inTransaction(pool, (trx) => detailAccesses.insert(trx, bookId, [access]));
}

/** A page of a card's accesses, newest first. Index: card_detail_accesses_by_card. */
export function listAccesses(
  db: Queryable,
  { bookId, cardId }: { bookId: BookId; cardId: Uuid },
  page: PageRequest,
): Promise<Page<DetailAccess>> {
  const owner = { card_id: cardId };
  const walk: Walk = {
    table: detailAccesses.name,
    id: 'id',
    equal: { book_id: bookId, ...owner },
    predicate: 'card_id IS NOT NULL',
  };
  return listRows(db, { table: detailAccesses }, { bookId, owner, filter: { walks: [walk] }, page });
}
