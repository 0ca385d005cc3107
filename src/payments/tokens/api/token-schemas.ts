/** Schemas of tokens. */
import { z } from 'zod';
import { WORD } from '../../../acquirers/party-texts.ts';
import { freeText, partyReference, unlessGiven } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { cardMembers, cardShown } from '../../payment/api/card-schema.ts';
import { decline } from '../../payment/api/payment-schemas.ts';
import type { PaymentTokenAction } from '../payment-token.ts';

/** Your own name of a customer. */
export const customerReference = freeText(
  255,
  'Your own name of the customer that the card is kept for. Without it, the token is good for one payment.',
);

export const createToken = z
  .strictObject({
    card: z.strictObject(cardMembers).optional().meta({
      description: 'A card by its number: in test mode, and where the operator takes card numbers.',
      id: 'TokenCard',
    }),
    acquirer_token: partyReference(
      255,
      WORD,
      "In live mode: the acquirer's own token, as your page got it from the acquirer.",
    ).optional(),
    customer_reference: customerReference.optional(),
    verify: unlessGiven(
      z.boolean(),
      false,
      'Asks the issuer about the card, and charges nothing. Where it declines, the token is `failed`: `verification` says why. Without it, `false`: nobody is asked.',
    ),
  })
  .meta({ id: 'CreatePaymentToken' });

export const createTokenExample = {
  card: { number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
  customer_reference: 'customer-1041',
  verify: true,
};

const verification = z
  .object({
    status: shown.oneOf(['succeeded', 'failed'], { description: 'What the issuer said.' }),
    decline: shown.orNull(decline).meta({ description: 'Why the issuer declined.' }),
    cvc: z
      .string()
      .nullable()
      .meta({ description: 'The check of the security code; null where none was given.', example: 'match' }),
  })
  .meta({ id: 'TokenVerification', description: 'What the issuer said of the card when nothing was charged.' });

export const paymentToken = z
  .object({
    id: shown.id('paymentToken'),
    object: z.literal('payment_token'),
    livemode: shown.livemode,
    status: shown.oneOf(['active', 'used', 'failed'], {
      description:
        '`active` pays. `used`: one-time, and its payment was created. `failed`: its issuer declined the verification.',
    }),
    reusable: z.boolean().meta({ description: 'Kept for a customer: it pays any number of times.' }),
    customer_reference: z
      .string()
      .nullable()
      .meta({ description: 'Your own name of the customer; null for a one-time token.', example: 'customer-1041' }),
    card: cardShown,
    verification: shown.orNull(verification).meta({ description: 'Null where nobody asked for it.' }),
    network_reference: z.string().nullable().meta({
      description:
        'Of the verification, or of the payment that it was stored by: `recurring.previous_network_reference` of later payments that you initiate.',
    }),
    payment: shown
      .id('payment', 'The payment that used a one-time token, or that a kept one was stored by.')
      .nullable(),
    allowed_actions: shown.allowedActions<PaymentTokenAction>('delete'),
    request_id: shown.id('request', 'The request that made it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'PaymentToken', description: 'A card to pay with, known by an id.' });

export const deletedToken = z
  .object({
    id: shown.id('paymentToken'),
    object: z.literal('payment_token'),
    livemode: shown.livemode,
    deleted: shown.onlyTrue('Always true: the token pays nothing any more.'),
  })
  .meta({ id: 'DeletedPaymentToken', description: 'What is left of a token that was deleted.' });
