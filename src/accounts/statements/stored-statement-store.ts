import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Uuid } from '../../values/ids.ts';
import type { StoredStatement } from './stored-statement.ts';
import { accountStatements } from './stored-statement-table.ts';

/** A page of the kept statements of an account, newest first. Index: account_statements_by_account. */
export function listStatements(
  db: Queryable,
  bookId: BookId,
  accountId: Uuid,
  page: PageRequest,
): Promise<Page<StoredStatement>> {
  const owner = { account_id: accountId };
  return listRows(
    db,
    { table: accountStatements },
    { bookId, owner, filter: { among: { account_id: [accountId] } }, page },
  );
}
