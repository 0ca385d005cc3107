/** The rows of matches. */
import { column } from '../../db/declared-columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { BankMatch, BankMatchStatus } from './bank-match.ts';

export const bankMatches = tableOf<BankMatch>({
  name: 'bank_matches',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('status', 'code', { changes: true }),
    column('rule', 'code'),
    column('rules_version', 'integer'),
    column('compared_account_id', 'uuid'),
    column('currency', 'code'),
    column('lines', 'jsonb', { notPersonal: 'facts' }),
    column('items', 'jsonb', { notPersonal: 'facts' }),
    column('difference', 'bigint'),
    column('difference_to', 'code'),
    column('reason', 'text', { personal: true }),
    column('undo_reason', 'text', { changes: true, personal: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('proposed_by', 'text', { notPersonal: 'actor' }),
    column('approved_by', 'text', { notPersonal: 'actor', changes: true }),
    column('undone_by', 'text', { notPersonal: 'actor', changes: true }),
    column('entry_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('reserved', 'integer', { changes: true }),
    column('reserved_amount', 'bigint', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** A page of matches, newest first. Indexes: bank_matches_pkey, bank_matches_proposed. */
export function listBankMatches(
  db: Queryable,
  { bookId, statuses }: { bookId: BookId; statuses: readonly BankMatchStatus[] | undefined },
  page: PageRequest,
): Promise<Page<BankMatch>> {
  if (statuses?.length === 1 && statuses[0] === 'proposed')
    return listRows(db, { table: bankMatches, predicate: "status = 'proposed'" }, { bookId, page });
  return listRows(db, { table: bankMatches }, { bookId, filter: { equal: { status: statuses } }, page });
}
