/** The rows of payments in the book in memory, by the names that the model gives them. */
import type { AcquirerNotice } from '../../../../src/acquirers/acquirer.ts';
import type { ApplyDisputeNotice, DisputeNotice } from '../../../../src/payments/disputes/apply-dispute-notice.ts';
import type { Dispute } from '../../../../src/payments/disputes/dispute.ts';
import { disputes } from '../../../../src/payments/disputes/dispute-table.ts';
import type { AcquirerReport } from '../../../../src/payments/operations/acquirer-report.ts';
import type { PaymentOperation } from '../../../../src/payments/operations/payment-operation.ts';
import { paymentOperations } from '../../../../src/payments/operations/payment-operation-table.ts';
import type { Payment } from '../../../../src/payments/payment/payment.ts';
import { payments } from '../../../../src/payments/payment/payment-table.ts';
import { type PaymentShare, shareId } from '../../../../src/payments/shares/share.ts';
import { paymentShares } from '../../../../src/payments/shares/share-table.ts';
import type { Uuid } from '../../../../src/values/ids.ts';
import type { RealBook } from '../../part.ts';
import { nameOf } from './reference-shares.ts';
import type { Word } from './words.ts';

const DAY_MS = 24 * 60 * 60_000;

export function paymentOf({ memory, names }: RealBook, name: string): Payment {
  return memory.get(payments, names.idOf(name));
}

export function operationOf({ memory, names }: RealBook, name: string): PaymentOperation {
  return memory.get(paymentOperations, names.idOf(name));
}

/** The operation that authorized the payment, or will. */
export function authorizationOf(real: RealBook, payment: string): PaymentOperation {
  return operationOf(real, `authorize 1 of ${payment}`);
}

/** The share of a day; not one that a settlement released at once. */
export function shareNamed({ memory, names }: RealBook, name: string): PaymentShare {
  const named = [...memory.rows(paymentShares).values()].filter((share) => shareName(share, names) === name);
  return named.find((share) => share.id === shareId(memory.book.id, share))!;
}

export function shareName({ accountId, availableOn, kind }: PaymentShare, names: RealBook['names']): string {
  return nameOf({ account: names.nameOf(accountId), day: Date.parse(availableOn) / DAY_MS, kind });
}

/** The latest dispute of a payment that the acquirer knows by the reference, and the one that the notice has opened. */
export function disputesOf(
  { memory }: RealBook,
  { paymentId, noticeId, reference }: { paymentId: Uuid; noticeId: Uuid; reference: string },
): Pick<ApplyDisputeNotice, 'known' | 'opened'> {
  const own = [...memory.rows(disputes).values()].filter((dispute: Dispute) => dispute.paymentId === paymentId);
  return {
    opened: own.find((dispute) => dispute.noticeId === noticeId),
    known: own.findLast((dispute) => dispute.acquirerReference === reference && dispute.noticeId !== noticeId),
  };
}

export function disputeNotice(
  operation: PaymentOperation,
  told: Pick<DisputeNotice, 'id' | 'kind' | 'amount' | 'reference' | 'createdAt'>,
): DisputeNotice {
  const confirmed: AcquirerNotice['confirmed'] = { amount: operation.amount, currency: operation.currency };
  const of = { originator: '', endToEndId: operation.reference, confirmed };
  return { ...told, ...of, code: 'fraudulent' } as DisputeNotice;
}

/** What the acquirer says. `noticeId` where it says so by itself. */
export function reportOf(
  word: Word,
  { noticeId, authorizationMs }: { noticeId: Uuid | undefined; authorizationMs: number },
): AcquirerReport {
  const any = { authorizationMs, nextInquiryMs: 1_000, mismatches: [], raw: {} };
  const call = noticeId === undefined ? ({ call: 'inquire' } as const) : ({ call: 'notice', noticeId } as const);
  switch (word) {
    case 'another amount':
      return {
        ...{ ...any, ...call, status: 'succeeded' },
        mismatches: [{ kind: 'acquirer_amount_mismatch', detail: 'The acquirer confirms another amount.' }],
      };
    case 'failed late':
      return { ...any, ...call, status: 'declined', code: 'processing_error', isLate: true };
    case 'declined':
      return { ...any, ...call, status: 'declined', code: 'generic_decline' };
    default:
      return { ...any, ...call, status: word };
  }
}
