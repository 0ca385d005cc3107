/** Schemas of batches: the request, whose items are read one by one, and the batch. */
import { z } from 'zod';
import { dryRunMember, dryRunQuery, resultingBalancesMember } from '../../../api/dry-run.ts';
import { externalId, freeText, metadata, reference } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import * as payouts from '../../payout/api/payout-schemas.ts';
import { APPROVAL_REASONS } from '../../policies/approval-policy.ts';
import { BATCH_TRANSITIONS, type BatchAction, type BatchStatus, ITEMS_MAX } from '../batch.ts';

export const BATCH_STATUSES = Object.keys(BATCH_TRANSITIONS) as [BatchStatus, ...BatchStatus[]];

/** A payout without the members of the whole batch. */
export const item = payouts.createPayout
  .omit({ scheduled_for: true, approval: true })
  .meta({ id: 'CreatePayoutBatchItem', description: 'A payout as it is made alone.' });

const account = reference(
  'account',
  'The account that items leave which name none. Without it, the default account of their currency.',
).optional();
const approval = z.literal('required').optional().meta({
  description: 'It waits for the approval of a person, whatever the policy says.',
});

/** What stands beside the items. */
export const besideItems = z.strictObject({
  account,
  submit: z.boolean().optional().meta({ description: '`false` leaves it a draft. Without it, `true`.' }),
  scheduled_for: payouts.scheduledFor.optional(),
  approval,
  allow_duplicate: z.boolean().optional().meta({
    description: 'Pays the same content again. Without it, `false`, and the same content is refused.',
  }),
  external_id: externalId.optional(),
  metadata: metadata.optional(),
});

/** The whole, for the document. */
export const createBatch = besideItems
  .extend({ items: z.array(item).min(1).max(ITEMS_MAX).meta({ description: 'The payouts.' }) })
  .meta({ id: 'CreatePayoutBatch' });

