/** The rows of versions of matching rules. */
import { column } from '../../db/declared-columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankAccountRules, BankAccountRulesStatus } from './bank-account-rules.ts';

export const bankAccountRules = tableOf<BankAccountRules>({
  name: 'bank_account_rules',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('bank_account_id', 'uuid', { filter: true }),
    column('number', 'integer'),
    column('status', 'code', { changes: true }),
    column('tolerances', 'jsonb', { notPersonal: 'facts' }),
    column('bookings', 'jsonb', { notPersonal: 'own_reference' }),
    column('drafted_by', 'text', { notPersonal: 'actor' }),
    column('activated_by', 'text', { notPersonal: 'actor', changes: true }),
    column('activated_at', 'timestamptz', { changes: true }),
    column('retired_at', 'timestamptz', { changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

interface RulesFilter {
  readonly bookId: BookId;
  readonly bankAccountId: Uuid;
  readonly statuses: readonly BankAccountRulesStatus[] | undefined;
}

/** A page of the versions of a bank account, newest first. Index: bank_account_rules_by_account. */
export function listBankAccountRules(
  db: Queryable,
  { bookId, bankAccountId, statuses }: RulesFilter,
  page: PageRequest,
): Promise<Page<BankAccountRules>> {
  const owner = { bank_account_id: bankAccountId };
  const filter = { among: { bank_account_id: [bankAccountId] }, equal: { status: statuses } };
  return listRows(db, { table: bankAccountRules }, { bookId, owner, filter, page });
}

/** A version of a bank account by its number. Index: bank_account_rules_by_account: an account has few versions. */
export async function findRulesByNumber(
  db: Queryable,
  bookId: BookId,
  { bankAccountId, number }: Pick<BankAccountRules, 'bankAccountId' | 'number'>,
): Promise<BankAccountRules | undefined> {
  const { rows } = await db.query(
    `SELECT ${bankAccountRules.selected()} FROM bank_account_rules WHERE book_id = $1 AND bank_account_id = $2 AND number = $3`,
    [bookId, bankAccountId, number],
  );
  return rows[0] && bankAccountRules.fromRow(rows[0]);
}
