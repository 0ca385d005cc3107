import { accounts } from '../../ledger/account-table.ts';
import type { BookId } from '../../ledger/book.ts';
import { chartAccountId } from '../../ledger/chart.ts';
import type { Touch } from '../../ledger/command.ts';
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

/** What every command about an operation of a payment touches: known from what of both never changes. */
export function operationTouches(
  bookId: BookId,
  payment: Pick<Payment, 'id' | 'accountId' | 'currency' | 'sourceFacts'>,
  operations: readonly Pick<PaymentOperation, 'id'>[],
): Touch[] {
  const { id, currency } = payment;
  return [
    ...readerTouches(payment),
    { table: payments, ids: [id] },
    { table: paymentOperations, ids: operations.map((operation) => operation.id) },
    {
      table: accounts,
      ids: [...passedAccounts(bookId, payment), chartAccountId(bookId, 'refunds_in_transit', currency)],
    },
  ];
}
