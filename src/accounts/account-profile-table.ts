/** What the API knows of accounts beyond the ledger, and which account is the default of a currency. */
import { column } from '../db/declared-columns.ts';
import type { Uuid } from '../ids.ts';
import { WRITE_ORDER } from '../ledger/table.ts';
import { tableOf } from '../ledger/table-of.ts';
import type { AccountProfile } from './account-profile.ts';

export const accountProfiles = tableOf<AccountProfile>({
  name: 'account_profiles',
  key: 'account_id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('account_id', 'uuid'),
    column('currency', 'text', { filter: true }),
    column('name', 'text', { changes: true, personal: true }),
    column('external_id', 'text', { changes: true, filter: true }),
    column('metadata', 'jsonb', { changes: true, personal: true }),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** The first account opened in a currency: where payouts leave from when they name none. It never changes. */
export interface DefaultAccount {
  readonly currency: string;
  readonly accountId: Uuid;
}

export const defaultAccounts = tableOf<DefaultAccount>({
  name: 'default_accounts',
  key: 'currency',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [column('currency', 'text'), column('account_id', 'uuid')],
});