export const createBatchExample = {
  items: [
    { amount: 5124, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' }, external_id: 'inv-17' },
    { amount: 900, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP2' }, external_id: 'inv-18' },
  ],
  external_id: 'salaries-11',
};

const flag = (description: string) =>
  z
    .enum(['true', 'false'])
    .optional()
    .transform((text) => (text === undefined ? undefined : text === 'true'))
    .meta({ type: 'boolean', description });

/** Of a CSV file, what JSON has beside the items. */
export const uploadQuery = dryRunQuery.extend({
  account: account.meta({ description: 'Of a CSV file: as `account` in JSON.' }),
  submit: flag('Of a CSV file: as `submit` in JSON.'),
  scheduled_for: payouts.scheduledFor.optional().meta({ description: 'Of a CSV file: as `scheduled_for` in JSON.' }),
  approval: approval.meta({ description: 'Of a CSV file: as `approval` in JSON.' }),
  allow_duplicate: flag('Of a CSV file: as `allow_duplicate` in JSON.'),
  external_id: externalId.unwrap().optional().meta({ description: 'Of a CSV file: as `external_id` in JSON.' }),
  metadata: metadata.optional().meta({
    // Generators name an inline schema after its place, and `CreatePayoutBatch.metadata` has that of this parameter.
    id: 'PayoutBatchFileMetadata',
    description: '`metadata[key]`, of a CSV file: as `metadata` in JSON.',
    param: { style: 'deepObject', explode: true },
  }),
});

export const approveBatch = z.strictObject({ version: payouts.judgedVersion }).meta({ id: 'ApprovePayoutBatch' });

export const rejectBatch = z
  .strictObject({ version: payouts.judgedVersion, reason: freeText(payouts.REASON_MAX, 'Why, for people.') })
  .meta({ id: 'RejectPayoutBatch' });

const total = z
  .object({
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    amount: shown.money('What payees get.'),
    fee: shown.money('Leaves accounts as payouts are paid.'),
  })
  .meta({ id: 'PayoutBatchTotal', description: 'What its items come to in a currency.' });

const counts = z
  .object({
    waiting: shown.count('Items that are no payouts yet.'),
    pending: shown.count('Payouts that are about to leave their account.'),
    processing: shown.count('Payouts on their way.'),
    unknown: shown.count('Payouts on their way of which nobody knows whether the rail took them.'),
    paid: shown.count('Payouts that were paid.'),
    failed: shown.count('Payouts that failed.'),
    returned: shown.count('Payouts that were paid, and came back whole.'),
    canceled: shown.count('Items of which nothing becomes, and payouts that were canceled.'),
  })
  .meta({ id: 'PayoutBatchCounts', description: 'What has become of its items, as of now.' });

export const batch = z
  .object({
    id: shown.id('payoutBatch'),
    object: z.literal('payout_batch'),
    livemode: shown.livemode,
    status: shown.oneOf(BATCH_STATUSES, {
      description:
        'draft → requires_approval → scheduled → processing → completed, partially_completed or failed, or rejected, or canceled. The first three only where it was not submitted, waits for people, or for its time. It is final once none of its payouts is under way; later returns change its counts alone.',
    }),
    sha256: z.string().meta({
      description: 'Of a CSV file; of JSON, of `items` and `account` in canonical form (RFC 8785). Hexadecimal.',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    }),
    items: shown.count('How many items it has.'),
    totals: z.array(total).meta({ description: 'By currency.' }),
    counts,
    holds: z.array(shown.id('hold')).meta({
      description: 'One for each account that items leave; empty before its release. Each has what is still needed.',
    }),
    configuration: z.string().nullable().meta({
      description: "The SHA-256 of the operator's settings that set the fees, in hexadecimal digits. Null without any.",
    }),
    scheduled_for: shown.time("When it is released, in the book's own time; null where at once.").nullable(),
    approval_reasons: z
      .array(
        shown.oneOf(APPROVAL_REASONS, {
          description:
            '`requested`: by whoever made it. `amount`, `new_payee`, `rail`: the approval policy asks for it.',
        }),
      )
      .meta({ description: 'Why it waits, or waited, for people; empty where it never did.' }),
    approvals: payouts.approvalsShown,
    approvals_required: shown.count('By how many people; 0 where it needs no approval.'),
    reason: z.string().nullable().meta({
      description: 'Why a person rejected it; null unless one did, and once erased.',
    }),
    external_id: shown.externalIdShown,
    metadata: shown.metadataShown,
    allowed_actions: shown.allowedActions<BatchAction>('submit', 'cancel', 'approve', 'reject'),
    request_id: shown.id('request', 'The request that made it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
    dry_run: dryRunMember,
    resulting_balances: resultingBalancesMember,
  })
  .meta({ id: 'PayoutBatch', description: 'Payouts that were uploaded together.' });

const ITEM_STATUSES = ['waiting', ...payouts.PAYOUT_STATUSES] as const;

export const batchItem = z
  .object({
    object: z.literal('payout_batch_item'),
    sequence: shown.count('Its row in the upload, from 1.'),
    status: shown.oneOf(ITEM_STATUSES, {
      description: 'That of its payout. `waiting` while it is none, and `canceled` where it never becomes one.',
    }),
    payout: shown.id('payout', 'Null while it is none.').nullable(),
    amount: shown.money('What the payee gets.'),
    fee: shown.money('On top.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    account: shown.id('account', 'The account that it leaves.'),
    external_id: shown.externalIdShown,
    end_to_end_id: z.string().meta({ description: 'The id at the rail.' }),
    failure_code: z.string().nullable().meta({ description: 'Why its payout failed; null unless it did.' }),
    rail_reference: z.string().nullable().meta({ description: "The rail's own reference; null without one." }),
  })
  .meta({ id: 'PayoutBatchItem', description: 'An item of a batch, and what has become of it.' });
