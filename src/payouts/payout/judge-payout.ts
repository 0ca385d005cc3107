/** People's actions on a payout that waits for approval: approve and reject. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import { type PersonsRequest, requirePerson } from '../../exceptions/handle-exception.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { hasNewerDestination, isDisabled, rememberApproved } from '../payees/pinned-payee.ts';
import { isComplete, type PayoutApproval, refuseApproval, refuseJudge, withApproval } from './approval.ts';
import { holdReleased, type ReleaseTerms } from './hold-released.ts';
import type { Payout } from './payout.ts';
import { payoutResource } from './payout-resource.ts';
import { markReleased, markScheduled, restate } from './payout-steps.ts';
import { payouts } from './payout-table.ts';
import { payoutTouches } from './payout-touches.ts';
import { type ReleaseRoute, type RouteReleaseRuntime, releaseRoute } from './route-release.ts';

export interface JudgePayout extends Change {
  readonly actor: string;
}

/**
 * The last approval that is needed releases the payout, or leaves it to its time. Without funds, beyond a limit or without a rail it
 * changes nothing.
 */
export function approvePayout(
  bookId: BookId,
  payout: Payout,
  input: JudgePayout,
  route: ReleaseRoute,
): Command<Stored | Refusal> {
  const touches = payoutTouches(bookId, payout);
  const request = { ...input, id: payout.id, action: 'approve', ifMatchParam: '/version', touches };
  return changeOf(payoutResource, request, (draft, current): Stored | Refusal => {
    const refusal = refuseApproval(current.approval!, input.actor) ?? refuseChangedPayee(draft, current);
    if (refusal) return refusal;
    const approved = approve(draft, current, { actor: input.actor, route });
    return 'refused' in approved ? approved : storedView(draft, payoutResource, approved);
  });
}

function approve(
  draft: Draft,
  payout: Payout,
  { actor, route }: { actor: string; route: ReleaseRoute },
): Payout | Refusal {
  const approval = withApproval(payout.approval!, { actor, at: draft.moment.book });
  if (!isComplete(approval)) return restate(draft, payout, { approval }, 'payout.updated');
  const released = releaseApproved(draft, payout, { approval, route });
  if (!('refused' in released)) rememberApproved(draft, payout.payee);
  return released;
}

function releaseApproved(
  draft: Draft,
  payout: Payout,
  { approval, route }: { approval: PayoutApproval; route: ReleaseRoute },
): Payout | Refusal {
  const { book: now } = draft.moment;
  const { scheduledFor } = payout;
  if (scheduledFor !== null && scheduledFor > now) return markScheduled(draft, payout, { approval, scheduledFor });
  const terms = termsOfRelease(draft, payout, route);
  if (terms.refused) return terms;
  const released = markReleased(draft, payout, { event: 'payout.approved', approval, terms });
  draft.enqueue({ pool: 'ledger', job: 'payout.reserve', id: payout.id });
  return released;
}

/** The payee is disabled, or has another destination than the one that the payout pinned: then nobody approves it any more. */
function refuseChangedPayee(draft: Draft, payout: Payout): Refusal | undefined {
  if (payout.payee === null) return undefined;
  const payee = publicId('payee', payout.payee.id);
  if (!hasNewerDestination(draft, payout.payee)) {
    if (!isDisabled(draft, payout.payee)) return undefined;
    return { refused: 'destination_invalid', detail: `${payee} is disabled. Enable it, or reject the payout.` };
  }
  return {
    refused: 'state_conflict',
    detail: `The destination of ${payee} was changed after the payout was made. Cancel the payout, and make another one.`,
    facts: { current_status: payout.status, allowed_actions: ['cancel', 'reject'] },
  };
}

/** What would make the payout fail at once is refused instead, and the approval can be given again. */
function termsOfRelease(draft: Draft, payout: Payout, route: ReleaseRoute): ReleaseTerms | Refusal {
  const account = draft.account(payout.accountId);
  if (account.status === 'frozen') return { refused: 'account_frozen', detail: 'The account that pays is frozen.' };
  if (account.status === 'closed') return { refused: 'account_closed', detail: 'The account that pays is closed.' };
  const { destination } = payout;
  if (destination.type === 'account' && draft.get(accounts, destination.accountId)?.status === 'closed')
    return { refused: 'account_closed', detail: 'The account that is to be paid is closed.' };
  const terms = holdReleased(draft, payout, route);
  if (terms.refused === undefined) return terms;
  const { refused, detail, facts } = terms;
  return { refused, detail, facts };
}

export function rejectPayout(
  bookId: BookId,
  payout: Payout,
  input: JudgePayout & { readonly reason: string },
): Command<Stored | Refusal> {
  const salt = newSalt();
  const touches = payoutTouches(bookId, payout);
  const request = { ...input, id: payout.id, action: 'reject', ifMatchParam: '/version', touches };
  return changeOf(payoutResource, request, (draft, current): Stored | Refusal => {
    const refusal = refuseJudge(current.approval!, input.actor);
    if (refusal) return refusal;
    const change = {
      status: 'rejected',
      reason: input.reason,
      textSalt: current.textSalt ?? salt,
      dueAt: null,
    } as const;
    return storedView(draft, payoutResource, restate(draft, current, change, 'payout.rejected'));
  });
}

export interface JudgeRequest extends Asked, Pick<PersonsRequest, 'ownerKind'> {
  readonly payoutId: Uuid;
  readonly ifMatch?: number;
  /** The version that the person has looked at. */
  readonly version: number;
}

type JudgeRuntime = OnceRuntime & { pool: Pool };
type ApproveRuntime = JudgeRuntime & RouteReleaseRuntime;

/** The payout is read for what of it never changes. Throws ApiError where a service asks, or where the request names two versions. */
async function judged({ pool }: JudgeRuntime, input: JudgeRequest): Promise<Payout> {
  const payout = await payouts.find(pool, input.bookId, input.payoutId);
  if (!payout) throw new ApiError('resource_not_found', { param: 'id' });
  requirePerson(input);
  const { ifMatch = input.version } = input;
  if (ifMatch !== input.version)
    throw new ApiError('version_mismatch', {
      param: '/version',
      detail: 'If-Match names another one.',
      facts: { version: payout.version },
    });
  return payout;
}

export const requestPayoutApproval: UseCase<ApproveRuntime, JudgeRequest> = {
  keyFirst: true,
  async prepare(runtime, input) {
    const payout = await judged(runtime, input);
    const by = { ...input, ifMatch: input.version };
    return { command: approvePayout(input.bookId, payout, by, releaseRoute(runtime)) };
  },
};

export const requestPayoutRejection: UseCase<JudgeRuntime, JudgeRequest & { readonly reason: string }> = {
  keyFirst: true,
  async prepare(runtime, input) {
    const payout = await judged(runtime, input);
    return { command: rejectPayout(input.bookId, payout, { ...input, ifMatch: input.version }) };
  },
};
