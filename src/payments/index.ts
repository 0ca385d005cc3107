/** The group of payments: money that payers give merchants, through acquirers, and when merchants get it. */
import { keyedByUuid } from '../db/keyed-table.ts';
import { APPENDS, rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import type { GroupResource } from '../group/group-resource.ts';
import { sweepNotices } from '../outside/sweep-inboxes.ts';
import { disputes } from './disputes/dispute-table.ts';
import { disputeVisit, movedDisputes } from './disputes/visit-disputes.ts';
import { movedOperations, movedPayments, movedShares } from './operations/moved-operations.ts';
import { paymentOperations } from './operations/payment-operation-table.ts';
import { paymentsUnderWay } from './operations/payments-under-way.ts';
import { paymentExpiries } from './outcomes/expire-payments.ts';
import { paydays, settlementLines, settlements } from './paydays/settlement-table.ts';
import { paymentCheck, paymentEquation } from './payment/checks/payment-check.ts';
import { payments } from './payment/payment-table.ts';
import { readerActions, readers } from './readers/reader-table.ts';
import { releaseCheck, releaseEquation, settlementCheck, settlementEquation } from './settlements/checks/paid-check.ts';
import { paydayOfSandbox } from './settlements/keep-payday.ts';
import { movedPaydays } from './settlements/moved-paydays.ts';
import { shareCheck, shareLineCheck } from './shares/checks/share-check.ts';
import { shareRelease } from './shares/release-shares.ts';
import { paymentShares, releases, shareLines } from './shares/share-table.ts';
import { paymentTokens } from './tokens/payment-token-table.ts';

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

export const declaredPayment: GroupResource = {
  name: 'payment',
  table: keyedByUuid(payments.name, 'id'),
  parent: null,
  events: [
    'payment.created',
    'payment.updated',
    'payment.requires_action',
    'payment.authorized',
    'payment.captured',
    'payment.partially_captured',
    'payment.settled',
    'payment.failed',
    'payment.canceled',
    'payment.expired',
  ],
  appointments: paymentExpiries,
};

const operation = { table: keyedByUuid(paymentOperations.name, 'id'), parent: 'payment', appointments: [] } as const;

export const declaredRefund: GroupResource = {
  ...operation,
  name: 'refund',
  only: { column: 'kind', value: 'refund' },
  events: ['refund.created', 'refund.succeeded', 'refund.failed'],
};

export const declaredDispute: GroupResource = {
  name: 'dispute',
  table: keyedByUuid(disputes.name, 'id'),
  parent: 'payment',
  events: [
    'dispute.opened',
    'dispute.evidence_due_soon',
    'dispute.evidence_submitted',
    'dispute.accepted',
    'dispute.won',
    'dispute.lost',
    'dispute.escalated',
  ],
  appointments: [disputeVisit],
};

export const declaredRelease: GroupResource = {
  name: 'release',
  table: keyedByUuid(releases.name, 'id'),
  parent: null,
  events: ['release.created'],
  appointments: [shareRelease],
};

export const declaredSettlement: GroupResource = {
  name: 'settlement',
  table: keyedByUuid(settlements.name, 'id'),
  parent: null,
  events: ['settlement.received', 'settlement.completed'],
  appointments: [paydayOfSandbox],
};

export const declaredReader: GroupResource = {
  name: 'reader',
  table: keyedByUuid(readers.name, 'id'),
  parent: null,
  events: [],
  appointments: [],
};

/** It ends with its payment, which has the appointment. */
export const declaredReaderAction: GroupResource = {
  name: 'reader_action',
  table: keyedByUuid(readerActions.name, 'id'),
  parent: 'reader',
  events: ['reader_action.succeeded', 'reader_action.failed', 'reader_action.canceled'],
  appointments: [],
};

const declaredToken: GroupResource = {
  name: 'payment_token',
  table: keyedByUuid(paymentTokens.name, 'id'),
  parent: null,
  events: [],
  appointments: [],
};

export const paymentsGroup: Group = {
  name: 'payments',
  resources: [
    declaredPayment,
    { ...operation, name: 'capture', only: { column: 'kind', value: 'capture' }, events: [] },
    { ...operation, name: 'increment', only: { column: 'kind', value: 'increment' }, events: [] },
    { ...operation, name: 'void', only: { column: 'kind', value: 'void' }, events: [] },
    declaredRefund,
    declaredRelease,
    declaredSettlement,
    declaredDispute,
    declaredToken,
    declaredReader,
    declaredReaderAction,
  ],
  tables: [
    payments,
    paymentOperations,
    paymentShares,
    shareLines,
    releases,
    settlements,
    settlementLines,
    paydays,
    disputes,
    paymentTokens,
    readers,
    readerActions,
  ],
  rights: {
    payments: rightsOf(payments, ['stuck_at', 'stuck_error']),
    payment_operations: rightsOf(paymentOperations, ['stuck_at', 'stuck_error']),
    payment_disputes: rightsOf(disputes, ['stuck_at', 'stuck_error']),
    payment_shares: rightsOf(paymentShares, ['stuck_at', 'stuck_error']),
    payment_share_lines: APPENDS,
    payment_releases: APPENDS,
    intake_files: APPENDS,
    acquirer_reports: APPENDS,
    acquirer_report_parts: APPENDS,
    acquirer_report_lines: APPENDS,
    settlements: rightsOf(settlements),
    settlement_lines: APPENDS,
    acquirer_paydays: rightsOf(paydays, ['stuck_at', 'stuck_error']),
    payment_tokens: rightsOf(paymentTokens),
    payment_readers: rightsOf(readers),
    payment_reader_actions: rightsOf(readerActions),
  },
  moved: [movedOperations, movedPayments, movedShares, movedPaydays, movedDisputes],
  checks: [paymentCheck, shareCheck, shareLineCheck, releaseCheck, settlementCheck],
  equations: [paymentEquation, releaseEquation, settlementEquation],
  sweeps: (context) =>
    sweepNotices(context, { parties: () => context.acquirers.all(), pool: 'payments', job: 'acquirer.notices' }),
  blocksClosing: [paymentsUnderWay],
  gauges: [],
};
