/** Schemas of disputes. */
import { z } from 'zod';
import { DISPUTE_REASONS } from '../../../acquirers/dispute-reasons.ts';
import { LINES } from '../../../acquirers/party-texts.ts';
import { orAll, positiveAmount } from '../../../api/schemas/amount.ts';
import { partyText, reference, unlessGiven } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import {
  DISPUTE_TRANSITIONS,
  type DisputeAction,
  type DisputeEvidence,
  type DisputeStatus,
  EVIDENCE_LIMITS,
} from '../dispute.ts';

export const DISPUTE_STATUSES = Object.keys(DISPUTE_TRANSITIONS) as [DisputeStatus, ...DisputeStatus[]];
export const DISPUTE_STAGES = ['inquiry', 'chargeback'] as const;

const FIELDS: Readonly<Record<keyof DisputeEvidence, string>> = {
  product_description: 'What was sold.',
  customer_communication: 'What you and the payer wrote to each other.',
  shipping_carrier: 'Who delivered it.',
  shipping_tracking_number: 'Shows that it was delivered.',
  refund_policy: 'Your policy, and how the payer saw it.',
  uncategorized_text: 'Whatever else speaks for you.',
};

const fieldNames = Object.keys(FIELDS) as (keyof DisputeEvidence)[];

export const submitEvidence = z
  .strictObject(
    Object.fromEntries(
      fieldNames.map((field) => [field, partyText(EVIDENCE_LIMITS[field], LINES, FIELDS[field]).optional()]),
    ) as Record<keyof DisputeEvidence, z.ZodOptional<ReturnType<typeof partyText>>>,
  )
  .refine((given) => Object.keys(given).length > 0, 'Expects at least one field.')
  .meta({ id: 'SubmitDisputeEvidence', minProperties: 1 });

const evidence = z
  .object(
    Object.fromEntries(
      fieldNames.map((field) => [field, z.string().optional().meta({ description: FIELDS[field] })]),
    ) as Record<keyof DisputeEvidence, z.ZodOptional<z.ZodString>>,
  )
  .meta({ id: 'DisputeEvidence', description: 'What you said to a dispute.' });

const REASON = { description: 'Why, in the words of this API.', example: 'fraudulent' };
const STAGE = '`inquiry`: the issuer asks, and nothing has moved. `chargeback`: the acquirer has taken the amount.';

export const dispute = z
  .object({
    id: shown.id('dispute'),
    object: z.literal('dispute'),
    livemode: shown.livemode,
    payment: shown.id('payment'),
    account: shown.id('account', 'The account of its payment.'),
    status: shown.oneOf(DISPUTE_STATUSES, {
      description: 'opened → evidence_submitted → won or lost; or accepted. The acquirer may decide without evidence.',
    }),
    stage: shown.oneOf(DISPUTE_STAGES, { description: STAGE }),
    waiting_on: shown.oneOf(['integrator', 'acquirer', 'inquiry', 'nobody'], {
      description:
        'Who moves next. `integrator`: submit evidence or accept it. `acquirer`: it decides, also once the time for evidence is over. `inquiry`: nobody knows what became of what was said, and the acquirer is asked.',
    }),
    amount: shown.money('Minor units: what the payer wants back.'),
    currency: shown.currencyShown,
    currency_exponent: shown.currencyExponent,
    fee: shown.money('Charged with a chargeback.'),
    fee_refunded: shown.money('What of the fee came back with a chargeback that was won.'),
    reason: shown.oneOf(DISPUTE_REASONS, REASON),
    reason_code: z.string().nullable().meta({ description: "The acquirer's own code.", example: 'fraudulent' }),
    previous_dispute: shown.id('dispute', 'The dispute that this one follows.').nullable(),
    next_dispute: shown.id('dispute', 'The dispute that follows this one.').nullable(),
    evidence: shown
      .orNull(evidence)
      .meta({ description: 'What you said to it; null until then, and once it is erased.' }),
    evidence_due_at: shown.time("Until when evidence is taken, in the book's own time."),
    failure_code: z.string().nullable().meta({
      description: 'Why the acquirer did not take what you said last. Say it again.',
      example: 'processing_error',
    }),
    outcome: shown.unknownOutcome(
      '`unknown` while nobody can say what became of the call: the acquirer is asked again.',
    ),
    next_inquiry_at: shown.time('When the acquirer is asked again.').nullable(),
    acquirer_reference: z.string().meta({ description: "The acquirer's own id." }),
    allowed_actions: shown.allowedActions<DisputeAction>('submit_evidence', 'accept'),
    journal_entries: z.array(shown.id('entry')).meta({ description: 'The entries it is booked by, in order.' }),
    request_id: shown.id('request', 'The request that made what is disputed.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'Dispute', description: 'A payer asks the issuer for a payment back.' });

export const simulateDispute = z
  .strictObject({
    payment: reference('payment', 'A payment of which something is captured.'),
    reason: z.enum(DISPUTE_REASONS).meta(REASON),
    stage: unlessGiven(z.enum(DISPUTE_STAGES), 'chargeback', `${STAGE} Without it, \`chargeback\`.`),
    amount: orAll(positiveAmount, 'Without it, all that is captured and not disputed.'),
  })
  .meta({ id: 'SimulateDispute' });
