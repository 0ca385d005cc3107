import type { CreatedRange, Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Release } from './share.ts';
import { releases } from './share-table.ts';

/** A page of the releases of a book, or of one account. Indexes: payment_releases_by_account, _by_created; else payment_releases_pkey. */
export function listReleases(
  db: Queryable,
  bookId: BookId,
  { accountId, created }: { accountId?: Uuid | undefined; created?: CreatedRange | undefined },
  page: PageRequest,
): Promise<Page<Release>> {
  const filter = { among: { account_id: accountId === undefined ? undefined : [accountId] }, created };
  return listRows(db, { table: releases, object: 'release' }, { bookId, filter, page });
}
