/** Schemas of holds on an account. */
import { z } from 'zod';
import { instant } from '../../../api/pages.ts';
import { orAll, positiveAmount } from '../../../api/schemas/amount.ts';
import { description, externalId, metadata } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import type { HoldStatus } from '../../../ledger/hold/hold.ts';
import { HOLD_TRANSITIONS, type HoldAction } from '../account-hold.ts';

export const HOLD_STATUSES = Object.keys(HOLD_TRANSITIONS) as readonly HoldStatus[];

export const createHold = z
  .strictObject({
    amount: positiveAmount,
    expires_at: instant.optional().meta({
      description: "When what remains is given back, in the book's own time. Without it, when it is released.",
      example: '2099-01-01T00:00:00Z',
    }),
    description: description.optional(),
    external_id: externalId.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreateHold' });

export const createHoldExample = { amount: 25_000, expires_at: '2099-01-01T00:00:00Z', external_id: 'order-77' };

export const releaseHold = z
  .strictObject({
    amount: orAll(positiveAmount, 'Without it, all that remains.'),
  })
  .meta({ id: 'ReleaseHold' });

export const increaseHold = z
  .strictObject({ amount: positiveAmount.meta({ description: 'The new total, more than before.' }) })
  .meta({ id: 'IncreaseHold' });

const origin = z
  .object({
    resource: z.string().meta({ description: 'What it is.', example: 'payout' }),
    id: z.string().meta({ description: 'Its id.', example: 'po_01k5c2r3v8e9m0x6y7z4a1b2cd' }),
  })
  .meta({ id: 'HoldOrigin', description: 'What made a hold.' });

export const hold = z
  .object({
    id: shown.id('hold'),
    object: z.literal('hold'),
    livemode: shown.livemode,
    status: shown.oneOf(HOLD_STATUSES, { description: '`open` while something remains of it.' }),
    account: shown.id('account', 'The account whose money it sets aside.'),
    amount: shown.money('All that was ever set aside.'),
    remaining: shown.money('What still is.'),
    captured: shown.money('What has left the account.'),
    released: shown.money('What was given back; what an expired hold had left is not counted.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    origin: shown
      .orNull(origin)
      .meta({ description: 'What made the hold, and alone changes it; null for one that was placed here.' }),
    expires_at: shown
      .time("When what remains is given back, in the book's own time; null for when it is released.")
      .nullable(),
    description: shown.descriptionShown,
    external_id: shown.externalIdShown,
    metadata: shown.metadataShown,
    journal_entries: shown.entries('The entries by which what it set aside left the account.'),
    allowed_actions: shown.allowedActions<HoldAction>('increase', 'release'),
    request_id: shown.id('request', 'The request that placed it; null for one that a resource made.').nullable(),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'Hold', description: 'An amount of an account that is set aside.' });
