import { z } from 'zod';
import { DISPUTE_REASONS } from '../../../acquirers/dispute-reasons.ts';
import { orAll, positiveAmount } from '../../../api/schemas/amount.ts';
import * as shown from '../../../api/schemas/shown.ts';
import type { DisputeStatus } from '../../disputes/dispute.ts';
import { type DisputeAction, TRANSACTION_DISPUTE_TRANSITIONS } from '../../disputes/dispute-resource.ts';

const STATUSES = Object.keys(TRANSACTION_DISPUTE_TRANSITIONS) as [DisputeStatus, ...DisputeStatus[]];

const REASON = { description: 'Why, in the words of this API.', example: 'product_not_received' };

export const openDispute = z
  .strictObject({
    amount: orAll(positiveAmount, 'Without it, all that is cleared, not refunded and not disputed.'),
    reason: z.enum(DISPUTE_REASONS).meta(REASON),
  })
  .meta({ id: 'OpenTransactionDispute' });

export const transactionDispute = z
  .object({
    id: shown.id('transactionDispute'),
    object: z.literal('transaction_dispute'),
    livemode: shown.livemode,
    status: shown.oneOf(STATUSES, {
      description: 'opened → submitted → won or lost; withdrawn from opened or submitted.',
    }),
    transaction: shown.id('transaction'),
    account: shown.id('account', 'The account of the card.'),
    amount: shown.money('What is disputed.'),
    amount_credited: shown.money('What the customer has of it now: provisional until it is won.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    reason: shown.oneOf(DISPUTE_REASONS, REASON),
    allowed_actions: shown.allowedActions<DisputeAction>('submit', 'withdraw', 'win', 'lose'),
    journal_entries: shown.entries(
      'The entries it is booked by, in order. What a refund took back is in the entry of the refund.',
    ),
    request_id: shown.id('request'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'TransactionDispute', description: 'A cardholder disputes what a purchase has cleared.' });
