/** The group of accounts: names and references of customers' accounts, holds on them, and money that arrives for them. */

import { keyedByUuid } from '../db/keyed-table.ts';
import { APPENDS, rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import type { GroupResource } from '../group/group-resource.ts';
import { accountHolds } from './account-hold-table.ts';
import { accountProfiles, defaultAccounts } from './account-profile-table.ts';
import { accountHoldCheck } from './checks/account-hold-check.ts';
import { inboundTransferCheck, inboundTransferEquation } from './checks/inbound-transfer-check.ts';
import { holdExpiry, movedHolds } from './expire-holds.ts';
import { inboundTransfers } from './inbound-transfer-table.ts';

export const declaredAccount: GroupResource = {
  name: 'account',
  table: keyedByUuid(accountProfiles.name, 'account_id'),
  parent: null,
  events: ['account.created', 'account.updated', 'account.frozen', 'account.unfrozen', 'account.closed'],
  appointments: [],
};

export const declaredHold: GroupResource = {
  name: 'hold',
  table: keyedByUuid(accountHolds.name, 'id'),
  parent: 'account',
  events: ['hold.created', 'hold.increased', 'hold.released', 'hold.expired'],
  appointments: [holdExpiry],
};

export const accountsGroup: Group = {
  name: 'accounts',
  resources: [
    declaredAccount,
    declaredHold,
    {
      name: 'inbound_transfer',
      table: keyedByUuid(inboundTransfers.name, 'id'),
      parent: 'account',
      events: [],
      appointments: [],
    },
  ],
  tables: [accountProfiles, defaultAccounts, inboundTransfers, accountHolds],
  rights: {
    account_profiles: rightsOf(accountProfiles),
    default_accounts: APPENDS,
    inbound_transfers: APPENDS,
    account_holds: rightsOf(accountHolds, ['stuck_at', 'stuck_error']),
  },
  moved: [movedHolds],
  checks: [inboundTransferCheck, accountHoldCheck],
  equations: [inboundTransferEquation],
  blocksClosing: [],
  gauges: [],
};
