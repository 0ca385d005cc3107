/** How far the lines of an account are items of its book's own comparison. */
import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Uuid } from '../../values/ids.ts';

export interface ComparedAccount {
  readonly accountId: Uuid;
  /** The last line of the account that is an item. */
  readonly line: bigint;
}

export const comparedAccounts = tableOf<ComparedAccount>({
  name: 'compared_accounts',
  key: 'account_id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [column('account_id', 'uuid'), column('line', 'bigint', { changes: true })],
});
