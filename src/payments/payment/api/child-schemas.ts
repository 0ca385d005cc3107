/** Schemas of what belongs to a payment: captures, refunds, releases. */
import { z } from 'zod';
import { dryRunMember, resultingBalancesMember } from '../../../api/dry-run.ts';
import { orAll, positiveAmount } from '../../../api/schemas/amount.ts';
import { freeText } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { decline } from './payment-schemas.ts';

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const;

const members = {
  livemode: shown.livemode,
  payment: shown.id('payment'),
  status: shown.oneOf(REFUND_STATUSES, { description: 'pending → succeeded or failed.' }),
  amount: shown.money('Minor units.'),
  currency: shown.currencyShown,
  currency_exponent: shown.currencyExponent,
};

const ending = {
  settled_at: shown.time("When the acquirer's report had it.").nullable(),
  failure: shown.orNull(decline).meta({ description: 'Why it failed; null unless it did.' }),
  outcome: shown.unknownOutcome('`unknown` while nobody can say what became of the call: the acquirer is asked again.'),
  next_inquiry_at: shown.time('When the acquirer is asked again.').nullable(),
  reference: z.string().meta({
    description: 'Ours, which the acquirer was given and its settlement reports name.',
    example: 'CH3K5C2R3V8E9M0X6Y7Z4A1B2C3D4E5F6G7',
  }),
  acquirer_reference: z.string().nullable().meta({ description: "The acquirer's own id." }),
  journal_entries: z.array(shown.id('entry')).meta({ description: 'The entries it is booked by, in order.' }),
  allowed_actions: shown.noActions,
  request_id: shown.id('request', 'The request that made it.'),
  version: shown.version,
  created_at: shown.time('When it was made.'),
  updated_at: shown.time('When it last changed.'),
};

export const capture = z
  .object({
    id: shown.id('capture'),
    object: z.literal('capture'),
    ...members,
    fee: shown.money('Booked with it.'),
    final: z.boolean().meta({ description: 'Nothing more is captured after it.' }),
    ...ending,
  })
  .meta({ id: 'Capture', description: 'A part of a payment that was taken.' });

export const refund = z
  .object({
    id: shown.id('refund'),
    object: z.literal('refund'),
    ...members,
    fee_refunded: shown.money('What of the fee the operator gave back.'),
    reason: z.string().nullable().meta({ description: 'Your own reason.' }),
    ...ending,
    dry_run: dryRunMember,
    resulting_balances: resultingBalancesMember,
  })
  .meta({ id: 'Refund', description: 'A part of a payment that is given back. It may fail after it succeeded.' });

export const createRefund = z
  .strictObject({
    amount: orAll(positiveAmount, 'Without it, all that can be refunded.'),
    reason: freeText(200, 'Your own reason.').optional(),
  })
  .meta({ id: 'CreateRefund' });

export const release = z
  .object({
    id: shown.id('release'),
    object: z.literal('release'),
    livemode: shown.livemode,
    account: shown.id('account', 'The account that was credited.'),
    amount: shown.money('Of all payments of the day, less fees and refunds.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    journal_entries: z.array(shown.id('entry')).meta({ description: 'The entry of the release.' }),
    version: shown.version,
    created_at: shown.time('When it was made.'),
    updated_at: shown.time('When it last changed.'),
  })
  .meta({ id: 'Release', description: 'Money of payments that became available to an account. It never changes.' });
