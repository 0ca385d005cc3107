/** Schemas of payments: the request and the payment. */
import { z } from 'zod';
import { DECLINE_CODES } from '../../../acquirers/decline-codes.ts';
import { DESCRIPTOR_CHARACTERS, STATEMENT_DESCRIPTOR, WORD } from '../../../acquirers/party-texts.ts';
import { dryRunMember } from '../../../api/dry-run.ts';
import { orAll, positiveAmount } from '../../../api/schemas/amount.ts';
import {
  currency,
  description,
  externalId,
  freeText,
  metadata,
  partyReference,
  partyText,
  reference,
  refuseCardNumberInUrl,
  unlessGiven,
} from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { sourceRequest } from '../../acceptance/api/source-schemas.ts';
import { PAYMENT_TRANSITIONS, type PaymentAction, type PaymentStatus } from '../payment.ts';
import { returnUrlFault } from '../return-url.ts';
import { billing } from './billing-schema.ts';
import { cardShown } from './card-schema.ts';

export const PAYMENT_STATUSES = Object.keys(PAYMENT_TRANSITIONS) as [PaymentStatus, ...PaymentStatus[]];

/** Kept as it is given, and given back so. */
const url = (text: string) =>
  z
    .string()
    .max(2_000, { abort: true })
    .check((context) => {
      const fault = returnUrlFault(context.value);
      if (fault !== undefined)
        context.issues.push({ code: 'custom', input: context.value, message: fault, continue: false });
    })
    .check(refuseCardNumberInUrl)
    .meta({
      format: 'uri',
      description: `${text} An https URL of a public host, in Unicode or punycode; in test mode also http://localhost, http://127.0.0.1 and http://[::1]. It is led to as it is given, with one parameter more at the end of its query: \`payment\`, or \`countinghouse_payment\` where it has a \`payment\` of its own, an array or an object too.`,
      example: 'https://shop.example/return',
    });

