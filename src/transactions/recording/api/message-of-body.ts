/** The message of a request's body. */
import type { z } from 'zod';
import type { Asked } from '../../../idempotency/use-case.ts';
import { multiplyRatio } from '../../../money/rounding.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { Incoming, MerchantAmount } from '../../message/message.ts';
import type { MessageChecks } from '../../message/message-table.ts';
import type { CardNamed, ReceivedMerchant, ReceivedMessage } from '../received-message.ts';
import type * as schemas from './message-schemas.ts';
import { requireFit } from './misfits.ts';

type Authorization = z.output<typeof schemas.createAuthorization>;
type Increment = z.output<typeof schemas.increment> & Partial<z.output<typeof schemas.createIncrement>>;
type Reversal = z.output<typeof schemas.reverse> & Partial<z.output<typeof schemas.createReversal>>;
type Clearing = z.output<typeof schemas.clear> & Partial<z.output<typeof schemas.createClearing>>;
type Refund = z.output<typeof schemas.refund> & Partial<z.output<typeof schemas.createRefund>>;
type Advice = z.output<typeof schemas.createAdvice>;

/** Who asks, and which purchase it is about: null where the body names it by its network reference. */
export interface Of extends Asked {
  readonly purchaseId: Uuid | null;
}

interface CardFields {
  readonly card?: Uuid | undefined;
  readonly card_reference?: string | undefined;
  readonly token?: Uuid | undefined;
}

interface Common extends CardFields {
  readonly message_reference: string;
  readonly network_reference?: string | undefined;
  readonly merchant?: Authorization['merchant'] | undefined;
  readonly entry_mode?: Authorization['entry_mode'] | undefined;
  readonly kind?: Authorization['kind'] | undefined;
  readonly currency?: string | undefined;
}

type Received = Omit<ReceivedMessage, keyof Asked>;

export function authorizationMessage(of: Of, body: Authorization): ReceivedMessage {
  return messageOf(of, body, {
    type: 'authorization',
    checks: checksOf(body),
    incoming: (kind) => ({
      ...{ type: 'authorization', reference: body.message_reference, kind, form: body.message, amount: body.amount },
      ...{ cashback: body.cashback_amount ?? 0n, merchant: merchantAmount(body) },
      isPartialAllowed: body.partial_approval_allowed,
    }),
  });
}

export function incrementMessage(of: Of, body: Increment): ReceivedMessage {
  return messageOf(of, body, {
    type: 'increment',
    checks: checksOf(body),
    incoming: (kind) => ({
      ...{ type: 'increment', reference: body.message_reference, kind, form: 'dual', amount: body.amount },
      ...{ cashback: 0n, merchant: merchantAmount(body), isPartialAllowed: body.partial_approval_allowed },
    }),
  });
}

/** Of a posting, where it names one. What that is, the purchase knows. */
export function reversalMessage(of: Of, body: Reversal): ReceivedMessage {
  const { message_reference: reference, reverses, amount = null } = body;
  if (reverses !== undefined)
    return messageOf(of, body, {
      type: 'clearing_reversal',
      checks: null,
      incoming: () => ({ type: 'clearing_reversal', reference, reverses, amount }),
    });
  return messageOf(of, body, {
    type: 'reversal',
    checks: null,
    incoming: () => ({ type: 'reversal', reference, amount, merchant: merchantAmount(body) }),
  });
}

export function clearingMessage(of: Of, body: Clearing): ReceivedMessage {
  const { message_reference: reference, amount, kind = null, sequence = null, final = null, interchange } = body;
  return {
    ...messageOf(of, body, {
      type: 'clearing',
      checks: null,
      incoming: () => ({
        ...{ type: 'clearing', reference, kind, amount, merchant: merchantAmount(body) },
        ...{ sequence, isFinal: final },
      }),
    }),
    interchange: interchange === undefined ? null : BigInt(interchange),
  };
}

