import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { personal } from '../../ledger/rows/personal-text.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { cardView, declineView } from '../payment/payment-view.ts';
import { allowedActions, PAYMENT_TOKEN_TRANSITIONS, type PaymentToken } from './payment-token.ts';
import { paymentTokens } from './payment-token-table.ts';

export const paymentTokenResource: Resource<PaymentToken, Shown> = {
  name: 'payment_token',
  table: paymentTokens,
  parent: null,
  events: [],
  books: false,
  changed: (token, change) => ({ ...token, ...change }),
  transitions: PAYMENT_TOKEN_TRANSITIONS,
  allowedActions,
  isGone: ({ status }) => status === 'deleted',
  view: (token, { livemode }) => paymentTokenView(token, livemode),
};

function paymentTokenView(token: PaymentToken, livemode: boolean) {
  const { verification } = token;
  return {
    id: publicId('paymentToken', token.id),
    object: 'payment_token',
    livemode,
    status: token.status,
    reusable: token.reusable,
    customer_reference: customerOf(token),
    card: cardView(token.card),
    verification: verification && {
      status: verification.status,
      decline: verification.decline && declineView(verification.decline),
      cvc: verification.cvc,
    },
    network_reference: token.networkReference,
    payment: publicIdOrNull('payment', token.paymentId),
    allowed_actions: allowedActions(token),
    request_id: publicId('request', token.requestId),
    version: token.version,
    created_at: formatInstant(token.createdAt),
    updated_at: formatInstant(token.updatedAt),
  };
}

function customerOf({ id, customerReference, textSalt }: PaymentToken) {
  const owner = textSalt && { object: 'payment_token' as const, objectId: id, salt: textSalt };
  return owner ? personal(owner, 'customer_reference', customerReference) : customerReference;
}
