/** Schemas of accounts: requests, the account, its balance and its lines. */
import { z } from 'zod';
import { amountOrZero, positiveAmount } from '../../api/schemas/amount.ts';
import { currency, description, externalId, metadata, name, reference } from '../../api/schemas/fields.ts';
import * as shown from '../../api/schemas/shown.ts';
import type { AccountStatus } from '../../ledger/account.ts';
import { ACCOUNT_TRANSITIONS, type AccountAction } from '../account-status.ts';

export const ACCOUNT_STATUSES = Object.keys(ACCOUNT_TRANSITIONS) as readonly AccountStatus[];

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
    external_id: externalId.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreateAccount' });

export const createAccountExample = { currency: 'JOD', name: 'Operating account', external_id: 'main' };

export const updateAccount = z
  .strictObject({
    name: name.optional(),
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

export const inboundTransfer = z
  .object({
    id: shown.id('inboundTransfer'),
    object: z.literal('inbound_transfer'),
    livemode: shown.livemode,
    account: shown.id('account', 'The account that received it.'),
    amount: shown.money("What arrived, in the currency's smallest unit."),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    description: shown.descriptionShown,
    journal_entries: shown.entries('The entry that it is booked by.'),
    created_at: shown.createdAt,
  })
  .meta({ id: 'InboundTransfer', description: 'Money that arrived from outside.' });

export const balance = z
  .object({
    object: z.literal('balance'),
    livemode: shown.livemode,
    account: shown.id('account'),
    at: shown.time('The moment asked for; null for now.').nullable(),
    sequence: z.int().meta({ description: 'Of the last line that counts: 0 when nothing had been posted yet.' }),
    posted: amounts.posted,
    held: shown.moneyOrNull('Reserved for what is about to leave.'),
    available: shown.moneyOrNull('Posted less held.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
  })
  .meta({ id: 'Balance', description: 'What was held is known for now only: of a moment of the past it is null.' });
