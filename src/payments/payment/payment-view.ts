/** How the API and events show a payment. */
import type { CardShown } from '../../acquirers/card.ts';
import { DECLINES } from '../../acquirers/decline-codes.ts';
import { personal } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { publicId, publicIdOrNull } from '../../values/ids.ts';
import { markedCheckoutUrl } from './checkout-link.ts';
import {
  allowedActions,
  awaitsCard,
  capturable,
  type Decline,
  type Payment,
  refundable,
  waitingOn,
} from './payment.ts';

export function paymentView(payment: Payment, livemode: boolean) {
  const { decline, recurring, textSalt } = payment;
  const owner = textSalt && { object: 'payment' as const, objectId: payment.id, salt: textSalt };
  const text = (field: string, value: string | null) => (owner ? personal(owner, field, value) : value);
  const nextAction = awaitsCard(payment)
    ? { url: markedCheckoutUrl(payment.id), expiresAt: payment.expiresAt! }
    : payment.nextAction;
  return {
    id: publicId('payment', payment.id),
    object: 'payment',
    livemode,
    status: payment.status,
    waiting_on: waitingOn(payment),
    amount: payment.amount,
    amount_authorized: payment.amountAuthorized,
    amount_capturable: capturable(payment),
    amount_captured: payment.amountCaptured,
    amount_refunded: payment.amountRefunded,
    amount_refundable: refundable(payment),
    amount_disputed: payment.amountDisputed,
    amount_settled: payment.amountSettled,
    amount_tip: payment.amountTip,
    fee: payment.fee,
    currency: payment.currency,
    currency_exponent: currencyExponent(payment.currency),
    account: publicId('account', payment.accountId),
    capture: payment.captureMode,
    source: sourceView(payment),
    store_for: text('store_for', payment.storeFor),
    stored_token: publicIdOrNull('paymentToken', payment.storedTokenId),
    initiator: payment.initiator,
    recurring: recurring && {
      reason: recurring.reason,
      previous_network_reference: recurring.previousNetworkReference,
    },
    authorization: authorizationView(payment),
    decline: decline && declineView(decline),
    attempts: payment.attempts.map((attempt) => ({
      at: formatInstant(attempt.at),
      card: attempt.card && cardView(attempt.card),
      decline: declineView(attempt),
    })),
    next_action: nextAction && {
      type: 'redirect',
      url: nextAction.url,
      expires_at: formatInstant(nextAction.expiresAt),
    },
    outcome: payment.outcome,
    next_inquiry_at: formatInstantOrNull(payment.nextInquiryAt),
    available_on: payment.availableOn,
    statement_descriptor: text('statement_descriptor', payment.statementDescriptor),
    return_url: text('return_url', payment.returnUrl),
    cancel_url: text('cancel_url', payment.cancelUrl),
    description: text('description', payment.description),
    external_id: payment.externalId,
    metadata: owner ? personal(owner, 'metadata', payment.metadata) : payment.metadata,
    allowed_actions: allowedActions(payment),
    request_id: publicId('request', payment.requestId),
    version: payment.version,
    created_at: formatInstant(payment.createdAt),
    updated_at: formatInstant(payment.updatedAt),
  };
}

function sourceView({ sourceType, sourceFacts, card }: Payment) {
  return {
    type: sourceType,
    card: card && cardView(card),
    token: publicIdOrNull('paymentToken', sourceFacts?.tokenId ?? null),
    reader: publicIdOrNull('reader', sourceFacts?.readerId ?? null),
    reader_action: publicIdOrNull('readerAction', sourceFacts?.actionId ?? null),
    alias_masked: sourceFacts?.aliasMasked ?? null,
    expires_at: formatInstantOrNull(sourceFacts?.requestExpiresAt ?? null),
  };
}

function authorizationView({ authorization, status, expiresAt }: Payment) {
  return (
    authorization && {
      code: authorization.code,
      expires_at: status === 'requires_action' ? null : formatInstantOrNull(expiresAt),
      network: authorization.network,
      network_reference: authorization.networkReference,
      avs: authorization.avs,
      cvc: authorization.cvc,
      eci: authorization.eci,
      three_d_secure: authorization.threeDSecure,
    }
  );
}

export function cardView(card: CardShown) {
  return {
    type: 'card',
    brand: card.brand,
    last_four: card.lastFour,
    exp_month: card.expMonth,
    exp_year: card.expYear,
    fingerprint: card.fingerprint,
    funding: card.funding,
    country: card.country,
  };
}

export function declineView({ code, networkCode }: Decline) {
  const { advice, message } = DECLINES[code];
  return { code, network_code: networkCode, advice, message };
}
