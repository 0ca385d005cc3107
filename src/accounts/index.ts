/** The group of accounts: names and references of customers' accounts, and money that arrives for them. */

import { keyedByUuid } from '../db/keyed-table.ts';
import { APPENDS, rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group.ts';
import type { GroupResource } from '../group-resource.ts';
import { accountProfiles, defaultAccounts } from './account-profile-table.ts';
import { inboundTransferCheck } from './checks/inbound-transfer-check.ts';
import { inboundTransfers } from './inbound-transfer-table.ts';

export const declaredAccount: GroupResource = {
  name: 'account',
  table: keyedByUuid(accountProfiles.name, 'account_id'),
  events: ['account.created', 'account.updated', 'account.frozen', 'account.unfrozen', 'account.closed'],
};

export const accountsGroup: Group = {
  name: 'accounts',
  resources: [
    declaredAccount,
    { name: 'inbound_transfer', table: keyedByUuid(inboundTransfers.name, 'id'), parent: 'account', events: [] },
  ],
  tables: [accountProfiles, defaultAccounts, inboundTransfers],
  rights: {
    account_profiles: rightsOf(accountProfiles),
    default_accounts: APPENDS,
    inbound_transfers: APPENDS,
  },
  moved: [],
  checks: [inboundTransferCheck],
};
