/** Schemas of readers and of what they are asked to do. */
import { z } from 'zod';
import { amountOrZero } from '../../../api/schemas/amount.ts';
import { freeText, metadata, refuseCardNumber } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { number } from '../../payment/api/card-schema.ts';
import { ENTRY_MODES, type ReaderActionRequest, type ReaderRequest } from '../reader.ts';

const label = freeText(100, 'For people: where it stands.');

export const registerReader = z
  .strictObject({
    registration_code: z
      .string()
      .regex(/^SIMULATED-[A-Za-z0-9-]{1,50}$/, 'Expects a code of test mode: SIMULATED- and letters or digits.')
      .check(refuseCardNumber)
      .meta({
        description: 'As the reader shows it. In test mode `SIMULATED-` and any letters.',
        example: 'SIMULATED-A',
      }),
    label,
    metadata: metadata.optional(),
  })
  .meta({ id: 'RegisterReader' });

export const updateReader = z
  .strictObject({
    label: label.optional(),
    metadata: metadata.optional().meta({ description: 'Takes the place of all that was there.' }),
  })
  .meta({ id: 'UpdateReader' });

export const reader = z
  .object({
    id: shown.id('reader'),
    object: z.literal('reader'),
    livemode: shown.livemode,
    status: shown.oneOf(['ready', 'busy'], { description: '`busy` while an action is in progress: one at a time.' }),
    label: shown.nameShown,
    action: shown.id('readerAction', 'The action in progress.').nullable(),
    metadata: shown.metadataShown,
    allowed_actions: shown.allowedActions<ReaderRequest>('delete'),
    request_id: shown.id('request', 'The request that registered it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'Reader', description: 'A device that takes cards where the payer stands.' });

export const deletedReader = z
  .object({
    id: shown.id('reader'),
    object: z.literal('reader'),
    livemode: shown.livemode,
    deleted: shown.onlyTrue('Always true: the reader is asked for nothing more.'),
  })
  .meta({ id: 'DeletedReader', description: 'What is left of a reader that was removed.' });

export const readerAction = z
  .object({
    id: shown.id('readerAction'),
    object: z.literal('reader_action'),
    livemode: shown.livemode,
    status: shown.oneOf(['in_progress', 'succeeded', 'failed', 'canceled'], {
      description: 'in_progress → succeeded, failed or canceled. A declined card leaves it in progress.',
    }),
    reader: shown.id('reader', 'The reader that asks.'),
    payment: shown.id('payment', 'The payment that it is for.'),
    amount: shown.money('That of the payment; the payer may add a tip.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    entry_mode: shown.oneOfOrNull(ENTRY_MODES, { description: 'How the last card was read; null until one was.' }),
    failure: shown.oneOfOrNull(['timed_out', 'declined'], {
      description: '`timed_out`: nobody presented a card in time. `declined`: too many were.',
    }),
    expires_at: shown.time("Until when a card may be presented, in the book's own time."),
    allowed_actions: shown.allowedActions<ReaderActionRequest>('cancel'),
    request_id: shown.id('request', 'The request that made its payment.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'ReaderAction', description: 'A card that a reader asks for.' });

export const presentCard = z
  .strictObject({
    number,
    entry_mode: z.enum(ENTRY_MODES).meta({ description: 'How the reader reads it.' }),
    tip: amountOrZero.optional(),
  })
  .meta({ id: 'PresentCard' });
