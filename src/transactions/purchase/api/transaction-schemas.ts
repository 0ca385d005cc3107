/** Schemas of transactions and of their events, as answers show them. */
import { z } from 'zod';
import { dryRunMember } from '../../../api/dry-run.ts';
import { metadata } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { SCOPES } from '../../../cards/controls/controls.ts';
import { DECLINE_CODES, DECLINES, type RuleName } from '../../../cards/decision/decline-codes.ts';
import { MEASURES } from '../../../cards/decision/rule-result.ts';
import { ENTRY_MODES, PURCHASE_KINDS } from '../../../cards/purchase/purchase-facts.ts';
import { TRANSACTION_FLAGS } from '../message-flags.ts';
import { PURCHASE_TRANSITIONS } from '../purchase-resource.ts';
import type { PurchaseStatus } from '../purchase-state.ts';
import type { PurchaseAction } from '../purchase-view.ts';

export const TRANSACTION_STATUSES = Object.keys(PURCHASE_TRANSITIONS) as [PurchaseStatus, ...PurchaseStatus[]];

const RULES = [...new Set(Object.values(DECLINES).map(({ rule }) => rule))] as [RuleName, ...RuleName[]];

export const ruleResult = z
  .object({
    rule: shown.oneOf(RULES, { description: 'Which rule.' }),
    scope: shown.oneOf(SCOPES, { description: 'Whose rule it is.' }),
    verdict: shown.oneOf(['pass', 'fail', 'shadow_fail'], {
      description: '`shadow_fail`: controls that are tried out would decline.',
    }),
    window: shown
      .oneOf(['authorization', 'day', 'week', 'month', 'year', 'all_time'], { description: 'Of a limit.' })
      .optional(),
    measure: shown
      .oneOf(MEASURES, {
        description: 'Of a limit: whether `limit`, `used` and `remaining` are minor units, or count purchases.',
      })
      .optional(),
    limit: shown.money('Of a limit.').optional(),
    used: shown.money('Of a limit, before the request.').optional(),
    remaining: shown.money('Of a limit before the request; of funds what may still leave the account.').optional(),
  })
  .meta({ id: 'TransactionRule', description: 'What one rule says.' });

const decisionMembers = {
  decision: shown.oneOfOrNull(['approved', 'declined'], {
    description: 'What was decided last. Null until something was asked for, or advised.',
  }),
  decision_source: shown.oneOfOrNull(['rules', 'endpoint', 'default', 'network'], {
    description: 'Who decided: our rules, your endpoint, its default, or the network in our place.',
  }),
  approved_amount: shown.moneyOrNull('Minor units: 0 of what was declined.'),
  decline_code: shown.oneOfOrNull(DECLINE_CODES, { description: 'The first rule that fails says it.' }),
  network_response_code: z.string().nullable().meta({
    description:
      'ISO 8583, field 39: 00, 10 of a part, 87 of a purchase without its cash, 85 of a verification, or that of the decline code.',
    example: '00',
  }),
  rules: z.array(ruleResult).meta({ description: 'All rules, in the order in which they decide.' }),
};

const merchant = z
  .object({
    id: z.string().meta({ description: "The acquirer's id." }),
    acquirer_id: z.string().nullable().meta({ description: 'The id of the acquirer.' }),
    name: z.string().meta({ description: 'As it stands on statements.' }),
    city: z.string().meta({ description: 'The city.' }),
    country: z.string().meta({ description: 'ISO 3166-1 alpha-2.', example: 'US' }),
    postal_code: z.string().nullable().meta({ description: 'As the country writes it.' }),
    mcc: z.string().meta({ description: 'Merchant category code.', example: '5411' }),
    terminal: z.string().nullable().meta({ description: 'The id of the terminal.' }),
  })
  .meta({ id: 'Merchant', description: 'Who sells, as the first message says.' });

const amounts = z
  .object({
    authorized: shown.money('Approved, increments included; once a completion is here, its amount alone.'),
    reversed: shown.money('Taken back of that.'),
    held: shown.money('What is held: authorized less reversed less cleared, while it is open.'),
    fee_held: shown.money('Held beside it.'),
    cleared: shown.money('Posted, less what reversals took back.'),
    refunded: shown.money('Given back by the merchant, less reversals.'),
    disputed: shown.money('In dispute, or won.'),
    fee: shown.money('Charged to the cardholder.'),
    fx_difference: shown.money(
      "What was paid more than the authorization foresaw, by the rates of the merchant's currency.",
    ),
  })
  .meta({ id: 'TransactionAmounts', description: "Minor units of the account's currency." });

const kindShown = shown.oneOf(PURCHASE_KINDS, { description: 'What it is for.' });

