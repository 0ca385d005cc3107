/** What keeps an account from being closed, as `blocked_by` of the refusal shows it: a line for each type of every group. */
import { z } from 'zod';
import * as shown from './shown.ts';

export const CLOSING_BLOCKS = [
  'balance',
  'holds',
  'payouts_in_flight',
  'payments_open',
  'refunds_pending',
  'disputes_open',
  'unreleased_shares',
] as const;

export const closingBlock = z
  .object({
    type: shown.oneOf(CLOSING_BLOCKS, { description: 'What it is.' }),
    posted: shown.money('With `balance`.').optional(),
    held: shown.money('With `holds`.').optional(),
    currency: shown.currencyShown.optional().meta({ description: 'With `balance` and `holds`. ISO 4217.' }),
    payouts: z.array(shown.id('payout')).optional().meta({ description: 'With `payouts_in_flight`: some of them.' }),
    payments: z
      .array(shown.id('payment'))
      .optional()
      .meta({ description: 'With `payments_open`: some of those that can still be captured.' }),
    refunds: z.array(shown.id('refund')).optional().meta({ description: 'With `refunds_pending`: some of them.' }),
    disputes: z.array(shown.id('dispute')).optional().meta({ description: 'With `disputes_open`: some of them.' }),
    unreleased: shown
      .money('With `unreleased_shares`: what payments earned and is not released yet, in minor units.')
      .optional(),
  })
  .meta({ id: 'ClosingBlocker', description: 'Something that keeps an account from being closed.' });
