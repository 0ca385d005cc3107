/** Reasons of disputes as this API names them. Networks have codes of their own, which acquirers translate. */
export const DISPUTE_REASONS = [
  'fraudulent',
  'unrecognized',
  'product_not_received',
  'product_unacceptable',
  'credit_not_processed',
  'duplicate',
  'incorrect_amount',
  'subscription_canceled',
  'general',
] as const;

export type DisputeReason = (typeof DISPUTE_REASONS)[number];

/** A code without a reason in the API is `general`; the acquirer's own code is shown beside it. */
export function disputeReason(code: string | null): DisputeReason {
  return DISPUTE_REASONS.find((known) => known === code) ?? 'general';
}
