/** The group of accounts: names and references of customers' accounts, holds on them, and money that arrives for them. */

import type { Group } from '../group/group.ts';
import { accountHoldResource } from './account-hold-resource.ts';
import { defaultAccounts } from './account-profile-table.ts';
import { accountResource } from './account-resource.ts';
import { accountHoldCheck } from './checks/account-hold-check.ts';
import { inboundTransferCheck, inboundTransferEquation } from './checks/inbound-transfer-check.ts';
import { holdExpiry, movedHolds } from './expire-holds.ts';
import { inboundAtBank } from './inbound-at-bank.ts';
import { inboundTransferResource } from './inbound-transfer-resource.ts';
import { statementCheck } from './statements/checks/statement-check.ts';
import { movedStatementSchedules, statementMaking } from './statements/make-statements.ts';
import { statementSchedules } from './statements/schedule-table.ts';
import { statementResource } from './statements/statement-resource.ts';

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
