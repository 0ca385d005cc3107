/** Schemas of accounts: requests, the account, its balance and its lines. */
import { z } from 'zod';
import { amountOrZero, positiveAmount } from '../../../api/schemas/amount.ts';
import { currency, description, externalId, metadata, name, reference } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import type { AccountStatus } from '../../../ledger/account/account.ts';
import { INBOUND_TRANSFER_STATUSES } from '../../inbound-transfers/inbound-transfer.ts';
import { type ScheduleName, STATEMENT_SCHEDULES } from '../../statements/schedule.ts';
import { ACCOUNT_TRANSITIONS, type AccountAction } from '../account-status.ts';

export const ACCOUNT_STATUSES = Object.keys(ACCOUNT_TRANSITIONS) as readonly AccountStatus[];

const lowBalanceAlert = (available: z.ZodType<bigint>, id: string) =>
  z.strictObject({ available_below: available }).meta({
    id,
    description:
      '`account.balance_low` is emitted when the available balance falls below it; again only once it has risen to it.',
  });

const lowBalanceAlertAsked = lowBalanceAlert(
  amountOrZero.meta({ type: 'integer', format: 'int64', minimum: 0, description: "In the currency's smallest unit." }),
  'LowBalanceAlertInput',
);

const SCHEDULES = ['none', ...STATEMENT_SCHEDULES] as const;
/** What a request asks for, as rows have it. */
export const scheduleAsked = (asked: (typeof SCHEDULES)[number] | undefined): ScheduleName | null | undefined =>
  asked === 'none' ? null : asked;
const statementSchedule = z.enum(SCHEDULES).meta({
  description:
    'Whether a statement of each day or month is made once it is over, numbered without a gap (`statement.ready`).',
});

export const createAccount = z
  .strictObject({
    currency,
    name,
    overdraft_limit: amountOrZero.optional().meta({
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'How far below zero the available balance may go. Without it, not at all.',
    }),
    statement_schedule: statementSchedule.optional(),
    low_balance_alert: lowBalanceAlertAsked.optional(),
    external_id: externalId.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreateAccount' });

export const createAccountExample = { currency: 'JOD', name: 'Operating account', external_id: 'main' };

export const updateAccount = z
  .strictObject({
    name: name.optional(),
    statement_schedule: statementSchedule.optional(),
    low_balance_alert: lowBalanceAlertAsked.nullable().optional().meta({
      description:
        'Null takes it away. A balance that is below it already has its event once it has risen to it and falls again.',
    }),
    external_id: externalId.optional(),
    metadata: metadata.optional().meta({ description: 'Takes the place of all that was there.' }),
  })
  .meta({ id: 'UpdateAccount', description: 'What is left out stays as it is.' });

const amounts = {
  posted: shown.money('Booked.'),
  held: shown.money('Reserved for what is about to leave.'),
  available: shown.money('Posted less held: what may still leave, overdraft not counted.'),
};

const accountBalance = z.object(amounts).meta({ id: 'AccountBalance', description: 'What the account holds now.' });

export const account = z
  .object({
    id: shown.id('account'),
    object: z.literal('account'),
    livemode: shown.livemode,
    name: shown.nameShown,
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    status: shown.oneOf(ACCOUNT_STATUSES, {
      description: '`frozen` receives, and nothing leaves it. `closed` is for good.',
    }),
    balance: accountBalance,
    overdraft_limit: shown.moneyOrNull('How far below zero the available balance may go; null for without limit.'),
    low_balance_alert: shown
      .orNull(
        z.object({ available_below: shown.money('The available balance below which it is low.') }).meta({
          id: 'LowBalanceAlert',
          description: 'When `account.balance_low` reports that little is left.',
        }),
      )
      .meta({ description: 'Null without one.' }),
    statement_schedule: shown.oneOf(SCHEDULES, {
      description: 'Whether a statement of each day or month is made once it is over.',
    }),
    is_default: z
      .boolean()
      .meta({ description: 'Whether payouts of its currency leave it when they name no account.' }),
    external_id: shown.externalIdShown,
    metadata: shown.metadataShown,
    allowed_actions: shown.allowedActions<AccountAction>('freeze', 'unfreeze', 'close'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'Account', description: 'An account that holds money in one currency.' });

export const createInboundTransfer = z
  .strictObject({
    account: reference('account', 'The account that receives.'),
    amount: positiveAmount,
    currency,
    description: description.optional(),
  })
  .meta({ id: 'CreateInboundTransfer' });

const payer = z
  .object({
    name: z
      .string()
      .nullable()
      .meta({ description: 'Masked: of each word its first character.', example: 'J*** M***' }),
    account: z.string().nullable().meta({ description: 'Masked: its last four characters.', example: '***3000' }),
  })
  .meta({ id: 'Payer', description: 'Who paid, as the bank names them.' });

const bankText = (description: string, example: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description} Null where it has none.`, example });

export const inboundTransfer = z
  .object({
    id: shown.id('inboundTransfer'),
    object: z.literal('inbound_transfer'),
    livemode: shown.livemode,
    account: shown.id('account', 'The account that received it.'),
    amount: shown.money("What arrived, in the currency's smallest unit."),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    status: shown.oneOf(INBOUND_TRANSFER_STATUSES, {
      description: '`received`: booked. `returned`: recalled by the bank.',
    }),
    bank_reference: bankText("The bank's own reference: a credit is booked once by it.", 'NTRF-20270330-0001'),
    end_to_end_id: bankText("The payer's reference.", 'INV-2027-118'),
    payer: shown.orNull(payer).meta({ description: 'Null where the bank names nobody.' }),
    remittance: bankText('What the payer wrote. Null too once it was erased.', 'RF18539007547034INV118'),
    description: shown.descriptionShown,
    value_date: shown.day('The day from which the bank counts it; null where it names none.').nullable(),
    booked_on: shown.day('The day on which the bank booked it; null where it names none.').nullable(),
    journal_entries: shown.entries('The entry that booked it, and the one that took it back.'),
    allowed_actions: shown.noActions,
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'InboundTransfer', description: 'Money that arrived from outside.' });

/** How lines of an account are counted by days. */
export const AXES = ['effective', 'posted'] as const;
export type Axis = (typeof AXES)[number];

export const balance = z
  .object({
    object: z.literal('balance'),
    livemode: shown.livemode,
    account: shown.id('account'),
    at: shown.time('The moment asked for; null for now, and of a day.').nullable(),
    on: shown.day('The day asked for, at its end; null without one.').nullable(),
    axis: shown.oneOfOrNull(AXES, {
      description: 'Whether lines count by the day on which they take effect, or were posted; null without a day.',
      example: 'effective',
    }),
    sequence: z.int().nullable().meta({
      description:
        'Of the last line that counts: 0 when nothing had been posted yet. Null of a day by effect: there, lines count in another order.',
    }),
    posted: amounts.posted,
    held: shown.moneyOrNull('Reserved for what is about to leave.'),
    available: shown.moneyOrNull('Posted less held.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
  })
  .meta({ id: 'Balance', description: 'What was held is known for now only: of a moment of the past it is null.' });
