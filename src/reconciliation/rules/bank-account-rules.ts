/**
 * A version of the matching rules of a bank account: by how much a line may differ from what it names, and which lines are charges or interest.
 * Invariant: what a version contains never changes, and at most one version of a bank account is active. Who drafted it does not activate it.
 * Next: bank-account-rules-table.ts (its rows), draft-rules.ts, activate-rules.ts.
 */
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type BankAccountRulesStatus =
  /** A person has written it. It counts for nothing until another one activates it. */
  | 'draft'
  /** Lines are matched by it. The activation of a newer version retires it. */
  | 'active'
  /** A newer version counts. Final. */
  | 'retired';

export const RULES_VERSION_TRANSITIONS: Transitions<BankAccountRulesStatus> = {
  draft: ['active'],
  active: ['retired'],
  retired: [],
};

/** Accounts of the operator's chart that take what a rule books. */
export const RULE_TO = ['rail_costs', 'bank_charges', 'differences', 'interest', 'own_funds'] as const;
export type RuleTo = (typeof RULE_TO)[number];
/** Those that take what differs. A loss is two persons' to decide, and no rule's. */
export const DIFFERENCE_TO = [...RULE_TO, 'credit_losses'] as const;
export type DifferenceTo = (typeof DIFFERENCE_TO)[number];

/** How much a line may differ from the item of the party that it names. */
export interface StoredTolerance {
  readonly party: string;
  /** Minor units as decimal text: JSON has no bigint. */
  readonly amount: string;
  readonly to: RuleTo;
}

/** Which lines no item is expected of, and where they are booked. */
export interface StoredBookingRule {
  readonly name: string;
  readonly direction: 'in' | 'out';
  /** As the bank codes the movement: all of the code, or one of the parts that hyphens separate. */
  readonly code: string | null;
  /** A part of the line's text. */
  readonly text: string | null;
  /** The other side's account, or a part of its name. */
  readonly counterparty: string | null;
  /** Minor units as decimal text. A line of more is left to people. */
  readonly amountMax: string;
  readonly to: RuleTo;
}

export interface BankAccountRules {
  readonly id: Uuid;
  readonly bankAccountId: Uuid;
  /** Counts from 1 in its bank account. */
  readonly number: number;
  readonly status: BankAccountRulesStatus;
  readonly tolerances: readonly StoredTolerance[];
  readonly bookings: readonly StoredBookingRule[];
  readonly draftedBy: string;
  readonly activatedBy: string | null;
  readonly activatedAt: Instant | null;
  readonly retiredAt: Instant | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type BankAccountRulesAction = 'activate';

export function allowedActions({ status }: Pick<BankAccountRules, 'status'>): readonly BankAccountRulesAction[] {
  return status === 'draft' ? ['activate'] : [];
}