export const createPayment = z
  .strictObject({
    amount: positiveAmount,
    currency,
    source: sourceRequest,
    capture: unlessGiven(
      z.enum(['automatic', 'manual']),
      'automatic',
      '`automatic` captures with the authorization; `manual` waits for captures. Without it, `automatic`.',
    ),
    account: reference(
      'account',
      'The account that is credited at release. Without it, the default account of the currency.',
    ).optional(),
    initiator: unlessGiven(
      z.enum(['customer', 'merchant']),
      'customer',
      '`merchant` where the payer is not there: then nobody is asked for a challenge. Without it, `customer`.',
    ),
    recurring: z
      .strictObject({
        reason: z.enum(['scheduled', 'unscheduled', 'installment']).meta({ description: 'Why it recurs.' }),
        previous_network_reference: partyReference(
          64,
          WORD,
          '`authorization.network_reference` of the payment that the payer agreed to.',
        ).optional(),
      })
      .optional(),
    store_for: freeText(
      255,
      'Your own name of the customer. Once the payment is authorized, its card is kept for them: `stored_token`.',
    ).optional(),
    billing: billing.optional(),
    statement_descriptor: partyText(
      22,
      STATEMENT_DESCRIPTOR,
      `Stands on the payer's statement: ${DESCRIPTOR_CHARACTERS}, and at least one letter.`,
    )
      .meta({ pattern: "^[A-Za-z0-9 .,&/'()+-]*[A-Za-z][A-Za-z0-9 .,&/'()+-]*$", example: 'SHOP.EXAMPLE order 77' })
      .optional(),
    return_url: url('Where the payer comes back to after a challenge.').optional(),
    cancel_url: url('Where the payer goes who gives up.').optional(),
    description: description.optional(),
    external_id: externalId.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreatePayment' });

export const createPaymentExample = {
  amount: 25000,
  currency: 'JOD',
  source: { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
  description: 'Order 77',
  external_id: 'order-77',
  return_url: 'https://shop.example/return',
};

export const updatePayment = z
  .strictObject({
    description: description.optional(),
    external_id: externalId.optional(),
    metadata: metadata.optional().meta({ description: 'Takes the place of all that was there.' }),
  })
  .meta({ id: 'UpdatePayment' });

export const decline = z
  .object({
    code: shown.oneOf(DECLINE_CODES, { description: 'Why, in the words of this API.', example: 'insufficient_funds' }),
    network_code: z
      .string()
      .nullable()
      .meta({ description: "The network's own code: ISO 8583, field 39.", example: '51' }),
    advice: shown.oneOf(['retry_later', 'use_another_method', 'do_not_retry'], {
      description: 'What makes sense next with this card.',
    }),
    message: z.string().meta({ description: 'For your own people; tell the payer less.' }),
  })
  .meta({ id: 'Decline', description: 'Why a card was declined.' });

const authorization = z
  .object({
    code: z.string().nullable().meta({ description: "The issuer's approval code.", example: '4F2A91' }),
    expires_at: shown.time('When what is not captured is given up.').nullable(),
    network: z.string().nullable().meta({ description: 'The network that carried it.', example: 'visa' }),
    network_reference: z.string().nullable().meta({
      description: "The network's id of the purchase: later payments that you initiate name it.",
    }),
    avs: z.string().nullable().meta({ description: 'The check of the billing address; null where none was given.' }),
    cvc: z
      .string()
      .nullable()
      .meta({ description: 'The check of the security code; null where none was given.', example: 'match' }),
    eci: z.string().nullable().meta({ description: 'Electronic commerce indicator of 3-D Secure.' }),
    three_d_secure: z.string().nullable().meta({ description: '`authenticated` where the payer passed a challenge.' }),
  })
  .meta({ id: 'PaymentAuthorization' });

const recurring = z
  .object({
    reason: shown.oneOf(['scheduled', 'unscheduled', 'installment'], { description: 'Why it recurs.' }),
    previous_network_reference: z.string().nullable().meta({ description: 'Of the payment that the payer agreed to.' }),
  })
  .meta({ id: 'PaymentRecurring' });

const nextAction = z
  .object({
    type: shown.oneOf(['redirect'], { description: 'What the payer has to do.' }),
    url: z.string().meta({ description: 'Where the payer has to go.' }),
    expires_at: shown.time('Until when.'),
  })
  .meta({ id: 'PaymentNextAction' });

export const payment = z
  .object({
    id: shown.id('payment'),
    object: z.literal('payment'),
    livemode: shown.livemode,
    status: shown.oneOf(PAYMENT_STATUSES, {
      description:
        'requires_action ⇄ processing → authorized → partially_captured → captured → settled, or canceled, expired or failed. Captures and refunds are children and never folded into it.',
    }),
    waiting_on: shown.oneOf(['payer', 'acquirer', 'inquiry', 'integrator', 'nobody'], {
      description:
        'Who moves next. `inquiry`: nobody knows what became of a call, and the acquirer is asked. `integrator`: capture it or cancel it.',
    }),
    amount: shown.money('What was asked for.'),
    amount_authorized: shown.money('What the issuer holds, with increments and tips.'),
    amount_capturable: shown.money('What may still be captured.'),
    amount_captured: shown.money('The sum of its captures.'),
    amount_refunded: shown.money('The sum of its refunds that succeeded.'),
    amount_refundable: shown.money(
      'What may still be refunded, without a limit of time: refunds under way and disputes count against it.',
    ),
    amount_disputed: shown.money('In disputes that are open, lost or accepted.'),
    amount_settled: shown.money('What of its captures the acquirer has paid.'),
    amount_tip: shown.money('The tip of a payment at a reader.'),
    fee: shown.money(
      'Charged so far, less what refunds gave back. Before a payment is made, the answer to `dry_run=true` says what it would be.',
    ),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    account: shown.id('account', 'The account that is credited at release.'),
    capture: shown.oneOf(['automatic', 'manual'], { description: 'When it is captured.' }),
    source: z
      .object({
        type: shown.oneOf(['card', 'token', 'cliq_request', 'checkout', 'terminal'], {
          description: 'How it is paid.',
        }),
        card: shown.orNull(cardShown).meta({ description: 'Null until a card is known.' }),
        token: shown.id('paymentToken', 'With `token`.').nullable(),
        reader: shown.id('reader', 'With `terminal`.').nullable(),
        reader_action: shown.id('readerAction', 'With `terminal`: what the reader is asked to do.').nullable(),
        alias_masked: z.string().nullable().meta({ description: 'With `cliq_request`.', example: 'A**CE' }),
        expires_at: shown.time('With `cliq_request`: until when the payer may approve.').nullable(),
      })
      .meta({ id: 'PaymentSource', description: 'What it is paid with.' }),
    store_for: z.string().nullable().meta({ description: 'Your own name of the customer that its card is kept for.' }),
    stored_token: shown.id('paymentToken', 'The token that its card is kept as.').nullable(),
    initiator: shown.oneOf(['customer', 'merchant'], { description: 'Who asked for it.' }),
    recurring: shown.orNull(recurring).meta({ description: 'Null for a payment that stands alone.' }),
    authorization: shown
      .orNull(authorization)
      .meta({ description: 'What the issuer answered; null until it authorized.' }),
    decline: shown.orNull(decline).meta({ description: 'Why the last attempt was declined; null where none was.' }),
    attempts: z
      .array(
        z
          .object({
            at: shown.time('When it was declined.'),
            card: shown.orNull(cardShown).meta({ description: 'The card that was tried.' }),
            decline,
          })
          .meta({ id: 'PaymentAttempt' }),
      )
      .meta({ description: 'Authorizations that were declined, at most ten.' }),
    next_action: shown.orNull(nextAction).meta({ description: 'Where the payer has to go; null where nobody does.' }),
    outcome: shown.unknownOutcome('`unknown` while nobody can say what became of a call: the acquirer is asked again.'),
    next_inquiry_at: shown.time('When the acquirer is asked again.').nullable(),
    available_on: z.string().nullable().meta({
      description:
        "The day of the book's calendar on which what was captured last is released, once it is settled where the release schedule says so. A reserve is released later.",
      example: '2026-03-03',
    }),
    statement_descriptor: z.string().nullable().meta({ description: "Stands on the payer's statement." }),
    return_url: z.string().nullable().meta({ description: 'Where the payer comes back to.' }),
    cancel_url: z.string().nullable().meta({ description: 'Where the payer goes who gives up.' }),
    description: z.string().nullable().meta({ description: 'For people.' }),
    external_id: z.string().nullable().meta({ description: 'Your own reference.' }),
    metadata: shown.metadataShown,
    allowed_actions: shown.allowedActions<PaymentAction>('capture', 'cancel', 'increment', 'refund'),
    request_id: shown.id('request', 'The request that made it.'),
    version: shown.version,
    created_at: shown.time('When it was made.'),
    updated_at: shown.time('When it last changed.'),
    dry_run: dryRunMember,
  })
  .meta({ id: 'Payment', description: 'Money that a payer gives a merchant, through an acquirer.' });

export const capturePayment = z
  .strictObject({
    amount: orAll(positiveAmount, 'Without it, all that can be captured.'),
    final: z.boolean().optional().meta({
      description: 'Nothing more will be captured: the rest is given up. By default only when nothing would remain.',
    }),
  })
  .meta({ id: 'CapturePayment' });

export const incrementPayment = z
  .strictObject({
    amount: positiveAmount.meta({ type: 'integer', format: 'int64', minimum: 1, description: 'The new total.' }),
  })
  .meta({ id: 'IncrementPayment' });
