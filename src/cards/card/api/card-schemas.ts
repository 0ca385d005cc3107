/** Schemas of cards: the request and the card. */
import { z } from 'zod';
import { ONE_LINE } from '../../../acquirers/party-texts.ts';
import { externalId, freeText, metadata, partyText, reference } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import type { Cardholder } from '../../../processors/processor.ts';
import type { PostalAddress } from '../../../values/postal-address.ts';
import { controlsRequest } from '../../controls/api/controls-schemas.ts';
import { isListedCountry } from '../../purchase/country.ts';
import { CARD_TRANSITIONS, CARD_TYPES, type CardAction, type CardStatus, REPLACEMENT_REASONS } from '../card.ts';
import type { Shipping } from '../cardholder.ts';

export const CARD_STATUSES = Object.keys(CARD_TRANSITIONS) as [CardStatus, ...CardStatus[]];

const address = z
  .strictObject({
    line1: partyText(200, ONE_LINE, 'Street and number.'),
    city: partyText(100, ONE_LINE, 'The city.'),
    postal_code: partyText(20, ONE_LINE, 'As the country writes it.').optional(),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'Expects two capital letters, such as JO.')
      .refine((code) => isListedCountry(code), 'Expects a country of ISO 3166-1, such as JO.')
      .meta({ description: 'ISO 3166-1 alpha-2.', example: 'JO' }),
  })
  .meta({ id: 'CardAddress', description: 'Kept encrypted until it is erased, and shown in no answer or event.' });

const cardholder = z
  .strictObject({
    name: partyText(200, ONE_LINE, 'As it stands on the card. Kept encrypted; answers and events show it masked.'),
    reference: freeText(
      255,
      'Your own name of the cardholder. In test mode some of them decide what becomes of the card (/docs/cards).',
    ).optional(),
    billing_address: address.optional(),
  })
  .meta({ id: 'CardholderRequest', description: 'Who pays with the card.' });

const shipping = z
  .strictObject({ name: partyText(200, ONE_LINE, 'Who receives it.'), address })
  .meta({ id: 'CardShippingRequest', description: 'Where a physical card is sent.' });

export const createCard = z
  .strictObject({
    account: reference('account', 'The account that its purchases leave.'),
    type: z.enum(CARD_TYPES).meta({
      description:
        '`single_use` closes with its first approved amount above zero; `merchant_locked` is bound to the merchant and acquirer of its first approval.',
    }),
    cardholder,
    shipping: shipping.optional().meta({ description: 'Of a physical card alone, and required there.' }),
    // Without a description of its own it is the schema by its name: an inline one would have that of CreateCardControls.
    controls: controlsRequest.optional(),
    external_id: externalId.optional(),
    metadata: metadata.optional(),
  })
  .meta({
    id: 'CreateCard',
    description: 'A card. Its `controls` are in force from its first moment on, as version 1.',
  });

export const createCardExample = {
  account: 'acct_01k5c2r3v8e9m0x6y7z4a1b2cd',
  type: 'virtual',
  cardholder: { name: 'Ada Lovelace', reference: 'employee-7' },
  controls: { limits: [{ window: 'day', amount: 50_000 }] },
};

export const updateCard = z
  .strictObject({
    cardholder: cardholder.optional().meta({
      description:
        'Takes the place of all that was there. A card keeps the name that is on it: the card that replaces it has the new one.',
    }),
    external_id: externalId.optional(),
    metadata: metadata.optional().meta({ description: 'Takes the place of all that was there.' }),
  })
  .meta({ id: 'UpdateCard' });

export const replaceCard = z
  .strictObject({
    reason: z.enum(REPLACEMENT_REASONS).meta({
      description:
        '`lost` and `stolen` close the card at once and give a new number; `damaged` and `renewal` keep it, with a new expiry and code, and close the card when the new one is activated.',
    }),
    shipping: shipping.optional().meta({ description: 'Of a physical card. Without it, where this one was sent.' }),
  })
  .meta({ id: 'ReplaceCard' });

