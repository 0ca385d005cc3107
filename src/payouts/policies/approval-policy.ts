/**
 * The approval policy of a book: which of its payouts wait for people. One person proposes a change, another one approves it; until
 * then the policy before is in force. A book without a row has the policy that asks for nothing.
 * Next: approval-policy-table.ts (its row), change-policy.ts (propose, approve, reject).
 */
import type { EventName } from '../../ledger/events/event-names.ts';
import type { Instant } from '../../values/clock.ts';

/** It is one a book and has no id of its own, so that it is no resource. */
export const POLICY_EVENTS: readonly EventName[] = [
  'approval_policy.proposed',
  'approval_policy.approved',
  'approval_policy.rejected',
];

/** The most people that a payout waits for. */
export type ApprovalsRequired = 1 | 2;

export interface AmountRule {
  readonly currency: string;
  /** In minor units: payouts of more need approval. */
  readonly amount: bigint;
  readonly approvals: ApprovalsRequired;
}

export interface ApprovalPolicy {
  /** Every payout, whatever its amount. */
  readonly always: boolean;
  readonly above: readonly AmountRule[];
  /** Payouts to a destination to which none was approved yet. */
  readonly newPayees: boolean;
  /** Payouts that these rails carry. */
  readonly rails: readonly string[];
}

export const NO_POLICY: ApprovalPolicy = { always: false, above: [], newPayees: false, rails: [] };

/** A change that waits for a second person. */
export interface Proposal {
  readonly policy: ApprovalPolicy;
  /** The actor as text (src/values/actor.ts). */
  readonly proposedBy: string;
  readonly at: Instant;
}

export const APPROVAL_REASONS = ['requested', 'amount', 'new_payee', 'rail'] as const;

export type ApprovalReason = (typeof APPROVAL_REASONS)[number];

/** What the policy looks at. */
export interface JudgedPayout {
  readonly amount: bigint;
  readonly currency: string;
  /** Null where no rail carries it. */
  readonly rail: string | null;
  /** Whoever makes it asks for an approval. */
  readonly isRequested: boolean;
  readonly isNewPayee: boolean;
}

export interface NeededApproval {
  readonly reasons: readonly ApprovalReason[];
  readonly required: ApprovalsRequired;
}

/** Why a payout needs approval, and by how many people. Null: it needs none. A policy for every payout is one about its amount. */
export function neededApproval(policy: ApprovalPolicy | undefined, payout: JudgedPayout): NeededApproval | null {
  const { always, above, newPayees, rails } = policy ?? NO_POLICY;
  const { amount, currency, rail } = payout;
  const exceeded = above.filter((rule) => rule.currency === currency && amount > rule.amount);
  const reasons: ApprovalReason[] = [];
  if (payout.isRequested) reasons.push('requested');
  if (always || exceeded.length > 0) reasons.push('amount');
  if (newPayees && payout.isNewPayee) reasons.push('new_payee');
  if (rail !== null && rails.includes(rail)) reasons.push('rail');
  if (reasons.length === 0) return null;
  return { reasons, required: exceeded.some(({ approvals }) => approvals === 2) ? 2 : 1 };
}
