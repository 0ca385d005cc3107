/** What a request to capture, cancel or increment a payment becomes: the payment is read for the accounts that it touches. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { BookId } from '../../ledger/book.ts';
import type { Command, Refusal } from '../../ledger/command.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import type { Payment } from '../payment/payment.ts';
import { payments } from '../payment/payment-table.ts';
import { type ActOnPayment, cancelPayment, capturePayment, incrementPayment } from './act-on-payment.ts';

export interface PaymentActionRequest extends Asked {
  readonly paymentId: Uuid;
  readonly ifMatch?: number | undefined;
  readonly amount?: bigint | undefined;
  readonly final?: boolean | undefined;
}

type Read = { payment: Payment; authorization: PaymentOperation | undefined };

function acting(
  command: (bookId: BookId, read: Read, input: PaymentActionRequest & ActOnPayment) => Command<Stored | Refusal>,
): UseCase<{ pool: Pool }, PaymentActionRequest> {
  return {
    async prepare({ pool }, input) {
      const payment = await payments.find(pool, input.bookId, input.paymentId);
      if (!payment) throw new ApiError('resource_not_found', { param: 'id' });
      const of = payment.authorizedBy;
      const authorization = of === null ? undefined : await paymentOperations.find(pool, input.bookId, of);
      return {
        command: command(input.bookId, { payment, authorization }, input),
      };
    },
  };
}

export const requestCapture = acting((bookId, read, input) => capturePayment(bookId, read, input));
export const requestCancel = acting((bookId, read, input) => cancelPayment(bookId, read, input));
export const requestIncrement = acting((bookId, read, input) =>
  incrementPayment(bookId, read, { ...input, amount: input.amount! }),
);
