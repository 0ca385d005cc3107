/** The group of payments: money that payers give merchants, through acquirers, and when merchants get it. */
import { APPENDS, changes } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { sweepNotices } from '../outside/notices/sweep-inboxes.ts';
import { paymentCheck, paymentEquation } from './disputes/checks/payment-check.ts';
import { disputeResource } from './disputes/dispute-resource.ts';
import { disputeVisit, movedDisputes } from './disputes/visit-disputes.ts';
import { movedOperations, movedPayments, movedShares } from './operations/moved-operations.ts';
import { captureResource, incrementResource, refundResource, voidResource } from './operations/operation-resources.ts';
import { paymentsUnderWay } from './operations/payments-under-way.ts';
import { paymentExpiries } from './outcomes/expire-payments.ts';
import { paydays, settlementLines } from './paydays/settlement-table.ts';
import { paymentResource } from './payment/payment-resource.ts';
import { readerActionResource, readerResource } from './readers/reader-resource.ts';
import { releaseCheck, releaseEquation, settlementCheck, settlementEquation } from './settlements/checks/paid-check.ts';
import { paydayOfSandbox } from './settlements/keep-payday.ts';
import { movedPaydays } from './settlements/moved-paydays.ts';
import { settlementResource } from './settlements/settlement-resource.ts';
import { countReceivedIn } from './settlements/settlement-store.ts';
import { settlementsAtBank } from './settlements/settlements-at-bank.ts';
import { shareCheck, shareLineCheck } from './shares/checks/share-check.ts';
import { releaseResource } from './shares/release-resource.ts';
import { shareRelease } from './shares/release-shares.ts';
import { paymentShares, shareLines } from './shares/share-table.ts';
import { paymentTokenResource } from './tokens/payment-token-resource.ts';

/** The folders of the group, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = [
  'payment',
  'operations',
  'shares',
  'sources',
  'tokens',
  'readers',
  'paydays',
  'actions',
  'refunds',
  'disputes',
  'acceptance',
  'outcomes',
  'settlements',
  'checkout',
] as const;

export const paymentsGroup: Group = {
  name: 'payments',
  resources: [
    paymentResource,
    captureResource,
    incrementResource,
    voidResource,
    refundResource,
    releaseResource,
    settlementResource,
    disputeResource,
    paymentTokenResource,
    readerResource,
    readerActionResource,
  ],
  tables: [paymentShares, shareLines, settlementLines, paydays],
  rights: {
    intake_files: changes('key_sealed'),
    acquirer_report_parts: APPENDS,
    acquirer_report_lines: APPENDS,
  },
  appointments: [...paymentExpiries, shareRelease, paydayOfSandbox, disputeVisit],
  moved: [movedOperations, movedPayments, movedShares, movedPaydays, movedDisputes],
  checks: [paymentCheck, shareCheck, shareLineCheck, releaseCheck, settlementCheck],
  equations: [paymentEquation, releaseEquation, settlementEquation],
  sweeps: (context) =>
    sweepNotices(context, { parties: () => context.acquirers.all(), pool: 'payments', job: 'acquirer.notices' }),
  blocksClosing: [paymentsUnderWay],
  atBank: [settlementsAtBank],
  gauges: [],
  leftOpen: [{ type: 'settlements_received', count: countReceivedIn }],
};