export const transaction = z
  .object({
    id: shown.id('transaction'),
    object: z.literal('transaction'),
    livemode: shown.livemode,
    status: shown.oneOf(TRANSACTION_STATUSES, {
      description:
        'pending → settled, verified, reversed or expired; or declined. A late clearing makes each of them `settled`.',
    }),
    kind: kindShown,
    network_reference: z.string().meta({ description: "The network's name of the purchase." }),
    card: shown.id('card', 'The card of the first message.'),
    token: shown.id('cardToken', 'The token that it was made with.').nullable(),
    account: shown.id('account', 'The account that it leaves.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    merchant,
    entry_mode: shown.oneOfOrNull(ENTRY_MODES, { description: 'How the card was presented.' }),
    ...decisionMembers,
    amounts,
    flags: z.array(shown.oneOf(TRANSACTION_FLAGS, { description: 'Something out of the ordinary.' })).meta({
      description: 'What is out of the ordinary about any of its messages, or about what its disputes have booked.',
    }),
    resembles: shown
      .id('transaction', 'Of a forced post: the one open transaction of the same card, merchant and amount.')
      .nullable(),
    hold: shown.id('hold', 'Reserves what is held. The last of them, where there were several.').nullable(),
    expires_at: shown
      .time('When what is held is released, in the own time of the book. Null where nothing is left to end.')
      .nullable(),
    balance: z
      .object({
        posted: shown.money('Posted.'),
        available: shown.money('Available, overdraft not counted.'),
      })
      .nullable()
      .meta({ description: 'What a balance inquiry was answered; null of all others.' }),
    metadata: shown.metadataShown,
    allowed_actions: shown.allowedActions<PurchaseAction>('expire', 'dispute'),
    request_id: shown.id('request', 'The request of its first message.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
    dry_run: dryRunMember,
  })
  .meta({ id: 'Transaction', description: 'The life of one card purchase.' });

const checksShown = z
  .object({
    entry_mode: shown.oneOfOrNull(ENTRY_MODES, { description: 'How the card was presented.' }),
    ...Object.fromEntries(
      ['cvv_result', 'pin_result', 'expiry_result', 'avs_result'].map((name) => [
        name,
        shown.oneOfOrNull(['match', 'no_match', 'not_checked'], { description: 'What the network found.' }),
      ]),
    ),
    three_d_secure: shown
      .orNull(
        z
          .object({
            result: shown.oneOf(['authenticated', 'attempted', 'failed', 'not_performed'], {
              description: 'What became of it.',
            }),
            eci: z.string().nullable().meta({ description: "The network's indicator." }),
          })
          .meta({ id: 'TransactionThreeDSecure', description: '3-D Secure.' }),
      )
      .meta({ description: 'What became of 3-D Secure, if it was tried.' }),
  })
  .meta({ id: 'TransactionChecks', description: 'What was checked.' });

const TYPES = [
  'authorization',
  'increment',
  'advice',
  'reversal',
  'clearing',
  'refund',
  'clearing_reversal',
  'refund_reversal',
  'expiry',
] as const;

export const transactionEvent = z
  .object({
    id: shown.id('transactionMessage'),
    object: z.literal('transaction_event'),
    livemode: shown.livemode,
    transaction: shown.id('transaction'),
    type: shown.oneOf(TYPES, { description: 'What the message is.' }),
    message_reference: z
      .string()
      .nullable()
      .meta({ description: "The sender's name of it. Null of an expiry by the clock." }),
    card: shown.id('card'),
    token: shown.id('cardToken').nullable(),
    kind: shown.oneOfOrNull(PURCHASE_KINDS, { description: 'What it is for.' }),
    message: shown.oneOfOrNull(['dual', 'single'], { description: 'Whether a clearing follows.' }),
    amount: shown.moneyOrNull('Its own. Null of a reversal of all.'),
    cashback_amount: shown.moneyOrNull('The part of it that is cash.'),
    merchant_amount: shown.moneyOrNull("The same in the merchant's currency."),
    merchant_currency: z.string().nullable().meta({ description: 'ISO 4217.' }),
    partial_approval_allowed: z.boolean().nullable().meta({ description: 'Whether less might be approved.' }),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    ...decisionMembers,
    advice: shown
      .orNull(
        z
          .object({
            reason: shown.oneOf(['stand_in', 'completion', 'offline'], { description: 'Why the network decided.' }),
            of: shown.oneOf(['authorization', 'increment'], { description: 'What was decided.' }),
          })
          .meta({ id: 'TransactionAdviceShown', description: 'What the network decided in our place.' }),
      )
      .meta({ description: 'Of an advice.' }),
    sequence: shown
      .orNull(
        z
          .object({ number: shown.count('Which piece.'), count: shown.count('Of how many.') })
          .meta({ id: 'ClearingSequence', description: 'Of a purchase that clears in pieces.' }),
      )
      .meta({ description: 'Of a clearing that is a piece.' }),
    final: z.boolean().nullable().meta({ description: 'Of a clearing that says so.' }),
    reverses: z.string().nullable().meta({ description: 'The message that it takes back.' }),
    checks: shown.orNull(checksShown).meta({ description: 'Of what asks for something, and of advices.' }),
    interchange: shown.moneyOrNull('Of a clearing: a fact of the line.'),
    business_date: z.string().nullable().meta({ description: 'Of a line of a clearing file.' }),
    flags: z
      .array(shown.oneOf(TRANSACTION_FLAGS, { description: 'Something out of the ordinary.' }))
      .meta({ description: 'What is out of the ordinary about it.' }),
    journal_entries: shown.entries('The entry that it is booked by.'),
    request_id: shown.id('request'),
    created_at: shown.createdAt,
  })
  .meta({ id: 'TransactionEvent', description: 'A message of a transaction. It never changes.' });

export const takenMessage = z
  .object({
    object: z.literal('transaction_message'),
    livemode: shown.livemode,
    message_reference: z.string().meta({ description: 'Its reference.' }),
    transaction: shown.id('transaction', 'The transaction that took it.'),
    event: transactionEvent,
    request_id: shown.id('request', 'The request that brought it.'),
    created_at: shown.time('When it was taken, by the time of the world.'),
  })
  .meta({ id: 'TakenMessage', description: 'What became of a message.' });

export const updateTransaction = z.strictObject({ metadata: metadata.optional() }).meta({ id: 'UpdateTransaction' });
