import { plainArray } from '../../db/columns.ts';
import { derivedTable } from '../../ledger/rows/derived-table.ts';
import type { Uuid } from '../../values/ids.ts';

/** What of card purchases keeps an account open: the first few of each. */
export interface OpenOfAccount {
  readonly accountId: Uuid;
  readonly transactionIds: readonly Uuid[];
  readonly transactionDisputeIds: readonly Uuid[];
}

const LISTED = 10;

/** Read-only, keyed by account. Indexes: transactions_open_by_account, transaction_disputes_open. */
export const openOfAccounts = derivedTable<OpenOfAccount>({
  name: 'transactions (open of an account)',
  async load(db, bookId, accountIds) {
    const { rows } = await db.query<{ account_id: Uuid; transaction_ids: Uuid[]; dispute_ids: Uuid[] }>({
      name: 'transactions.open_of_accounts',
      text: `SELECT a.id AS account_id, ARRAY (
          SELECT t.id FROM transactions t WHERE t.book_id = $1 AND t.account_id = a.id AND t.is_open ORDER BY t.id LIMIT ${LISTED}
        ) AS transaction_ids, ARRAY (
          SELECT d.id FROM transaction_disputes d WHERE d.book_id = $1 AND d.account_id = a.id
            AND d.status IN ('opened', 'submitted') ORDER BY d.id LIMIT ${LISTED}
        ) AS dispute_ids FROM unnest($2::uuid[]) AS a (id)`,
      values: [bookId, plainArray(accountIds)],
    });
    const found = rows.map((row) => ({
      accountId: row.account_id,
      transactionIds: row.transaction_ids,
      transactionDisputeIds: row.dispute_ids,
    }));
    return new Map(found.map((row) => [row.accountId, row]));
  },
});
