/** The rows of bank statements, and which statements were here already. */
import { column, HEX_READ } from '../../db/declared-columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankStatement, BankStatementStatus } from './bank-statement.ts';

export const bankStatements = tableOf<BankStatement>({
  name: 'bank_statements',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('reconciliation_id', 'uuid'),
    column('bank_account_id', 'uuid', { changes: true, filter: true }),
    column('compared_account_id', 'uuid'),
    column('account', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('kind', 'code'),
    column('format', 'code'),
    column('place', 'integer'),
    column('number', 'text', { notPersonal: 'reference', cardNumber: 'exempt' }),
    column('page', 'integer'),
    column('is_first', 'boolean'),
    column('is_last', 'boolean'),
    column('currency', 'code'),
    column('from_on', 'code'),
    column('to_on', 'code'),
    column('opening', 'bigint'),
    column('closing', 'bigint'),
    column('credits_count', 'integer'),
    column('credits_sum', 'bigint'),
    column('debits_count', 'integer'),
    column('debits_sum', 'bigint'),
    column('lines', 'integer', { changes: true }),
    column('booked_lines', 'integer', { changes: true }),
    column('booked_credits', 'bigint', { changes: true }),
    column('booked_debits', 'bigint', { changes: true }),
    column('status', 'code', { changes: true }),
    column('findings', 'jsonb', { notPersonal: 'facts', cardNumber: 'exempt', changes: true }),
    column('released', 'boolean', { changes: true }),
    column('supersedes', 'uuid', { changes: true }),
    column('sha256', 'hex', { codec: HEX_READ }),
    column('exception_id', 'uuid', { changes: true }),
    column('decision', 'code', { changes: true }),
    column('reason', 'text', { changes: true, personal: true }),
    column('text_salt', 'bytea', { changes: true }),
    column('decided_by', 'text', { notPersonal: 'actor', changes: true }),
    column('approved_by', 'text', { notPersonal: 'actor', changes: true }),
    column('first_entry_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('request_id', 'uuid'),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

export interface StatementIdentity {
  /** Hexadecimal digits of a SHA-256. */
  readonly identity: string;
  readonly statementId: Uuid;
}

/** A statement that comes again, in whatever file, has the same identity. */
export const statementIdentities = tableOf<StatementIdentity>({
  name: 'bank_statement_identities',
  key: 'identity',
  writeOrder: WRITE_ORDER.resourceChildren + 1,
  columns: [column('identity', 'code'), column('statement_id', 'uuid')],
});

export interface BankStatementFilter {
  readonly bankAccountIds: readonly Uuid[] | undefined;
  readonly statuses: readonly BankStatementStatus[] | undefined;
}

/** A page of statements, newest first. Indexes: bank_statements_by_account, bank_statements_pkey. */
export function listBankStatements(
  db: Queryable,
  bookId: BookId,
  { bankAccountIds, statuses }: BankStatementFilter,
  page: PageRequest,
): Promise<Page<BankStatement>> {
  const filter = { among: { bank_account_id: bankAccountIds }, equal: { status: statuses } };
  return listRows(db, { table: bankStatements }, { bookId, filter, page });
}
