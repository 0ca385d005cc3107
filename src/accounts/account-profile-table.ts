/** What the API knows of accounts beyond the ledger, and which account is the default of a currency. */
import { column, type RowOf } from '../db/declared-columns.ts';
import { newSalt } from '../ledger/rows/personal-text.ts';
import { WRITE_ORDER } from '../ledger/rows/table.ts';
import { tableOf } from '../ledger/rows/table-of.ts';
import type { Uuid } from '../values/ids.ts';
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
    column('text_salt', 'bytea', { changes: true }),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
  fromRow: (row: RowOf<AccountProfile>) => ({
    accountId: row.account_id,
    currency: row.currency,
    name: row.name,
    externalId: row.external_id,
    metadata: row.metadata,
    // A row of release 0.2.0, and an erased one, has none: it is given one with its next change.
    textSalt: row.text_salt ?? newSalt(),
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }),
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
  columns: [column('currency', 'code'), column('account_id', 'uuid')],
});
