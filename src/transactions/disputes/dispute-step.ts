/** The steps of a dispute: what each books, and what it leaves of the dispute. */
import {
  type AccountFacts,
  type AccountFlag,
  type AccountStep,
  accountFlags,
  accountStep,
  movable,
} from '../booking/account-step.ts';
import { movement, type RolePosting, toCustomer } from '../booking/book-posting.ts';
import { type Cleared, creditedOf, type Dispute, maximumDisputed } from './dispute.ts';

/** A closed account was credited or debited. */
export const DISPUTE_ACCOUNT_CLOSED = 'dispute_account_closed';

/** `movable` may be moved to another account. */
export interface DisputeException {
  readonly kind: typeof DISPUTE_ACCOUNT_CLOSED;
  readonly movable: bigint;
}

export interface DisputeStep {
  readonly dispute: Dispute;
  /** One entry; none where it is empty. */
  readonly postings: readonly RolePosting[];
  readonly flags: readonly AccountFlag[];
  readonly exception: DisputeException | null;
  readonly account: AccountStep;
}

/** Opens a dispute: of the whole that can be disputed, where no amount is asked. Minor units. */
export function openDispute(
  { id, amount }: { id: string; amount: bigint | null },
  standing: Cleared,
  disputes: readonly Dispute[],
): Dispute | { readonly refused: 'amount_above_maximum'; readonly limit: bigint } {
  const limit = maximumDisputed(standing, disputes);
  const asked = amount ?? limit;
  if (asked <= 0n || asked > limit) return { refused: 'amount_above_maximum', limit };
  return { id, status: 'opened', amount: asked, credited: 0n };
}

/**
 * Credits the customer provisionally. What was refunded since the dispute was opened is not credited once more: a refund before this step
 * and one after it end alike.
 */
export function submitDispute(
  dispute: Dispute,
  { standing, disputes, account }: { standing: Cleared; disputes: readonly Dispute[]; account: AccountFacts },
): DisputeStep {
  const room = standing.cleared - standing.refunded - creditedOf(disputes);
  const most = room > 0n ? room : 0n;
  const credited = dispute.amount < most ? dispute.amount : most;
  const postings = movement('scheme_settlement', 'customer', credited);
  return booked({ ...dispute, status: 'submitted', credited }, postings, account);
}

/** The network's decision, or the cardholder's: a dispute that is not won gives back what is left of its credit. */
export function endDispute(
  dispute: Dispute,
  { status, account }: { status: 'won' | 'lost' | 'withdrawn'; account: AccountFacts },
): DisputeStep {
  if (status === 'won') return booked({ ...dispute, status }, [], account);
  const postings = movement('customer', 'scheme_settlement', dispute.credited);
  return booked({ ...dispute, status, credited: 0n }, postings, account);
}

function booked(dispute: Dispute, postings: readonly RolePosting[], before: AccountFacts): DisputeStep {
  const account = accountStep(before, { posted: toCustomer(postings), held: 0n, isPosted: postings.length > 0 });
  const isOfClosed = before.status === 'closed' && account.isPosted;
  return {
    dispute,
    postings,
    flags: accountFlags(account),
    exception: isOfClosed ? { kind: DISPUTE_ACCOUNT_CLOSED, movable: movable(account) } : null,
    account,
  };
}
