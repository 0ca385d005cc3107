/** Schemas of payouts: the request and the payout. */
import { z } from 'zod';
import { dryRunMember, resultingBalancesMember } from '../../../api/dry-run.ts';
import { instant } from '../../../api/pages.ts';
import { orAll, positiveAmount } from '../../../api/schemas/amount.ts';
import {
  carriedDescription,
  currency,
  externalId,
  freeText,
  metadata,
  reference,
} from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { dayNumber, dayOfNumber } from '../../../calendar/day.ts';
import { RAIL_FAILURE_CODES } from '../../../rails/failure-codes.ts';
import { destinationRequest, destinationShown } from '../../destinations/api/destination-schemas.ts';
import { APPROVAL_REASONS } from '../../policies/approval-policy.ts';
import { PAYOUT_TRANSITIONS, type PayoutAction, type PayoutStatus, REMITTANCE_MAX, WAITING_ON } from '../payout.ts';
import { FAILURE_CODES } from '../payout-view.ts';
import type { ScheduledFor } from '../schedule.ts';

export const PAYOUT_STATUSES = Object.keys(PAYOUT_TRANSITIONS) as [PayoutStatus, ...PayoutStatus[]];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A day of the calendar: `2027-02-30` does not exist. */
function isDay(text: string): boolean {
  return DAY.test(text) && Date.parse(`${text}T00:00:00Z`) > 0 && dayOfNumber(dayNumber(text)) === text;
}

export const scheduledFor = z
  .string()
  .transform((text, context): ScheduledFor => {
    if (isDay(text)) return { day: text };
    const parsed = instant.safeParse(text);
    if (parsed.success) return { at: parsed.data };
    const message =
      'Expects a day such as 2027-03-01, or a time as RFC 3339 writes it, with an offset: 2027-03-01T09:30:00Z.';
    context.issues.push({ code: 'custom', input: text, message });
    return z.NEVER;
  })
  .meta({
    type: 'string',
    description:
      "When it is released, in the book's own time: a time, or a day, which stands for its first moment in the book's time zone. At most a year ahead.",
    example: '2027-03-01',
  });

const PURPOSE_CODE = /^[A-Z0-9]{1,4}$/;

const purposeCode = z
  .string()
  .regex(PURPOSE_CODE, 'Expects 1 to 4 capitals or digits, such as SALA.')
  .nullable()
  .meta({ description: 'What it is for, by the list of the rail or of the authority.', example: 'SALA' });

const remittance = freeText(
  REMITTANCE_MAX,
  'Travels with the money. Without it the description does, where it fits whole.',
).nullable();

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
    remittance: remittance.optional(),
    purpose_code: purposeCode.optional(),
    external_id: externalId.optional(),
    metadata: metadata.optional(),
    scheduled_for: scheduledFor.optional(),
    approval: z.literal('required').optional().meta({
      description: 'It waits for the approval of a person, whatever the policy says.',
    }),
  })
  .meta({ id: 'CreatePayout' });

export const updatePayout = z
  .strictObject({
    description: carriedDescription.optional(),
    external_id: externalId.optional(),
    metadata: metadata.optional(),
    remittance: remittance.optional(),
    purpose_code: purposeCode.optional(),
    scheduled_for: scheduledFor.optional(),
  })
  .meta({ id: 'UpdatePayout' });

export const judgedVersion = z
  .int()
  .min(1)
  .meta({ description: 'The version that the person has looked at.', example: 2 });

export const approvePayout = z.strictObject({ version: judgedVersion }).meta({ id: 'ApprovePayout' });

export const REASON_MAX = 500;

export const rejectPayout = z
  .strictObject({ version: judgedVersion, reason: freeText(REASON_MAX, 'Why, for people.') })
  .meta({ id: 'RejectPayout' });

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

export const approvalsShown = z
  .array(
    z
      .object({
        person: z.string().meta({ description: 'Who approved it.', example: 'person_01k5c2r3v8e9m0x6y7z4a1b2cd' }),
        at: shown.time("When, in the book's own time."),
      })
      .meta({ id: 'PayoutApproval' }),
  )
  .meta({ description: 'The approvals that count. A change of what was approved clears them.' });

/** One schema for every answer that shows a payout: a generated client has one type for it, whatever the status. */
export const payout = z
  .object({
    id: shown.id('payout'),
    object: z.literal('payout'),
    livemode: shown.livemode,
    status: shown.oneOf(PAYOUT_STATUSES, {
      description:
        'requires_approval → scheduled → pending → processing → paid, or rejected, canceled, failed or returned. The first two only where it waits for people, or for its time. Where a rail contradicts itself, a failed payout becomes paid after all, and an exception is opened.',
    }),
    waiting_on: shown.oneOf(WAITING_ON, {
      description:
        'Who moves next. `approver`: people approve or reject it. `schedule`: it is released at `scheduled_for`. `paused`: the operator keeps it back. `ledger`: it is accepted, and its money is about to leave the account. `rail`: the rail has it, and has not decided. `inquiry`: the rail is asked again at `next_inquiry_at`; where it reported another payment, an exception is open, and a person can end it as well. `nobody`: it has ended.',
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
    reason: z.string().nullable().meta({
      description: 'Why a person rejected it; null unless one did, and once erased.',
    }),
    end_to_end_id: z
      .string()
      .refine((text) => text.length <= 35)
      .meta({ description: 'The same on every try at the rail; derived from the book and the Idempotency-Key.' }),
    rail_reference: z
      .string()
      .nullable()
      .meta({ description: "The rail's own reference, to name it to a bank; null until the rail has given one." }),
    expected_arrival: shown
      .time(
        "When the payee should have the money, by the rail's cut-off, business days and days to arrive; null where the rail does not let it be known.",
      )
      .nullable(),
    configuration: z.string().nullable().meta({
      description:
        "The SHA-256 of the operator's settings under which it was made, in hexadecimal digits: they set its fee. Null where there were none.",
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    }),
    remittance: z.string().nullable().meta({
      description:
        'The text that travels with the money; `description` where none was given and it fits. Null where there is none, and once erased.',
    }),
    purpose_code: z.string().nullable().meta({ description: 'What it is for; null where nothing says.' }),
    scheduled_for: shown.time("When it is released, in the book's own time; null where at once.").nullable(),
    approval_reasons: z
      .array(
        shown.oneOf(APPROVAL_REASONS, {
          description:
            '`requested`: by whoever made it. `amount`, `new_payee`, `rail`: the approval policy asks for it.',
        }),
      )
      .meta({ description: 'Why it waits, or waited, for people; empty where it never did.' }),
    approvals: approvalsShown,
    approvals_required: shown.count('By how many people; 0 where it needs no approval.'),
    batch: shown.id('payoutBatch', 'The batch that it was an item of; null for a single payout.').nullable(),
    hold: shown
      .id('hold', 'Reserves amount and fee until they leave. Null before its release, and where it ended before.')
      .nullable(),
    journal_entries: z
      .array(shown.id('entry'))
      .meta({ description: 'The entries it is booked by, in order. Returns have entries of their own.' }),
    allowed_actions: shown.allowedActions<PayoutAction>('cancel', 'approve', 'reject'),
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
    amount: orAll(positiveAmount, 'Without it, all that has not come back yet.'),
  })
  .meta({ id: 'ReturnPayout' });
