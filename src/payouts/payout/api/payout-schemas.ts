/** Schemas of payouts: the request and the payout. */
import { z } from 'zod';
import { dryRunMember, resultingBalancesMember } from '../../../api/dry-run.ts';
import { positiveAmount } from '../../../api/schemas/amount.ts';
import { carriedDescription, currency, externalId, metadata, reference } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { RAIL_FAILURE_CODES } from '../../../rails/failure-codes.ts';
import { destinationRequest, destinationShown } from '../../destinations/api/destination-schemas.ts';
import { PAYOUT_TRANSITIONS, type PayoutAction, type PayoutStatus } from '../payout.ts';
import { FAILURE_CODES } from '../payout-view.ts';

export const PAYOUT_STATUSES = Object.keys(PAYOUT_TRANSITIONS) as [PayoutStatus, ...PayoutStatus[]];

export const createPayout = z
  .strictObject({
    amount: positiveAmount,
    currency,
    destination: destinationRequest,
    account: reference(
      'account',
      'The account the money leaves. Without it, the default account of the currency.',
    ).optional(),
    description: carriedDescription.optional(),
    external_id: externalId.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreatePayout' });

export const createPayoutExample = {
  amount: 5124,
  currency: 'JOD',
  destination: { type: 'cliq', alias: 'SHOP1' },
  description: 'Invoice 17',
  external_id: 'inv-17',
  metadata: { order: '77' },
};

const failure = z
  .object({
    code: shown.oneOf(FAILURE_CODES, { description: 'Why, in the words of this API.', example: 'alias_unregistered' }),
    message: z.string().meta({ description: 'The code in words, for people.' }),
    rail_code: z.string().nullable().meta({ description: "The rail's own code." }),
  })
  .meta({ id: 'PayoutFailure', description: 'Why a payout failed.' });

/** One schema for every answer that shows a payout: a generated client has one type for it, whatever the status. */
export const payout = z
  .object({
    id: shown.id('payout'),
    object: z.literal('payout'),
    livemode: shown.livemode,
    status: shown.oneOf(PAYOUT_STATUSES, {
      description:
        'pending → processing → paid, or canceled, failed or returned. Where a rail contradicts itself, a failed payout becomes paid after all, and an exception is opened.',
    }),
    waiting_on: shown.oneOf(['ledger', 'rail', 'inquiry', 'nobody'], {
      description:
        'Who moves next. `ledger`: it is accepted, and its money is about to leave the account. `rail`: the rail has it, and has not decided. `inquiry`: the rail is asked again at `next_inquiry_at`; where it reported another payment, an exception is open, and a person can end it as well. `nobody`: it has ended.',
    }),
    amount: shown.money("What the payee gets, in the currency's smallest unit. The fee comes on top."),
    fee: shown.money('Leaves the account when the payout is paid.'),
    amount_returned: shown.money('What has come back of a paid payout.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    account: shown.id('account', 'The account the money leaves.'),
    destination: destinationShown.meta({ description: 'Where the money goes.' }),
    description: shown.descriptionShown,
    external_id: shown.externalIdShown,
    metadata: shown.metadataShown,
    rail: z
      .string()
      .meta({ description: 'Which rail carries it; `book` for a transfer within the book.', example: 'sandbox' }),
    outcome: shown.unknownOutcome(
      '`unknown` while nobody can say whether the rail took it: it is asked again, and never reported as failed.',
    ),
    next_inquiry_at: shown
      .time('When the rail is asked next what became of it, in wall time; null when it is not to be asked.')
      .nullable(),
    sent_at: shown
      .time(
        "When it was handed to the rail; null before. In wall time, which the rail knows: `created_at` is in the book's own time, which may be ahead of it in a test book.",
      )
      .nullable(),
    failure: shown.orNull(failure).meta({ description: 'Why it failed; null unless it did.' }),
    end_to_end_id: z
      .string()
      .refine((text) => text.length <= 35)
      .meta({ description: 'The same on every try at the rail; derived from the book and the Idempotency-Key.' }),
    rail_reference: z
      .string()
      .nullable()
      .meta({ description: "The rail's own reference, to name it to a bank; null until the rail has given one." }),
    expected_arrival: shown
      .time('When the payee should have the money, as far as the rail lets it be known; null where it does not.')
      .nullable(),
    remittance: z.string().nullable().meta({
      description: 'The text that travels with the money, of `description`. Null where there is none, and once erased.',
    }),
    hold: shown.id('hold', 'Reserves amount and fee until they leave.'),
    journal_entries: z
      .array(shown.id('entry'))
      .meta({ description: 'The entries it is booked by, in order. Returns have entries of their own.' }),
    allowed_actions: shown.allowedActions<PayoutAction>('cancel'),
    request_id: shown.id('request', 'The request that made it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
    dry_run: dryRunMember,
    resulting_balances: resultingBalancesMember,
  })
  .meta({ id: 'Payout', description: 'Money that leaves an account for a destination.' });

export const payoutReturn = z
  .object({
    id: shown.id('payoutReturn'),
    object: z.literal('payout_return'),
    livemode: shown.livemode,
    payout: shown.id('payout', 'The payout that it came back from.'),
    amount: shown.money("What came back, in the currency's smallest unit."),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    reason: z.string().nullable().meta({ description: 'What the rail gave as the reason; null where it gave none.' }),
    journal_entries: shown.entries('The entry that it is booked by.'),
    created_at: shown.createdAt,
  })
  .meta({ id: 'PayoutReturn', description: 'Money of a paid payout that came back. It never changes.' });

const RAIL_CODE = /^[A-Z0-9]{4}$/;

/** For simulations: the failure that the sandbox rail reports. */
export const failPayout = z
  .strictObject({
    code: z
      .string()
      .refine(
        (code) => RAIL_CODE.test(code) || (RAIL_FAILURE_CODES as readonly string[]).includes(code),
        `Expects one of ${RAIL_FAILURE_CODES.join(', ')}, or a rail's own code such as AC04.`,
      )
      .optional()
      .meta({
        pattern: `^(${RAIL_FAILURE_CODES.join('|')}|[A-Z0-9]{4})$`,
        description: "A failure code, or the rail's own.",
        example: 'payee_account_closed',
      }),
  })
  .meta({ id: 'FailPayout' });

export const returnPayout = z
  .strictObject({
    amount: positiveAmount.optional().meta({
      type: 'integer',
      format: 'int64',
      minimum: 1,
      description: 'Without it, all that has not come back yet.',
    }),
  })
  .meta({ id: 'ReturnPayout' });
