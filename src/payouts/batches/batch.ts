/**
 * A batch: up to 10,000 payouts that were uploaded together, are approved together and become payouts in commands of at most 250.
 * Invariant: while `processing`, each account's hold is what items still need that are not payouts yet.
 * Next: batch-item.ts (its items), create-batch.ts (the last commit of an upload), release-batch.ts (its holds), make-payouts.ts.
 */
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PayoutApproval } from '../payout/approval.ts';
import { type ApprovalPolicy, type NeededApproval, neededApproval } from '../policies/approval-policy.ts';

export type BatchStatus =
  /** Uploaded, and nobody has submitted it. The API moves it. */
  | 'draft'
  /** People have to approve it; nothing is held. The API moves it. */
  | 'requires_approval'
  /** Released at its time in the book's own time; nothing is held. The ledger pool moves it. */
  | 'scheduled'
  /** Held, and its items become payouts. The ledger pool moves it. */
  | 'processing'
  /** All of its items were paid. Final, like those below. */
  | 'completed'
  /** Some were. */
  | 'partially_completed'
  /** None was, or its release failed. */
  | 'failed'
  /** A person has rejected it. */
  | 'rejected'
  /** Called back before an item became a payout. */
  | 'canceled';

export const BATCH_TRANSITIONS: Transitions<BatchStatus> = {
  draft: ['requires_approval', 'scheduled', 'processing', 'canceled'],
  requires_approval: ['scheduled', 'processing', 'rejected', 'canceled'],
  scheduled: ['processing', 'failed', 'canceled'],
  processing: ['completed', 'partially_completed', 'failed', 'canceled'],
  completed: [],
  partially_completed: [],
  failed: [],
  rejected: [],
  canceled: [],
};

/** What items come to in a currency. */
export interface BatchTotal {
  readonly currency: string;
  readonly amount: bigint;
  readonly fee: bigint;
}

/** An account that items leave, and what they take from it with their fees. */
export interface PayingAccount {
  readonly accountId: Uuid;
  readonly currency: string;
  readonly amount: bigint;
  readonly holdId: Uuid;
  /** Items that name no account leave it. */
  readonly isDefault: boolean;
}

export interface PayoutBatch {
  readonly id: Uuid;
  readonly status: BatchStatus;
  /** Of the bytes of a CSV file; of JSON, of items and account in canonical form. Hexadecimal. */
  readonly sha256: string;
  readonly items: number;
  /** Items 1 to `made` are payouts. */
  readonly made: number;
  /** Items beyond it never become payouts. */
  readonly last: number;
  readonly totals: readonly BatchTotal[];
  readonly payingAccounts: readonly PayingAccount[];
  /** Its accounts' holds exist. */
  readonly held: boolean;
  /** The rails that carried its items when they were uploaded, for the policy. */
  readonly rails: readonly string[];
  /** An item goes to a destination to which no payout was approved yet. */
  readonly newPayees: boolean;
  readonly approvalRequested: boolean;
  /** Null where it needs no approval, or is not submitted. */
  readonly approval: PayoutApproval | null;
  /** The actor as text (src/values/actor.ts), like the next one. */
  readonly madeBy: string;
  readonly submittedBy: string | null;
  readonly scheduledFor: Instant | null;
  /** Why a person rejected it. */
  readonly reason: string | null;
  readonly externalId: string | null;
  /** Null once it is erased. */
  readonly metadata: Record<string, string> | null;
  readonly textSalt: Buffer | null;
  /** The digest of the operator's settings under which fees were set; null without any. Hexadecimal. */
  readonly configuration: string | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type BatchAction = 'submit' | 'approve' | 'reject' | 'cancel';

export const ITEMS_MAX = 10_000;
/** Accounts that items of a batch leave: each has a hold, and one command places them all. */
export const PAYING_ACCOUNTS_MAX = 100;

const NONE: readonly BatchAction[] = [];
const BY_STATUS: Partial<Record<BatchStatus, readonly BatchAction[]>> = {
  draft: ['submit', 'cancel'],
  requires_approval: ['cancel', 'approve', 'reject'],
  scheduled: ['cancel'],
};

/** What may be asked of a batch now. One that is being paid may be canceled while items are no payouts yet. */
export function allowedOnBatch({ status, made, last }: PayoutBatch): readonly BatchAction[] {
  if (status === 'processing') return made < last ? ['cancel'] : NONE;
  return BY_STATUS[status] ?? NONE;
}

export function whyNotNow({ status }: PayoutBatch, action: string): string {
  if (status === 'processing' && action === 'cancel')
    return 'All items of the batch are payouts or canceled already; a payout that is pending is canceled by itself.';
  return `The batch is ${status}.`;
}

/** The account that an item leaves. */
export function payingAccountOf(
  { payingAccounts }: PayoutBatch,
  { accountId, currency }: { readonly accountId: Uuid | null; readonly currency: string },
): Uuid {
  if (accountId !== null) return accountId;
  return payingAccounts.find((paying) => paying.isDefault && paying.currency === currency)!.accountId;
}

/** Why a batch needs approval, and by how many people: it counts by its total in each currency. */
export function neededByBatch(policy: ApprovalPolicy | undefined, batch: PayoutBatch): NeededApproval | null {
  const { approvalRequested: isRequested, newPayees: isNewPayee, totals, rails } = batch;
  const asked = { isRequested, isNewPayee };
  const needed = [
    ...totals.map(({ currency, amount }) => neededApproval(policy, { ...asked, currency, amount, rail: null })),
    ...rails.map((rail) => neededApproval(policy, { ...asked, currency: '', amount: 0n, rail })),
  ].filter((one) => one !== null);
  if (needed.length === 0) return null;
  const reasons = [...new Set(needed.flatMap((one) => one.reasons))];
  return { reasons, required: needed.some(({ required }) => required === 2) ? 2 : 1 };
}
