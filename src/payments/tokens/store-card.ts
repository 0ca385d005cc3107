/** Keeps the card of a payment for a customer, in the commit that authorized it. */
import type { Draft } from '../../ledger/command/draft.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import type { Payment } from '../payment/payment.ts';
import { paymentTokens } from './payment-token-table.ts';

/** What changes in the payment. Its token at the acquirer was made to be used again. */
export function storeCard(
  draft: Draft,
  payment: Payment,
  { token, acquirer }: PaymentOperation,
  networkReference: string | null,
): Pick<Payment, 'storedTokenId'> | undefined {
  const { storeFor, card } = payment;
  if (storeFor === null || token === null || card === null) return undefined;
  const id = draft.mintId();
  draft.put(paymentTokens, id, {
    id,
    status: 'active',
    reusable: true,
    customerReference: storeFor,
    textSalt: null,
    acquirer,
    acquirerToken: token,
    card,
    verification: null,
    networkReference,
    paymentId: payment.id,
    requestId: payment.requestId,
    version: 1,
    createdAt: draft.moment.book,
    updatedAt: draft.moment.book,
  });
  return { storedTokenId: id };
}
