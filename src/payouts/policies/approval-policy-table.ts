/** The row of a book's approval policy. A book whose policy nobody has changed has no row. */
import { type Codec, column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { type AmountRule, type ApprovalPolicy, NO_POLICY, type Proposal } from './approval-policy.ts';

export interface StoredPolicy {
  /** The book: it has one policy. */
  readonly id: Uuid;
  readonly policy: ApprovalPolicy;
  readonly proposal: Proposal | null;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** JSON has no bigint that every reader keeps: amounts are stored as text. */
interface WrittenPolicy extends Omit<ApprovalPolicy, 'above'> {
  readonly above: readonly (Omit<AmountRule, 'amount'> & { readonly amount: string })[];
}

type WrittenProposal = Omit<Proposal, 'policy'> & { readonly policy: WrittenPolicy };

const POLICY: Codec<ApprovalPolicy> = { store: written, read };
const PROPOSAL: Codec<Proposal | null> = {
  store: (proposal) => proposal && { ...proposal, policy: written(proposal.policy) },
  read: (stored: WrittenProposal | null) => stored && { ...stored, policy: read(stored.policy) },
};

export const approvalPolicies = tableOf<StoredPolicy>({
  name: 'approval_policies',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('policy', 'jsonb', { codec: POLICY, notPersonal: 'facts', changes: true, cardNumber: 'exempt' }),
    column('proposal', 'jsonb', { codec: PROPOSAL, notPersonal: 'facts', changes: true, cardNumber: 'exempt' }),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** The first row of a book. */
export function newPolicy(bookId: Uuid, now: Instant): StoredPolicy {
  return { id: bookId, policy: NO_POLICY, proposal: null, version: 1, createdAt: now, updatedAt: now };
}

function written(policy: ApprovalPolicy): WrittenPolicy {
  return { ...policy, above: policy.above.map((rule) => ({ ...rule, amount: String(rule.amount) })) };
}

function read(policy: WrittenPolicy): ApprovalPolicy {
  return { ...policy, above: policy.above.map((rule) => ({ ...rule, amount: BigInt(rule.amount) })) };
}
