/** The group of accounts: names and references of customers' accounts, holds on them, and money that arrives for them. */

import type { Group } from '../group/group.ts';
import { defaultAccounts } from './account/account-profile-table.ts';
import { accountResource } from './account/account-resource.ts';
import { accountHoldResource } from './holds/account-hold-resource.ts';
import { accountHoldCheck } from './holds/checks/account-hold-check.ts';
import { holdExpiry, movedHolds } from './holds/expire-holds.ts';
import { inboundTransferCheck, inboundTransferEquation } from './inbound-transfers/checks/inbound-transfer-check.ts';
import { inboundAtBank } from './inbound-transfers/inbound-at-bank.ts';
import { inboundTransferResource } from './inbound-transfers/inbound-transfer-resource.ts';
import { statementCheck } from './statements/checks/statement-check.ts';
import { movedStatementSchedules, statementMaking } from './statements/make-statements.ts';
import { statementSchedules } from './statements/schedule-table.ts';
import { statementResource } from './statements/statement-resource.ts';

/** The folders of the group, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = ['lines', 'statements', 'account', 'holds', 'inbound-transfers'] as const;

export const accountsGroup: Group = {
  name: 'accounts',
  resources: [accountResource, accountHoldResource, inboundTransferResource, statementResource],
  tables: [defaultAccounts, statementSchedules],
  appointments: [holdExpiry, statementMaking],
  moved: [movedHolds, movedStatementSchedules],
  checks: [inboundTransferCheck, accountHoldCheck, statementCheck],
  equations: [inboundTransferEquation],
  blocksClosing: [],
  atBank: [inboundAtBank],
  gauges: [],
};
