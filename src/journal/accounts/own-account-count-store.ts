/** How many accounts a book has added to its chart. */
import { derivedTable } from '../../ledger/rows/derived-table.ts';
import { OWN_ACCOUNTS_MAX } from './own-account.ts';

/** The id of the only row of ownAccountCounts. */
export const COUNT_ID = 'book';

/** Index: own_accounts_pkey, of which at most OWN_ACCOUNTS_MAX rows are read. */
export const ownAccountCounts = derivedTable<number>({
  name: 'own_account_counts',
  changesInDraft: true,
  async load(trx, bookId) {
    const { rows } = await trx.query<{ count: bigint }>({
      name: 'own_accounts.count',
      text: 'SELECT count(*) FROM (SELECT FROM own_accounts WHERE book_id = $1 LIMIT $2) AS counted',
      values: [bookId, OWN_ACCOUNTS_MAX],
    });
    return new Map([[COUNT_ID, Number(rows[0]!.count)]]);
  },
});
