/** How the API and events show a book's approval policy. */
import type { Book } from '../../ledger/book/book.ts';
import { currencyExponent } from '../../money/currency.ts';
import { parseActor } from '../../values/actor.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { type ApprovalPolicy, NO_POLICY, type Proposal } from './approval-policy.ts';
import type { StoredPolicy } from './approval-policy-table.ts';

export type PolicyAction = 'approve' | 'reject';

export function policyView(own: StoredPolicy | undefined, { id, mode }: Pick<Book, 'id' | 'mode'>) {
  const proposal = own?.proposal ?? null;
  return {
    id: publicId('book', id),
    object: 'approval_policy',
    livemode: mode === 'live',
    ...rulesView(own?.policy ?? NO_POLICY),
    pending: proposal && proposalView(proposal),
    allowed_actions: actionsOf(own),
    version: own?.version ?? 1,
    updated_at: formatInstantOrNull(own?.updatedAt ?? null),
  };
}

export function actionsOf(own: Pick<StoredPolicy, 'proposal'> | undefined): readonly PolicyAction[] {
  return own?.proposal ? ['approve', 'reject'] : [];
}

function rulesView({ always, above, newPayees, rails }: ApprovalPolicy) {
  return {
    always,
    above: above.map(({ currency, amount, approvals }) => ({
      currency,
      currency_exponent: currencyExponent(currency),
      amount,
      approvals,
    })),
    new_payees: newPayees,
    rails,
  };
}

function proposalView({ policy, proposedBy, at }: Proposal) {
  return { ...rulesView(policy), proposed_by: personOf(proposedBy), proposed_at: formatInstant(at) };
}

/** The person who acted, as the API shows it. An operator is named. */
export function personOf(actor: string): string {
  const parsed = parseActor(actor);
  return parsed.type === 'person' ? publicId('person', parsed.id) : actor;
}
