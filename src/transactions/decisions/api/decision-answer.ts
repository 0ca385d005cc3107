/**
 * The form in which a decision endpoint answers. It is as strict as a request's: a member that nobody knows is a mistake, and so is one that
 * contradicts the decision. Empty members may stand, as many endpoints fill in all of them, but for the amount of an approval: without it
 * all is approved, and null is what JavaScript writes for NaN.
 */
import { z } from 'zod';
import { amountOrZero } from '../../../api/schemas/amount.ts';
import { metadata } from '../../../api/schemas/fields.ts';
import { parseJson } from '../../../values/json.ts';
import type { DecisionAnswer } from '../endpoint-answer.ts';

const decisionAnswer = z.discriminatedUnion('decision', [
  z.strictObject({
    decision: z.literal('approved'),
    approved_amount: amountOrZero.optional(),
    decline_code: z.null().optional(),
    metadata: metadata.nullish(),
  }),
  z.strictObject({
    decision: z.literal('declined'),
    approved_amount: amountOrZero.refine((amount) => amount === 0n).nullish(),
    decline_code: z.enum(['decision_declined', 'suspected_fraud']).nullish(),
    metadata: metadata.nullish(),
  }),
]);

/** Undefined for anything else. */
export function readDecisionAnswer(response: string): DecisionAnswer | undefined {
  const { success, data } = decisionAnswer.safeParse(jsonOf(response));
  if (!success) return undefined;
  const metadataGiven = data.metadata ?? {};
  if (data.decision === 'approved') {
    const approvedAmount = data.approved_amount ?? null;
    return { answer: { source: 'endpoint', decision: 'approved', approvedAmount }, metadata: metadataGiven };
  }
  const declineCode = data.decline_code ?? 'decision_declined';
  return { answer: { source: 'endpoint', decision: 'declined', declineCode }, metadata: metadataGiven };
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Not JSON, or nested too deep to be walked.
    return undefined;
  }
}
