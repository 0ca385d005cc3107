import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import type { Payment } from '../payment/payment.ts';
import { payments } from '../payment/payment-table.ts';
import { readerActions, readers } from './reader-table.ts';

/** The reader that a payment is made at, with what it is asked to do: both change as the payment ends. */
export function readerTouches({ sourceFacts }: Pick<Payment, 'sourceFacts'>): Touch[] {
  if (!sourceFacts?.readerId || !sourceFacts.actionId) return [];
  return [
    { table: readers, ids: [sourceFacts.readerId] },
    { table: readerActions, ids: [sourceFacts.actionId] },
  ];
}

/** The accounts that what is captured passes, and what is released. */
export function passedAccounts(
  bookId: BookId,
  { accountId, currency }: { readonly accountId: Uuid | null; readonly currency: string },
): Uuid[] {
  const chart = (['acquirer', 'merchant_pending', 'due_operator'] as const).map((code) =>
    chartAccountId(bookId, code, currency),
  );
  return accountId === null ? chart : [accountId, ...chart];
}

/** A payment with operations of it, and the reader that it is made at. */
export function paymentTouches(
  payment: Pick<Payment, 'id' | 'sourceFacts'>,
  operations: readonly Pick<PaymentOperation, 'id'>[],
): Touch[] {
  return [
    ...readerTouches(payment),
    { table: payments, ids: [payment.id] },
    { table: paymentOperations, ids: operations.map(({ id }) => id) },
  ];
}

/** The accounts that money of a payment passes, refunds included. */
export function moneyTouches(bookId: BookId, payment: Pick<Payment, 'accountId' | 'currency'>): Touch[] {
  const inTransit = chartAccountId(bookId, 'refunds_in_transit', payment.currency);
  return [{ table: accounts, ids: [...passedAccounts(bookId, payment), inTransit] }];
}

/** What a command about operations of a payment touches that may move money: known from what of them never changes. */
export function operationTouches(
  bookId: BookId,
  payment: Pick<Payment, 'id' | 'accountId' | 'currency' | 'sourceFacts'>,
  operations: readonly Pick<PaymentOperation, 'id'>[],
): Touch[] {
  return [...paymentTouches(payment, operations), ...moneyTouches(bookId, payment)];
}
