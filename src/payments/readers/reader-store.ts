import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Reader, ReaderAction } from './reader.ts';
import { readerActions, readers } from './reader-table.ts';

/** A reader that is not removed. Index: payment_readers_pkey. */
export async function findReader(db: Queryable, bookId: BookId, id: Uuid): Promise<Reader | undefined> {
  const reader = await readers.find(db, bookId, id);
  return reader?.status === 'removed' ? undefined : reader;
}

/** A page of the readers that are not removed, newest first. Index: payment_readers_listed. */
export function listReaders(db: Queryable, bookId: BookId, page: PageRequest): Promise<Page<Reader>> {
  return listRows(db, { table: readers, predicate: "status = 'registered'" }, { bookId, page });
}

/** A page of the actions of a reader, newest first. Index: payment_reader_actions_by_reader. */
export function listReaderActions(
  db: Queryable,
  { bookId, readerId }: { bookId: BookId; readerId: Uuid },
  page: PageRequest,
): Promise<Page<ReaderAction>> {
  const owner = { reader_id: readerId };
  return listRows(db, { table: readerActions }, { bookId, owner, filter: { among: { reader_id: [readerId] } }, page });
}