export const card = z
  .object({
    id: shown.id('card'),
    object: z.literal('card'),
    livemode: shown.livemode,
    status: shown.oneOf(CARD_STATUSES, {
      description:
        'pending_activation → active ⇄ frozen → closed. Physical cards begin `pending_activation`, the others `active`; every state may close.',
    }),
    type: shown.oneOf(CARD_TYPES, { description: 'What it is made for.' }),
    account: shown.id('account', 'The account that its purchases leave.'),
    currency: shown.currencyShown,
    card_reference: z.string().nullable().meta({
      description: "Its processor's own id of it, as messages and clearing files name it. Null until it has issued it.",
      example: 'GWC55120F',
    }),
    network: z.string().nullable().meta({ description: 'Null until its processor has issued it.', example: 'visa' }),
    last_four: z.string().nullable().meta({ description: 'Null until its processor has issued it.', example: '4242' }),
    exp_month: z.number().int().nullable().meta({ description: '1 to 12. Null until it is issued.' }),
    exp_year: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Four digits. It works to the end of the month, UTC. Null until it is issued.' }),
    cardholder: z
      .object({
        name_masked: z.string().nullable().meta({ description: 'Null once it was erased.', example: 'A*** L***' }),
        reference: z.string().nullable().meta({ description: 'Your own name of the cardholder.' }),
      })
      .meta({ id: 'CardCardholder', description: 'Who pays with it.' }),
    shipping: shown
      .orNull(
        z
          .object({ status: shown.oneOf(['ordered', 'shipped'], { description: 'Whether it is on its way.' }) })
          .meta({ id: 'CardShipping' }),
      )
      .meta({ description: 'Null for a card that is not sent.' }),
    pin_status: shown.oneOf(['ok', 'blocked'], {
      description: '`blocked` after three wrong ones in a row: no entered PIN is accepted until `/unblock_pin`.',
    }),
    pin_attempts_left: z.number().int().meta({ description: 'How many wrong PINs in a row do not block it yet.' }),
    locked_to: shown
      .orNull(
        z
          .object({
            merchant: z.string().meta({ description: "The acquirer's id of the merchant." }),
            acquirer: z.string().nullable().meta({ description: 'Null where its first approval named none.' }),
          })
          .meta({ id: 'CardLock' }),
      )
      .meta({ description: 'Of a `merchant_locked` card, from its first approval on.' }),
    replacement_for: shown.id('card', 'The card that it replaces.').nullable(),
    replacement_reason: shown.oneOfOrNull(REPLACEMENT_REASONS, { description: 'Why that card was replaced.' }),
    replaced_by: shown.id('card', 'The card that replaces it, activated or not.').nullable(),
    closed_reason: shown.oneOfOrNull(['requested', ...REPLACEMENT_REASONS, 'used', 'not_issued'], {
      description: '`used`: a single-use card has paid. `not_issued`: the processor refused to make it.',
    }),
    external_id: shown.externalIdShown,
    metadata: shown.metadataShown,
    allowed_actions: shown.allowedActions<CardAction>(
      'activate',
      'freeze',
      'unfreeze',
      'close',
      'ship',
      'unblock_pin',
      'replace',
    ),
    request_id: shown.id('request', 'The request that made it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'IssuedCard', description: 'A card that a cardholder pays with from an account.' });

export function cardholderOf({ name, reference: own, billing_address }: z.output<typeof cardholder>): Cardholder {
  return { name, reference: own ?? null, billingAddress: billing_address ? addressOf(billing_address) : null };
}

export function shippingOf(given: z.output<typeof shipping> | undefined): Shipping | null {
  return given === undefined ? null : { name: given.name, address: addressOf(given.address) };
}

function addressOf({ line1, city, postal_code, country }: z.output<typeof address>): PostalAddress {
  return { line1, city, postalCode: postal_code ?? null, country };
}
