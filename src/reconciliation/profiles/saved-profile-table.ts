/** The rows of saved profiles. */
import { column } from '../../db/declared-columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { SavedProfile } from './saved-profile.ts';

export const csvProfiles = tableOf<SavedProfile>({
  name: 'csv_profiles',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('name', 'text', { notPersonal: 'own_reference' }),
    column('delimiter', 'code'),
    column('encoding', 'code'),
    column('skip', 'integer'),
    // Headings of a bank's columns.
    column('columns', 'jsonb', { notPersonal: 'own_reference' }),
    // DECIMAL and GROUP are words of SQL.
    column('decimal_sign', 'code', { property: 'decimal' }),
    column('group_sign', 'code', { property: 'group' }),
    column('date_format', 'code'),
    column('request_id', 'uuid'),
    column('created_at', 'timestamptz'),
  ],
});

/** A page of profiles, newest first. Index: csv_profiles_pkey. */
export function listProfiles(
  db: Queryable,
  { bookId }: { readonly bookId: BookId },
  page: PageRequest,
): Promise<Page<SavedProfile>> {
  return listRows(db, { table: csvProfiles }, { bookId, filter: {}, page });
}
