/** What keeps an account, or days of a book, from being closed, as `blocked_by` of the refusal shows it: a line for each type of every group. */
import { z } from 'zod';
import * as shown from './shown.ts';

export const CLOSING_BLOCKS = [
  'balance',
  'holds',
  'payouts_in_flight',
  'payout_batches_open',
  'payments_open',
  'refunds_pending',
  'disputes_open',
  'unreleased_shares',
  'cards_open',
  'transactions_open',
  'transaction_disputes_open',
] as const;

/** What days of a book must have before they are closed. */
export const PERIOD_BLOCKS = ['bank_statements_missing'] as const;

export const closingBlock = z
  .object({
    type: shown.oneOf([...CLOSING_BLOCKS, ...PERIOD_BLOCKS], { description: 'What it is.' }),
    posted: shown.money('With `balance`.').optional(),
    held: shown.money('With `holds`.').optional(),
    currency: shown.currencyShown.optional().meta({ description: 'With `balance` and `holds`. ISO 4217.' }),
    payouts: z.array(shown.id('payout')).optional().meta({ description: 'With `payouts_in_flight`: some of them.' }),
    payout_batches: z
      .array(shown.id('payoutBatch'))
      .optional()
      .meta({ description: 'With `payout_batches_open`: some of those that have not ended.' }),
    payments: z
      .array(shown.id('payment'))
      .optional()
      .meta({ description: 'With `payments_open`: some of those that can still be captured.' }),
    refunds: z.array(shown.id('refund')).optional().meta({ description: 'With `refunds_pending`: some of them.' }),
    disputes: z.array(shown.id('dispute')).optional().meta({ description: 'With `disputes_open`: some of them.' }),
    cards: z.array(shown.id('card')).optional().meta({ description: 'With `cards_open`: some of them.' }),
    transactions: z
      .array(shown.id('transaction'))
      .optional()
      .meta({ description: 'With `transactions_open`: some of those that hold something.' }),
    transaction_disputes: z
      .array(shown.id('transactionDispute'))
      .optional()
      .meta({ description: 'With `transaction_disputes_open`: some of them.' }),
    bank_accounts: z.array(shown.id('bankAccount')).optional().meta({
      description: 'With `bank_statements_missing`: some of those of which no posted statement reaches the day.',
    }),
    unreleased: shown
      .money('With `unreleased_shares`: what payments earned and is not released yet, in minor units.')
      .optional(),
  })
  .meta({
    id: 'ClosingBlocker',
    description: 'Something that keeps an account, or days of a book, from being closed.',
  });
