/** Customers' accounts as the API shows them: the ledger's account, its profile, and whether it is the default of its currency. */
import { newestAccount } from '../../db/newest.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Account } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { AccountProfile } from './account-profile.ts';
import { accountProfiles } from './account-profile-table.ts';

export interface CustomerAccount {
  account: Account;
  profile: AccountProfile;
  isDefault: boolean;
}

/** Ledger account, profile and whether it is the default, joined by primary keys. Both rows name the currency alike. */
export const CUSTOMER_ACCOUNT_SELECT = `${accounts.selected('a')}, ${accountProfiles.selected('p')}, d.account_id IS NOT NULL AS is_default`;
export const CUSTOMER_ACCOUNT_JOIN = `account_profiles p
  JOIN LATERAL (${newestAccount(accounts.selected(), 'p.book_id', 'p.account_id')}) a ON true
  LEFT JOIN default_accounts d ON d.book_id = p.book_id AND d.currency = p.currency AND d.account_id = p.account_id`;

/** A row of CUSTOMER_ACCOUNT_SELECT. */
export function customerAccountFromRow(row: { is_default: boolean }): CustomerAccount {
  return { account: accounts.fromRow(row), profile: accountProfiles.fromRow(row), isDefault: row.is_default };
}

export async function findCustomerAccount(
  db: Queryable,
  bookId: BookId,
  id: Uuid,
): Promise<CustomerAccount | undefined> {
  const { rows } = await db.query<{ is_default: boolean }>({
    name: 'customer_accounts.find',
    text: `SELECT ${CUSTOMER_ACCOUNT_SELECT} FROM ${CUSTOMER_ACCOUNT_JOIN} WHERE p.book_id = $1 AND p.account_id = $2`,
    values: [bookId, id],
  });
  return rows[0] && customerAccountFromRow(rows[0]);
}
