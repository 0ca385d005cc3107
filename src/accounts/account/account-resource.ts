/** A customer account as a resource: its profile has the version, the ledger's account has status and balances. */
import type { Account } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Resource } from '../../ledger/resources/resource.ts';
import { type AccountProfile, accountView } from './account-profile.ts';
import { accountProfiles, defaultAccounts } from './account-profile-table.ts';
import { allowedActions } from './account-status.ts';

const ledgerAccount = (profile: AccountProfile, draft: Draft): Account => draft.account(profile.accountId);

export const accountResource: Resource<AccountProfile> = {
  name: 'account',
  table: accountProfiles,
  parent: null,
  events: [
    'account.created',
    'account.updated',
    'account.frozen',
    'account.unfrozen',
    'account.closed',
    'account.balance_low',
  ],
  books: false,
  // The descriptions of transfers to the account.
  alsoShown: ['description'],
  changed: (profile, change) => ({ ...profile, ...change }),
  statusOf: (profile, draft) => ledgerAccount(profile, draft).status,
  allowedActions: (profile, draft) => allowedActions(ledgerAccount(profile, draft).status),
  unlistedActions: ['update'],
  view(profile, draft) {
    const isDefault = draft.get(defaultAccounts, profile.currency)?.accountId === profile.accountId;
    return accountView(ledgerAccount(profile, draft), profile, { livemode: draft.livemode, isDefault });
  },
};

/** What the view of an account reads. */
export function accountTouches({ accountId, currency }: Pick<AccountProfile, 'accountId' | 'currency'>): Touch[] {
  return [
    { table: accounts, ids: [accountId] },
    { table: accountProfiles, ids: [accountId] },
    { table: defaultAccounts, ids: [currency] },
  ];
}
