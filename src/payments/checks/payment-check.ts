/** Checks payments: their amounts are the sums of their captures, refunds and disputes, and each of those booked what it says. */
import type { CheckContext } from '../../checks/check-context.ts';
import type { RowCheck } from '../../checks/row-check.ts';
import { behindNewIds } from '../../checks/until.ts';
import { feeOf } from '../../fees/fee-schedule.ts';
import { publicId, type Uuid } from '../../ids.ts';
import { chartAccountId } from '../../ledger/chart.ts';
import { countsAsDisputed, type Dispute } from '../disputes/dispute.ts';
import { scheduleOf } from '../payment.ts';
import type { PaymentOperation } from '../payment-operation.ts';
import { debitsOf } from './booked.ts';
import { checkFailedRefund, checkWonDispute } from './given-back-check.ts';
import { type PaymentHistory, readPaymentHistories, readPaymentHistoriesById } from './payment-check-store.ts';

export const paymentCheck: RowCheck<PaymentHistory, Uuid> = {
  name: 'payments',
  pageRows: 200,
  read: ({ pool, book }, page) => readPaymentHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readPaymentHistoriesById(pool, book.id, ids),
  check: checkPayment,
  placeOf: ({ payment }, until) => behindNewIds(payment.id, until),
};

function checkPayment(context: CheckContext, history: PaymentHistory): void {
  const { payment, operations } = history;
  const captures = operations.filter(({ kind, status }) => kind === 'capture' && status === 'succeeded');
  const refunds = operations.filter(({ kind }) => kind === 'refund');
  const given = refunds.filter(({ status }) => status !== 'failed');
  const amounts: readonly [name: string, row: bigint, sum: bigint][] = [
    ['amount_captured', payment.amountCaptured, sumOf(captures)],
    ['amount_refunded', payment.amountRefunded, sumOf(refunds.filter(({ status }) => status === 'succeeded'))],
    ['amount_refunding', payment.amountRefunding, sumOf(refunds.filter(({ status }) => status === 'pending'))],
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
  for (const operation of operations) checkOperation(context, history, operation);
  for (const dispute of history.disputes) checkDispute(context, history, dispute);
}

/** What an operation booked on the account that stands between us and its acquirer, and on the operator's. */
function checkOperation(context: CheckContext, history: PaymentHistory, operation: PaymentOperation): void {
  const { kind, status, amount, fee } = operation;
  const succeeded = status === 'succeeded';
  if (kind === 'capture')
    checkBooked(context, history, {
      kind,
      of: operation,
      atAcquirer: succeeded ? amount : 0n,
      toOperator: succeeded ? fee : 0n,
      inTransit: 0n,
    });
  // The operator gives with the request, and has it again when the refund fails.
  else
    checkBooked(context, history, {
      kind: 'refund',
      of: operation,
      atAcquirer: succeeded ? -amount : 0n,
      toOperator: status === 'failed' ? 0n : -fee,
      inTransit: status === 'pending' ? amount : 0n,
    });
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

/** An inquiry books nothing, and a chargeback that was won gave back what it took. */
function checkDispute(context: CheckContext, history: PaymentHistory, dispute: Dispute): void {
  const { stage, amount, fee, feeRefunded } = dispute;
  const atAcquirer = countsAsDisputed(dispute) ? -amount : 0n;
  const toOperator = stage === 'chargeback' ? fee - feeRefunded : 0n;
  checkBooked(context, history, { kind: 'dispute', of: dispute, atAcquirer, toOperator, inTransit: 0n });
  if (dispute.status === 'won' && stage === 'chargeback') checkWonDispute(context, history, dispute);
}

interface Booked {
  readonly kind: 'capture' | 'refund' | 'dispute';
  readonly of: Pick<PaymentOperation, 'id' | 'currency' | 'entryIds'>;
  /** Debits less credits of the account `acquirer`. */
  readonly atAcquirer: bigint;
  /** Credits less debits of the account `due_operator`. */
  readonly toOperator: bigint;
  /** Credits less debits of the account `refunds_in_transit`. */
  readonly inTransit: bigint;
}

function checkBooked(
  { book, report }: CheckContext,
  { steps }: PaymentHistory,
  { kind, of: { id, currency, entryIds }, atAcquirer, toOperator, inTransit }: Booked,
): void {
  const booked = steps.get(id) ?? [];
  const debited = (code: 'acquirer' | 'due_operator' | 'refunds_in_transit') =>
    debitsOf(booked, chartAccountId(book.id, code, currency));
  const [acquirer, operator, transit] = [debited('acquirer'), -debited('due_operator'), -debited('refunds_in_transit')];
  const knows = entryIds.length === booked.length && booked.every((step) => entryIds.includes(step.id));
  if (acquirer === atAcquirer && operator === toOperator && transit === inTransit && knows) return;
  report({
    check: 'payment.entries',
    ids: { [kind]: publicId(kind, id) },
    expected: `${atAcquirer} at the acquirer, ${toOperator} to the operator, ${inTransit} in transit, ${booked.length} entries`,
    actual: `${acquirer} at the acquirer, ${operator} to the operator, ${transit} in transit, ${entryIds.length} entries`,
    detail: 'What was booked is not what the acquirer did, or not its fee.',
  });
}

const sumOf = (parts: readonly { readonly amount: bigint }[]) => parts.reduce((sum, { amount }) => sum + amount, 0n);
const feesOf = (operations: readonly PaymentOperation[]) => operations.reduce((sum, { fee }) => sum + fee, 0n);
