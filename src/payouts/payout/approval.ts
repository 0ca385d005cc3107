/**
 * The approval of a payout: why it needs one, by how many people, and who has given one. Whoever made the payout, or changed what clears
 * approvals, never approves it; identity is the person's, whichever key they use. Pure.
 */
import { isSameActor } from '../../exceptions/exception.ts';
import type { Refusal } from '../../ledger/command/command.ts';
import type { Instant } from '../../values/clock.ts';
import type { ApprovalReason, ApprovalsRequired, NeededApproval } from '../policies/approval-policy.ts';

export interface PayoutApproval {
  readonly reasons: readonly ApprovalReason[];
  readonly required: ApprovalsRequired;
  /** The actor as text (src/values/actor.ts), like the others. */
  readonly madeBy: string;
  /** Who changed what clears approvals, each once. */
  readonly changedBy: readonly string[];
  readonly given: readonly { readonly actor: string; readonly at: Instant }[];
}

export function newApproval({ reasons, required }: NeededApproval, madeBy: string): PayoutApproval {
  return { reasons, required, madeBy, changedBy: [], given: [] };
}

/** Undefined where the person may approve it. */
export function refuseApproval(approval: PayoutApproval, actor: string): Refusal | undefined {
  const barred = refuseJudge(approval, actor);
  if (barred) return barred;
  if (!approval.given.some((one) => isSameActor(one.actor, actor))) return undefined;
  return forbidden('This person has approved it already. Another one gives the next approval.');
}

/** Undefined where the person may reject it: those who may not approve it do not end it either. They cancel it. */
export function refuseJudge({ madeBy, changedBy }: PayoutApproval, actor: string): Refusal | undefined {
  if (isSameActor(madeBy, actor)) return forbidden('Who made or submitted it neither approves nor rejects it.');
  if (changedBy.some((one) => isSameActor(one, actor)))
    return forbidden('Who changed or submitted what was to be approved neither approves nor rejects it.');
  return undefined;
}

function forbidden(detail: string): Refusal {
  return { refused: 'self_approval_forbidden', detail, facts: { current_status: 'requires_approval' } };
}

export function withApproval(approval: PayoutApproval, given: { actor: string; at: Instant }): PayoutApproval {
  return { ...approval, given: [...approval.given, given] };
}

export function isComplete({ given, required }: PayoutApproval): boolean {
  return given.length >= required;
}

/** What was approved has been changed: it is looked at again, and by others. */
export function cleared(approval: PayoutApproval, changedBy: string): PayoutApproval {
  const known = approval.changedBy.some((one) => isSameActor(one, changedBy));
  return { ...approval, given: [], changedBy: known ? approval.changedBy : [...approval.changedBy, changedBy] };
}
