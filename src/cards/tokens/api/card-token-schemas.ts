/** Schemas of tokens: what a network asks for, and the token. */
import { z } from 'zod';
import { ONE_LINE, WORD } from '../../../acquirers/party-texts.ts';
import { partyReference, reference } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { CARD_TOKEN_TRANSITIONS, type CardTokenAction, type CardTokenStatus } from '../card-token.ts';
import { DEVICE_TYPES, RECOMMENDATIONS, WALLETS } from '../card-token-table.ts';

export const TOKEN_STATUSES = Object.keys(CARD_TOKEN_TRANSITIONS) as [CardTokenStatus, ...CardTokenStatus[]];

const tokenReference = partyReference(64, WORD, "The network's or processor's own name of the token.");

const asked = {
  wallet: z.enum(WALLETS).meta({ description: 'Who asks for it; `merchant` for a card on file.' }),
  network: z
    .string()
    .regex(/^[a-z_]{2,32}$/, 'Expects the name of a network in small letters, such as visa.')
    .optional()
    .meta({ description: 'Without it, that of the card.', example: 'visa' }),
  requestor_id: partyReference(64, WORD, "The network's id of who asks.").optional(),
  last_four: z
    .string()
    .regex(/^\d{4}$/, 'Expects four digits.')
    .optional()
    .meta({ description: "Of the token's own number.", example: '0421' }),
  device: z
    .strictObject({
      type: z.enum(DEVICE_TYPES).meta({ description: 'What it is.' }),
      name: partyReference(100, ONE_LINE, 'As its owner calls it. A card number in it is masked.').optional(),
      id: partyReference(128, WORD, "The wallet's id of the device.").optional(),
    })
    .optional()
    .meta({ id: 'CardTokenDeviceRequest', description: 'Where the token is kept.' }),
  recommendation: z.enum(RECOMMENDATIONS).optional().meta({
    description: 'What wallet and network advise; `verify` where they are not sure of the cardholder.',
  }),
};

export const createCardToken = z
  .strictObject({ token_reference: tokenReference, ...asked })
  .meta({ id: 'CreateCardToken' });

export const simulateCardToken = z
  .strictObject({
    card: reference('card', 'The card that a wallet asks for.'),
    token_reference: tokenReference
      .optional()
      .meta({ description: 'Without it, one is derived from the `Idempotency-Key`.' }),
    ...asked,
  })
  .meta({ id: 'SimulateCardToken' });

export const createCardTokenExample = {
  token_reference: 'DNITHE302514112234567890',
  wallet: 'apple_pay',
  last_four: '0421',
  device: { type: 'phone', name: 'Phone of Ada' },
  recommendation: 'approve',
};

export const cardToken = z
  .object({
    id: shown.id('cardToken'),
    object: z.literal('card_token'),
    livemode: shown.livemode,
    status: shown.oneOf(TOKEN_STATUSES, {
      description: 'requested → active ⇄ suspended → deactivated. One that is declined is `deactivated`.',
    }),
    card: shown.id(
      'card',
      'The card that it was asked for. It pays with the newest card of that line which is activated, or waits to be.',
    ),
    account: shown.id('account', 'The account of the card.'),
    token_reference: z.string().meta({ description: "The network's or processor's own name of it." }),
    network: z.string().nullable().meta({ description: 'The network that made it.', example: 'visa' }),
    wallet: shown.oneOf(WALLETS, { description: 'Who asked for it.' }),
    requestor_id: z.string().nullable().meta({ description: "The network's id of who asked." }),
    last_four: z.string().nullable().meta({ description: "Of the token's own number.", example: '0421' }),
    device: shown
      .orNull(
        z
          .object({
            type: shown.oneOf(DEVICE_TYPES, { description: 'What it is.' }),
            device_name: z.string().nullable().meta({ description: 'As its owner calls it. Null once it was erased.' }),
            id: z.string().nullable().meta({ description: "The wallet's id of it." }),
          })
          .meta({ id: 'CardTokenDevice' }),
      )
      .meta({ description: 'Where it is kept; null where the network does not say.' }),
    recommendation: shown.oneOfOrNull(RECOMMENDATIONS, { description: 'What wallet and network advised.' }),
    verifying: z.boolean().meta({
      description: 'The network verifies the cardholder. It then activates the token, or does not.',
    }),
    deactivated_reason: shown.oneOfOrNull(['declined', 'requested', 'card_closed'], {
      description: '`card_closed`: the last card of its line was closed.',
    }),
    allowed_actions: shown.allowedActions<CardTokenAction>(
      'approve',
      'verify',
      'decline',
      'suspend',
      'resume',
      'deactivate',
    ),
    request_id: shown.id('request', 'The request that told of it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'CardToken', description: 'A card in a wallet, or at a merchant, under a number of the network.' });