export function refundMessage(of: Of, body: Refund): ReceivedMessage {
  const { message_reference: reference, amount } = body;
  return messageOf(of, body, {
    type: 'refund',
    checks: null,
    incoming: () => ({ type: 'refund', reference, amount, merchant: merchantAmount(body) }),
  });
}

export function adviceMessage(of: Of, body: Advice): ReceivedMessage {
  const { message_reference: reference, advice, message: form } = body;
  const { reason, of: advised, approved_amount: amount } = advice;
  return messageOf(of, body, {
    type: 'advice',
    checks: checksOf(body),
    incoming: (kind) => ({
      ...{ type: 'advice', reference, reason, of: advised, kind, form, isApproved: advice.decision === 'approved' },
      ...{ amount, merchant: inProportion(body) },
    }),
  });
}

export function expiryMessage(
  of: Of,
  { message_reference: reference }: z.output<typeof schemas.expire>,
): ReceivedMessage {
  const incoming = (): Incoming => ({ type: 'expiry', reference });
  return messageOf(of, { message_reference: reference }, { type: 'expiry', checks: null, incoming });
}

function messageOf(
  { purchaseId, ...asked }: Of,
  body: Common,
  own: Pick<Received, 'type' | 'checks' | 'incoming'>,
): ReceivedMessage {
  requireFit(body, own.type);
  return {
    ...asked,
    messageReference: body.message_reference,
    of: purchaseId === null ? { networkReference: body.network_reference! } : { purchaseId },
    card: cardNamed(body),
    merchant: merchantOf(body),
    kind: body.kind ?? null,
    currency: body.currency ?? null,
    ...own,
  };
}

function cardNamed({ card, card_reference: cardReference, token }: CardFields): CardNamed | null {
  if (card !== undefined) return { cardId: card };
  if (token !== undefined) return { tokenId: token };
  return cardReference === undefined ? null : { cardReference };
}

function merchantOf({ merchant, entry_mode: entryMode }: Common): ReceivedMerchant | null {
  if (merchant === undefined) return null;
  return {
    merchantId: merchant.id,
    acquirerId: merchant.acquirer_id ?? null,
    name: merchant.name,
    city: merchant.city,
    country: merchant.country,
    postalCode: merchant.postal_code ?? null,
    mcc: merchant.mcc,
    terminal: merchant.terminal ?? null,
    entryMode: entryMode ?? null,
  };
}

function merchantAmount(body: {
  readonly merchant_amount?: bigint | undefined;
  readonly merchant_currency?: string | undefined;
}): MerchantAmount | null {
  const { merchant_amount: amount, merchant_currency: currency } = body;
  return amount === undefined ? null : { amount, currency: currency! };
}

/** Of a part that the network has approved, the same part of the merchant's amount, rounded down. */
function inProportion(body: Advice): MerchantAmount | null {
  const { amount, advice } = body;
  const whole = merchantAmount(body);
  if (whole === null || amount === undefined || amount === 0n || amount === advice.approved_amount) return whole;
  const ratio = { numerator: advice.approved_amount, denominator: amount };
  return { amount: multiplyRatio(whole.amount, ratio, 'down'), currency: whole.currency };
}

function checksOf(
  body: Partial<Pick<Authorization, 'entry_mode' | 'three_d_secure'>> & Partial<Record<Check, Result>>,
): MessageChecks {
  const { three_d_secure: secure } = body;
  return {
    entryMode: body.entry_mode ?? null,
    cvvResult: body.cvv_result ?? null,
    pinResult: body.pin_result ?? null,
    expiryResult: body.expiry_result ?? null,
    avsResult: body.avs_result ?? null,
    threeDSecure: secure ? { result: secure.result, eci: secure.eci ?? null } : null,
  };
}

type Check = 'cvv_result' | 'pin_result' | 'expiry_result' | 'avs_result';
type Result = Authorization['cvv_result'];
