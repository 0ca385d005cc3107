/** The rows of mirrored ranges, and how far each pool account is mirrored. */
import { column } from '../../db/declared-columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookMirror, MirroredPool } from './book-mirror.ts';

export const bookMirrors = tableOf<BookMirror>({
  name: 'book_mirror',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('of_book', 'uuid', { filter: true }),
    column('pool_account_id', 'uuid'),
    column('currency', 'code'),
    column('from_line', 'bigint'),
    column('through_line', 'bigint'),
    column('day', 'code'),
    column('money_in', 'bigint'),
    column('money_out', 'bigint'),
    column('pool_balance', 'bigint'),
    column('items', 'integer'),
    column('sides', 'jsonb', { notPersonal: 'facts' }),
    column('entry_ids', 'jsonb', { notPersonal: 'facts' }),
    column('request_id', 'uuid'),
    column('version', 'integer'),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz'),
  ],
});

export const mirroredPools = tableOf<MirroredPool>({
  name: 'mirrored_pools',
  key: 'pool_account_id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('pool_account_id', 'uuid'),
    column('of_book', 'uuid'),
    column('currency', 'code'),
    column('line', 'bigint', { changes: true }),
    column('balance', 'bigint', { changes: true }),
  ],
});

/** A page of mirrored ranges, newest first. Indexes: book_mirror_pkey, book_mirror_by_book. */
export function listBookMirrors(
  db: Queryable,
  { bookId, ofBook }: { bookId: BookId; ofBook: Uuid | undefined },
  page: PageRequest,
): Promise<Page<BookMirror>> {
  const among = { of_book: ofBook === undefined ? undefined : [ofBook] };
  return listRows(db, { table: bookMirrors }, { bookId, filter: { among }, page });
}
