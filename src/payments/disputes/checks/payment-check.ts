/**
 * Checks payments: their amounts are the sums of their captures, refunds and disputes, and the entries of each move its
 * amounts.
 */

import { feeOf } from '../../../fees/fee-schedule.ts';
import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf, type RowBalances, restOf } from '../../../group/equation.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import type { PaymentOperation } from '../../operations/payment-operation.ts';
import { scheduleOf } from '../../payment/payment.ts';
import { countsAsDisputed, type Dispute } from '../dispute.ts';
import { checkCapturedShares } from './captured-shares-check.ts';
import { checkFailedRefund, checkWonDispute } from './given-back-check.ts';
import { type PaymentHistory, readPaymentHistories, readPaymentHistoriesById } from './payment-check-store.ts';
import { checkPortionsOfDispute, checkPortionsOfRefund } from './portions-check.ts';

export const paymentCheck: RowCheck<PaymentHistory, Uuid> = {
  name: 'payments',
  pageRows: 200,
  read: ({ pool, book }, page) => readPaymentHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readPaymentHistoriesById(pool, book.id, ids),
  check: checkPayment,
  placeOf: ({ payment }, until) => behindNewIds(payment.id, until),
};

export const paymentEquation = equationOf({
  rows: paymentCheck,
  resources: ['capture', 'refund', 'dispute'],
  codes: ['acquirer', 'merchant_pending', 'due_operator', 'refunds_in_transit'],
  balancesOf: (history) => [
    ...history.operations.map((operation) => balancesOfOperation(history, operation)),
    ...history.disputes.map((dispute) => balancesOfDispute(history, dispute)),
  ],
});

type Code = 'acquirer' | 'merchant_pending' | 'due_operator' | 'refunds_in_transit';

/** The acquirer owes what was captured, and its fee is the operator's: nothing of a capture passes the customer. */
function balancesOfOperation({ steps, inShares }: PaymentHistory, operation: PaymentOperation): RowBalances<Code> {
  const { id, kind, status, accountId, amount, currency, fee } = operation;
  const isRefund = kind === 'refund';
  const succeeded = status === 'succeeded' ? amount : 0n;
  // The operator gives its fee with the request, and has it again when the refund fails.
  const given = status === 'failed' ? 0n : fee;
  const chart = {
    acquirer: isRefund ? succeeded : -succeeded,
    merchant_pending: inShares.get(id) ?? 0n,
    due_operator: isRefund ? -given : status === 'succeeded' ? fee : 0n,
    refunds_in_transit: isRefund && status === 'pending' ? amount : 0n,
  };
  const inChart = {
    resource: isRefund ? 'refund' : 'capture',
    id,
    currency,
    entries: steps.get(id) ?? [],
    chart,
  } as const;
  return { ...inChart, customers: isRefund ? [[accountId, restOf(chart)]] : [] };
}

/** An inquiry books nothing, and a chargeback that was won gave back what it took. */
function balancesOfDispute({ steps, inShares }: PaymentHistory, dispute: Dispute): RowBalances<Code> {
  const { id, stage, accountId, amount, currency, fee, feeRefunded } = dispute;
  const chart = {
    acquirer: countsAsDisputed(dispute) ? amount : 0n,
    merchant_pending: inShares.get(id) ?? 0n,
    due_operator: stage === 'chargeback' ? fee - feeRefunded : 0n,
    refunds_in_transit: 0n,
  };
  const inChart = { resource: 'dispute', id, currency, entries: steps.get(id) ?? [], chart } as const;
  return { ...inChart, customers: [[accountId, restOf(chart)]] };
}

