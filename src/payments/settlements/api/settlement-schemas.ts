/** Schemas of what acquirers pay, and of what waits for its release. */
import { z } from 'zod';
import * as shown from '../../../api/schemas/shown.ts';

export const settlement = z
  .object({
    id: shown.id('settlement'),
    object: z.literal('settlement'),
    livemode: shown.livemode,
    status: shown.oneOf(['received', 'completed'], {
      description: '`received` while lines of the report are still to be taken; then `completed`.',
    }),
    amount: shown.money(
      'Gross of the lines that were booked so far: pool and acquirer have moved by it. Negative where refunds were more.',
    ),
    reported_amount: shown.money('Gross of all lines of the report that are yours, as the acquirer states it.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    acquirer: z.string().meta({ description: 'Who paid.' }),
    lines: shown.count('Lines of the report that are yours.'),
    lines_taken: shown.count('How many of them have been taken.'),
    exceptions: shown.count('How many of those taken are not booked: a person looks at them (/v1/exceptions).'),
    allowed_actions: shown.noActions,
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({
    id: 'Settlement',
    description: 'What an acquirer paid of your payments in one currency, by one of its reports.',
  });

export const settlementLine = z
  .object({
    id: shown.id('settlementLine'),
    object: z.literal('settlement_line'),
    livemode: shown.livemode,
    settlement: shown.id('settlement'),
    line_id: z.string().meta({ description: "The acquirer's own id of the line." }),
    type: shown.oneOf(['capture', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'adjustment'], {
      description: 'What the line is for.',
    }),
    reference: z.string().meta({ description: 'What the acquirer knows the instruction by.' }),
    amount: shown.money('Gross: what the acquirer pays, or takes where it is negative.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    payment: shown.id('payment').nullable(),
    capture: shown.id('capture').nullable(),
    refund: shown.id('refund').nullable(),
    exception: shown.id('exception', 'Where it could not be booked.').nullable(),
    journal_entries: shown.entries('The entry of the lines that were booked together; none for an exception.'),
    created_at: shown.createdAt,
  })
  .meta({ id: 'SettlementLine', description: "A line of an acquirer's report." });

export const releaseLine = z
  .object({
    id: shown.id('releaseLine'),
    object: z.literal('release_line'),
    livemode: shown.livemode,
    release: shown.id('release'),
    payment: shown.id('payment'),
    amount: shown.money('What a capture earned, or what a refund or dispute took out before the release (negative).'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    created_at: shown.createdAt,
  })
  .meta({ id: 'ReleaseLine', description: 'What of a payment is in a release. The lines come to its amount.' });

const availableOnDay = z
  .object({
    available_on: z.iso.date().meta({ description: 'The day of its release in the time zone of the book.' }),
    amount: shown.money('What is released on that day.'),
  })
  .meta({ id: 'PaymentBalanceDay' });

const balanceInCurrency = z
  .object({
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    pending: shown.money('Captured, and not settled by the acquirer. Without what is reserved.'),
    reserved: shown.money('Kept longer by the reserve of the release schedule, settled or not.'),
    available: z.array(availableOnDay).meta({ description: 'By day of release, without what is pending or reserved.' }),
  })
  .meta({ id: 'PaymentBalanceInCurrency' });

export const paymentBalance = z
  .object({
    object: z.literal('payment_balance'),
    livemode: shown.livemode,
    account: shown.id('account', 'Whose it is. Null: of all accounts.').nullable(),
    balances: z
      .array(balanceInCurrency)
      .meta({ description: 'By currency. A currency in which nothing waits is left out.' }),
  })
  .meta({ id: 'PaymentBalance', description: 'What payments earned and is not released yet, less fees and refunds.' });
