/** The group of transactions: card purchases, from the messages of a processor. */
import { APPENDS } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { clearingIntakeCheck } from './clearing-files/checks/intake-check.ts';
import { clearingIntakes } from './clearing-files/clearing-intake-table.ts';
import { transactionDisputeResource } from './disputes/dispute-resource.ts';
import { movedPurchases, purchaseExpiries } from './expiry/expire-purchases.ts';
import { transactionMessageResource } from './message/message-resource.ts';
import { purchaseCheck, purchaseEquation } from './purchase/checks/purchase-check.ts';
import { transactionResource } from './purchase/purchase-resource.ts';
import { purchasesOpen } from './purchase/purchases-open.ts';
import { counterCheck } from './recording/checks/counter-check.ts';
import { schemeSettlementCheck, schemeSettlementEquation } from './settlements/checks/settlement-check.ts';
import { schemeSettlementResource } from './settlements/settlement-resource.ts';
import { schemeSettlementsAtBank } from './settlements/settlements-at-bank.ts';

/** The folders of the group, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = [
  'message',
  'booking',
  'disputes',
  'purchase',
  'decisions',
  'recording',
  'backtest',
  'clearing-files',
  'expiry',
  'dispute-actions',
  'settlements',
  'simulations',
] as const;

export const transactionsGroup: Group = {
  name: 'transactions',
  resources: [transactionResource, transactionMessageResource, transactionDisputeResource, schemeSettlementResource],
  tables: [clearingIntakes],
  rights: {
    intake_file_parts: APPENDS,
    clearing_files: APPENDS,
    clearing_file_parts: APPENDS,
    clearing_lines: APPENDS,
  },
  appointments: purchaseExpiries,
  moved: [movedPurchases],
  checks: [purchaseCheck, counterCheck, schemeSettlementCheck, clearingIntakeCheck],
  equations: [purchaseEquation, schemeSettlementEquation],
  blocksClosing: [purchasesOpen],
  atBank: [schemeSettlementsAtBank],
  gauges: [],
};
