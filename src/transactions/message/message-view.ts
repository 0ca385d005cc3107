/** How a message is shown: an event of its transaction, which never changes. */
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, publicIdOrNull, type Uuid } from '../../values/ids.ts';
import { type DecidedRequest, isRequest, type Message } from './message.ts';
import type { MessageChecks, StoredMessage } from './message-table.ts';
import { decisionView } from './stored-decision.ts';

export interface ShownMessage extends Omit<StoredMessage, 'eventSequence'> {
  readonly entryIds: readonly Uuid[];
}

export function messageView(shown: ShownMessage, livemode: boolean) {
  const { message, checks, interchange } = shown;
  return {
    id: publicId('transactionMessage', shown.id),
    object: 'transaction_event',
    livemode,
    transaction: publicId('transaction', shown.transactionId),
    type: message.type,
    // What the product records by itself has a name that no processor could give.
    message_reference: message.reference.startsWith(' ') ? null : message.reference,
    card: publicId('card', shown.cardId),
    token: publicIdOrNull('cardToken', shown.tokenId),
    ...amountsOf(message),
    currency: shown.currency,
    currency_exponent: currencyExponent(shown.currency),
    ...decisionView(shown.decision),
    advice: adviceOf(message),
    sequence: message.type === 'clearing' ? message.sequence : null,
    final: message.type === 'clearing' ? message.isFinal : null,
    reverses: 'reverses' in message ? message.reverses : null,
    checks: checks && checksView(checks),
    interchange,
    business_date: shown.businessDate,
    flags: shown.flags,
    journal_entries: shown.entryIds.map((id) => publicId('entry', id)),
    request_id: publicId('request', shown.requestId),
    created_at: formatInstant(shown.createdAt),
  };
}

/** Null where the message leaves it out. */
function amountsOf(message: Message) {
  const asked: DecidedRequest | null = isRequest(message) ? message : null;
  const merchant = 'merchant' in message ? message.merchant : null;
  const form = 'form' in message ? message.form : null;
  return {
    kind: 'kind' in message ? message.kind : null,
    message: form,
    amount: 'amount' in message ? message.amount : null,
    cashback_amount: asked?.cashback ?? null,
    merchant_amount: merchant?.amount ?? null,
    merchant_currency: merchant?.currency ?? null,
    partial_approval_allowed: asked?.isPartialAllowed ?? null,
  };
}

function adviceOf(message: Message) {
  if (message.type !== 'advice') return null;
  return { reason: message.reason, of: message.of };
}

function checksView({ entryMode, cvvResult, pinResult, expiryResult, avsResult, threeDSecure }: MessageChecks) {
  return {
    entry_mode: entryMode,
    cvv_result: cvvResult,
    pin_result: pinResult,
    expiry_result: expiryResult,
    avs_result: avsResult,
    three_d_secure: threeDSecure,
  };
}
