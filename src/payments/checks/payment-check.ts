/** Checks payments: their amounts are the sums of their captures and refunds, and each of those booked what it says. */
import type { CheckContext } from '../../checks/check-context.ts';
import type { RowCheck } from '../../checks/row-check.ts';
import { behindNewIds } from '../../checks/until.ts';
import { feeOf } from '../../fees/fee-schedule.ts';
import { publicId, type Uuid } from '../../ids.ts';
import { chartAccountId } from '../../ledger/chart.ts';
import { scheduleOf } from '../payment.ts';
import type { PaymentOperation } from '../payment-operation.ts';
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
      detail: 'An amount of the payment is not the sum of its captures or refunds.',
    });
  }
  for (const operation of operations) checkOperation(context, history, operation);
}

/** What an operation booked on the account that stands between us and its acquirer. */
function checkOperation({ book, report }: CheckContext, { steps }: PaymentHistory, operation: PaymentOperation): void {
  const { id, kind, status, amount, currency, entryIds } = operation;
  const booked = steps.get(id) ?? [];
  const acquirer = chartAccountId(book.id, 'acquirer', currency);
  const moved = booked.flatMap(({ postings }) =>
    postings.map((posting) => {
      if (posting.debitAccountId === acquirer) return posting.amount;
      return posting.creditAccountId === acquirer ? -posting.amount : 0n;
    }),
  );
  const total = moved.reduce((sum, part) => sum + part, 0n);
  const expected = status !== 'succeeded' ? 0n : kind === 'capture' ? amount : -amount;
  const knows = entryIds.length === booked.length && booked.every((step) => entryIds.includes(step.id));
  if (total === expected && knows) return;
  report({
    check: 'payment.entries',
    ids: { [kind]: publicId(kind === 'capture' ? 'capture' : 'refund', id) },
    expected: `${expected} at the acquirer, ${booked.length} entries`,
    actual: `${total} at the acquirer, ${entryIds.length} entries`,
    detail: 'What was booked is not what the acquirer did.',
  });
}

const sumOf = (operations: readonly PaymentOperation[]) => operations.reduce((sum, { amount }) => sum + amount, 0n);
const feesOf = (operations: readonly PaymentOperation[]) => operations.reduce((sum, { fee }) => sum + fee, 0n);
