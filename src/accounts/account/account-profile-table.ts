/** The API's data of accounts beyond the ledger, and the default account of a currency. */
import { column } from '../../db/declared-columns.ts';
import { SALT_FOR_NONE } from '../../ledger/rows/personal-text-table.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Uuid } from '../../values/ids.ts';
import type { AccountProfile } from './account-profile.ts';

export const accountProfiles = tableOf<AccountProfile>({
  name: 'account_profiles',
  key: 'account_id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('account_id', 'uuid'),
    column('currency', 'code', { filter: true }),
    column('name', 'text', { changes: true, personal: true }),
    column('external_id', 'text', { notPersonal: 'own_reference', changes: true, filter: true }),
    column('metadata', 'jsonb', { changes: true, personal: true }),
    column('statement_schedule', 'code', { changes: true }),
    column('text_salt', 'bytea', { codec: SALT_FOR_NONE, changes: true }),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** The first account opened in a currency: the one of payouts that name none. It never changes. */
export interface DefaultAccount {
  readonly currency: string;
  readonly accountId: Uuid;
}

export const defaultAccounts = tableOf<DefaultAccount>({
  name: 'default_accounts',
  key: 'currency',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [column('currency', 'code'), column('account_id', 'uuid')],
});
