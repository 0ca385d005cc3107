/** The rows of bank accounts, and which of them an identifier names. */
import { column } from '../../db/declared-columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankAccount, BankAccountStatus } from './bank-account.ts';
import type { PartyCutOver } from './cut-over.ts';

export const bankAccounts = tableOf<BankAccount>({
  name: 'bank_accounts',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('name', 'text', { notPersonal: 'own_reference', changes: true }),
    column('currency', 'code'),
    column('identifiers', 'jsonb', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('bic', 'text', { notPersonal: 'reference', changes: true }),
    column('holds', 'code'),
    column('opening_on', 'code'),
    column('opening_amount', 'bigint'),
    column('outstanding', 'jsonb', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('outstanding_ids', 'jsonb', { notPersonal: 'facts' }),
    column('books_from', 'code', { changes: true }),
    column('reversal_indicator', 'code', { changes: true }),
    column('allocate_on', 'code', { changes: true }),
    column('calendar', 'code', { changes: true }),
    column('window_before', 'integer', { changes: true }),
    column('window_after', 'integer', { changes: true }),
    column('parties', 'jsonb', { notPersonal: 'reference', cardNumber: 'exempt', changes: true }),
    column('status', 'code', { changes: true }),
    column('ledger_account_id', 'uuid'),
    column('balance', 'bigint', { changes: true }),
    column('last_statement_id', 'uuid', { changes: true }),
    column('chained_on', 'code', { changes: true }),
    column('under_way', 'integer', { changes: true }),
    column('reopened', 'integer', { changes: true }),
    column('rules_id', 'uuid', { changes: true }),
    column('rules_version', 'integer', { changes: true }),
    column('rules_drafted', 'integer', { changes: true }),
    column('entry_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

export interface BankAccountIdentifier {
  readonly identifier: string;
  readonly bankAccountId: Uuid;
}

/** Each identifier is of one bank account of the book. */
export const bankAccountIdentifiers = tableOf<BankAccountIdentifier>({
  name: 'bank_account_identifiers',
  key: 'identifier',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('identifier', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('bank_account_id', 'uuid'),
  ],
});

/** Each party's movements of a currency are cut over once: by the first bank account that names it. */
export const partyCutOvers = tableOf<PartyCutOver>({
  name: 'party_cut_overs',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'text', { notPersonal: 'reference' }),
    column('currency', 'code'),
    column('party', 'code'),
    column('bank_account_id', 'uuid'),
    column('opening_on', 'code'),
    column('created_at', 'timestamptz'),
  ],
});

/** A page of bank accounts, newest first. Index: bank_accounts_pkey. There are as many as the operator has at banks. */
export function listBankAccounts(
  db: Queryable,
  { bookId, statuses }: { bookId: BookId; statuses: readonly BankAccountStatus[] | undefined },
  page: PageRequest,
): Promise<Page<BankAccount>> {
  return listRows(db, { table: bankAccounts }, { bookId, filter: { equal: { status: statuses } }, page });
}

/** As many as an operator has at banks. */
const ACCOUNTS_MAX = 500;

/** The bank accounts whose lines are matched. Index: bank_accounts_pkey. */
export async function readOpenAccounts(db: Queryable, bookId: BookId): Promise<BankAccount[]> {
  const { rows } = await db.query(
    `SELECT ${bankAccounts.selected()} FROM bank_accounts WHERE book_id = $1 AND status = 'open' ORDER BY id LIMIT ${ACCOUNTS_MAX}`,
    [bookId],
  );
  return rows.map(bankAccounts.fromRow);
}
