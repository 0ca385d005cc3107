/** The group of reconciliation: bank accounts of the operator's, and what banks state of them. */
import { changes, rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { bankAccountResource } from './accounts/bank-account-resource.ts';
import { bankAccountIdentifiers, partyCutOvers } from './accounts/bank-account-table.ts';
import { bankAccountCheck, bankAccountEquation } from './accounts/checks/bank-account-check.ts';
import { sweepFeeDays } from './fees/begin-fee-days.ts';
import { feeCollectionCheck, feeCollectionEquation } from './fees/checks/fee-collection-check.ts';
import { feesOfDays } from './fees/collect-fees.ts';
import { feeCollectionResource } from './fees/fee-collection-resource.ts';
import { feeDays } from './fees/fee-collection-table.ts';
import { feesAtBank } from './fees/fees-at-bank.ts';
import { movedFeeDays } from './fees/moved-fee-days.ts';
import { comparedItemCheck } from './items/checks/compared-item-check.ts';
import { comparedAccounts } from './items/compared-account-table.ts';
import { expectedItemResource } from './items/expected-item-resource.ts';
import { bankLineResource } from './lines/bank-line-resource.ts';
import { bankLines } from './lines/bank-line-table.ts';
import { bankMatchResource } from './matches/bank-match-resource.ts';
import { bankMatchCheck, bankMatchEquation } from './matches/checks/bank-match-check.ts';
import { sweepMovingMatches } from './matches/sweep-moving.ts';
import { bookMirrorResource } from './mirror/book-mirror-resource.ts';
import { mirroredPools } from './mirror/book-mirror-table.ts';
import { bookMirrorCheck, bookMirrorEquation } from './mirror/checks/book-mirror-check.ts';
import { sweepMirror } from './mirror/sweep-mirror.ts';
import { sweepOpenings } from './openings/sweep-openings.ts';
import { bankReports } from './position/bank-reports.ts';
import { statementsThrough } from './position/statements-through.ts';
import { csvProfileResource } from './profiles/saved-profile-resource.ts';
import { acquirerReportResource } from './reports/acquirer-report-resource.ts';
import { acquirerReportCheck, acquirerReportEquation } from './reports/checks/acquirer-report-check.ts';
import { sweepReports } from './reports/post-received.ts';
import { bankAccountRulesResource } from './rules/bank-account-rules-resource.ts';
import { matchingAfterApproval } from './runs/match-after-approval.ts';
import { movedRuns } from './runs/moved-runs.ts';
import { sweepReleased } from './runs/post-released.ts';
import { reconciliationResource } from './runs/reconciliation-resource.ts';
import { reconciliations } from './runs/reconciliation-table.ts';
import { sweepWaitingRuns } from './runs/sweep-waiting-runs.ts';
import { bankStatementResource } from './statements/bank-statement-resource.ts';
import { statementIdentities } from './statements/bank-statement-table.ts';
import { bankStatementCheck, bankStatementEquation } from './statements/checks/bank-statement-check.ts';

/** The folders of the group, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = [
  'reading',
  'accounts',
  'rules',
  'fees',
  'profiles',
  'lines',
  'items',
  'mirror',
  'reports',
  'statements',
  'matches',
  'openings',
  'position',
  'runs',
  'simulations',
] as const;

export const reconciliationGroup: Group = {
  name: 'reconciliation',
  resources: [
    bankAccountResource,
    bankAccountRulesResource,
    feeCollectionResource,
    bankLineResource,
    expectedItemResource,
    acquirerReportResource,
    bankStatementResource,
    bankMatchResource,
    bookMirrorResource,
    csvProfileResource,
    reconciliationResource,
  ],
  tables: [bankAccountIdentifiers, partyCutOvers, feeDays, statementIdentities, mirroredPools, comparedAccounts],
  // A lease is no part of a run: stores keep it.
  rights: {
    reconciliations: rightsOf(reconciliations, ['leased_until', 'stuck_at', 'stuck_error']),
    // Before it is posted, a reversal is turned by what its bank means.
    bank_lines: rightsOf(bankLines, ['amount', 'details']),
    bank_folders: changes('claimed_by', 'claimed_until'),
  },
  appointments: [feesOfDays],
  moved: [movedFeeDays, movedRuns],
  checks: [
    bankAccountCheck,
    feeCollectionCheck,
    acquirerReportCheck,
    bankStatementCheck,
    bankMatchCheck,
    bookMirrorCheck,
    comparedItemCheck,
  ],
  equations: [
    bankAccountEquation,
    feeCollectionEquation,
    acquirerReportEquation,
    bankStatementEquation,
    bankMatchEquation,
    bookMirrorEquation,
  ],
  blocksClosing: [],
  blocksPeriods: [statementsThrough],
  operatorReports: bankReports,
  gauges: [],
  atBank: [feesAtBank],
  followsApproval: [matchingAfterApproval],
  sweeps: (context) => [
    ...sweepReleased(context),
    sweepWaitingRuns(context),
    sweepMovingMatches(context),
    sweepMirror(context),
    sweepFeeDays(context),
    sweepReports(context),
    sweepOpenings(context),
  ],
};