function checkPayment(context: CheckContext, history: PaymentHistory): void {
  const { payment, operations } = history;
  const captures = operations.filter(({ kind, status }) => kind === 'capture' && status === 'succeeded');
  const refunds = operations.filter(({ kind }) => kind === 'refund');
  const given = refunds.filter(({ status }) => status !== 'failed');
  const amounts: readonly [name: string, row: bigint, sum: bigint][] = [
    ['amount_captured', payment.amountCaptured, sumOf(captures)],
    ['amount_refunded', payment.amountRefunded, sumOf(refunds.filter(({ status }) => status === 'succeeded'))],
    ['amount_refunding', payment.amountRefunding, sumOf(refunds.filter(({ status }) => status === 'pending'))],
    ['amount_settled', payment.amountSettled, sumOf(captures.filter(({ settledAt }) => settledAt !== null))],
    ['amount_disputed', payment.amountDisputed, sumOf(history.disputes.filter(countsAsDisputed))],
    ['fee_refunded', payment.feeRefunded, feesOf(given)],
    ['fee', payment.fee + payment.feeRefunded, feesOf(captures)],
    ['fee of its schedule', feesOf(captures), captures.length === 0 ? 0n : feeOf(sumOf(captures), scheduleOf(payment))],
  ];
  for (const [name, row, sum] of amounts) {
    if (row === sum) continue;
    context.report({
      check: 'payment.amounts',
      ids: { payment: publicId('payment', payment.id) },
      expected: `${name} ${sum}`,
      actual: `${name} ${row}`,
      detail: 'An amount of the payment is not the sum of its captures, refunds or disputes.',
    });
  }
  if (payment.disputes !== history.disputes.length)
    context.report({
      check: 'payment.amounts',
      ids: { payment: publicId('payment', payment.id) },
      expected: `${history.disputes.length} disputes`,
      actual: `${payment.disputes} disputes`,
      detail: 'The payment counts other disputes than it has.',
    });
  for (const { id, kind, entryIds } of operations)
    checkEntries(context, history, { kind: kind === 'refund' ? 'refund' : 'capture', id, entryIds });
  for (const { id, entryIds } of history.disputes) checkEntries(context, history, { kind: 'dispute', id, entryIds });
  for (const operation of operations) checkOperation(context, history, operation);
  for (const dispute of history.disputes) {
    checkPortionsOfDispute(context, dispute);
    if (dispute.status === 'won' && dispute.stage === 'chargeback') checkWonDispute(context, history, dispute);
  }
}

function checkOperation(context: CheckContext, history: PaymentHistory, operation: PaymentOperation): void {
  const { kind, status, amount, fee } = operation;
  if (kind === 'capture') checkCapturedShares(context, history, operation);
  if (kind === 'refund') checkPortionsOfRefund(context, history, operation);
  if (kind === 'refund' && status === 'failed') checkFailedRefund(context, history, operation);
  if (fee < 0n || fee > amount) reportFee(context, operation);
}

/** A difference of fees that is booked lies between nothing and what it is taken from. */
function reportFee({ report }: CheckContext, { id, kind, amount, fee }: PaymentOperation): void {
  const name = kind === 'capture' ? 'capture' : 'refund';
  report({
    check: 'payment.fee',
    ids: { [name]: publicId(name, id) },
    expected: `a fee from 0 to ${amount}`,
    actual: `a fee of ${fee}`,
    detail: 'The fee is more than the amount that it is a part of.',
  });
}

/** The rows name the entries that are theirs. */
function checkEntries({ report }: CheckContext, { steps }: PaymentHistory, named: Named): void {
  const { kind, id, entryIds } = named;
  const booked = (steps.get(id) ?? []).map((step) => step.id);
  if (entryIds.length === booked.length && booked.every((entryId) => entryIds.includes(entryId))) return;
  const shown = (ids: readonly Uuid[]) => ids.map((entryId) => publicId('entry', entryId)).join(', ') || 'none';
  report({
    check: 'payment.entries',
    ids: { [kind]: publicId(kind, id) },
    expected: shown(booked),
    actual: shown(entryIds),
    detail: `The row of the ${kind} names other entries than the journal has for it.`,
  });
}

interface Named {
  readonly kind: 'capture' | 'refund' | 'dispute';
  readonly id: Uuid;
  readonly entryIds: readonly Uuid[];
}

const sumOf = (parts: readonly { readonly amount: bigint }[]) => parts.reduce((sum, { amount }) => sum + amount, 0n);
const feesOf = (operations: readonly PaymentOperation[]) => operations.reduce((sum, { fee }) => sum + fee, 0n);
