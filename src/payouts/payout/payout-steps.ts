/**
 * The steps of a payout: what each changes, what it books, and what it announces. Who takes them decides whether
 * (reserve-payout.ts, apply-rail-report.ts, return-payout.ts, resolve-payout.ts).
 */
import { expectArrival } from '../../accounts/account/tell-arrival.ts';
import { waitInClosed } from '../../exceptions/wait-in-closed.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { advance, shownBy } from '../../ledger/resources/resource.ts';
import { SENT_WITHIN_MS } from '../../outside/instructions/inquiry.ts';
import type { Instant } from '../../values/clock.ts';
import { countAgain, giveBackCount } from '../limits/count-payout.ts';
import { disableAfter } from '../payees/disable-payee.ts';
import type { PayoutApproval } from './approval.ts';
import type { ReleaseTerms } from './hold-released.ts';
import type { FailureCode, Payout } from './payout.ts';
import { raise } from './payout-exception.ts';
import { payoutResource } from './payout-resource.ts';
import { dueInWallTime } from './schedule.ts';

/** Beyond the longest call of a rail (its time limit, and as much again for the commit behind it). */
const DUE_AFTER_CALL_MS = 30_000;

/** Code and reference of the rail's report. */
interface RailWords {
  readonly railCode?: string | undefined;
  readonly railReference?: string | undefined;
}

/** A step that changes members which other events take from the one before: its event has them all. */
export function restate(draft: Draft, payout: Payout, change: Partial<Payout>, event: string): Payout {
  const before = shownBy(draft, payoutResource, payout);
  return advance(draft, payoutResource, payout, change, { event, before, restates: true });
}

/**
 * One of sixteen payouts that leave what is under way asks for the next ones of its batch. The batch is due as well: the others need not
 * ask.
 */
function askForNext(draft: Draft, { id, batchId }: Payout): void {
  if (batchId !== null && id.endsWith('0')) draft.enqueue({ pool: 'ledger', job: 'payout_batch.make', id: batchId });
}

/** requires_approval or scheduled → pending: its hold has been placed in the same decision (hold-released.ts). */
export function markReleased(
  draft: Draft,
  payout: Payout,
  {
    event,
    terms: { rail, expectedArrival, countedOn },
    approval = payout.approval,
  }: { event: string; terms: ReleaseTerms; approval?: PayoutApproval | null },
): Payout {
  const dueAt = draft.moment.wall + SENT_WITHIN_MS;
  const released = { rail, expectedArrival, countedOn, approval, dueAt };
  return restate(draft, payout, { ...released, status: 'pending', unheld: false }, event);
}

/** requires_approval → scheduled: it is approved and waits for its time. */
export function markScheduled(
  draft: Draft,
  payout: Payout,
  { approval, scheduledFor }: { approval: PayoutApproval; scheduledFor: Instant },
): Payout {
  const dueAt = dueInWallTime(scheduledFor, draft.moment);
  return restate(draft, payout, { status: 'scheduled', approval, dueAt }, 'payout.approved');
}

/** pending → processing: the amount leaves the customer for transit. The fee stays held. */
export function markProcessing(draft: Draft, payout: Payout): Payout {
  const transit = draft.chart('payouts_in_transit', payout.currency).id;
  draft.takeFromHold(payout.holdId, 'captured', payout.amount);
  const entry = draft.post({
    resource: 'payout',
    resourceId: payout.id,
    step: 'reserved',
    heldOn: payout.accountId,
    postings: [{ debit: payout.accountId, credit: transit, amount: payout.amount }],
  });
  return advance(
    draft,
    payoutResource,
    payout,
    { status: 'processing', sentAt: draft.moment.wall, dueAt: draft.moment.wall + DUE_AFTER_CALL_MS },
    { event: 'payout.processing', entries: [entry] },
  );
}

/** processing → paid: the amount leaves transit, the fee leaves the customer. Within the book, a payee that cannot take it fails it. */
export function markPaid(draft: Draft, payout: Payout, { railCode, railReference }: RailWords): Payout {
  const { destination, currency } = payout;
  const payee = destination.type === 'account' ? destination.accountId : draft.chart('pool', currency).id;
  if (destination.type === 'account' && draft.account(payee).status === 'closed')
    return markFailed(draft, payout, { failureCode: 'payee_account_closed' });
  draft.takeFromHold(payout.holdId, 'captured');
  const announceArrival = destination.type === 'account' ? expectArrival(draft, payee) : undefined;
  const entry = draft.post({
    resource: 'payout',
    resourceId: payout.id,
    step: 'paid',
    allowFrozen: true,
    heldOn: payout.accountId,
    postings: [
      { debit: draft.chart('payouts_in_transit', currency).id, credit: payee, amount: payout.amount },
      { debit: payout.accountId, credit: draft.chart('due_operator', currency).id, amount: payout.fee },
    ],
  });
  const paid = advance(
    draft,
    payoutResource,
    payout,
    {
      status: 'paid',
      outcome: null,
      nextInquiryAt: null,
      dueAt: null,
      railCode: railCode ?? payout.railCode,
      railReference: railReference ?? payout.railReference,
    },
    { event: 'payout.paid', entries: [entry] },
  );
  announceArrival?.(entry);
  askForNext(draft, paid);
  return paid;
}

/**
 * scheduled, pending or processing → failed: it certainly never left. What was in transit and what was held are the customer's again.
 */
export function markFailed(
  draft: Draft,
  payout: Payout,
  { failureCode, railCode, railReference }: RailWords & { readonly failureCode?: FailureCode | undefined },
): Payout {
  const entries = payout.status === 'processing' ? [giveBackFromTransit(draft, payout)] : [];
  giveBackCount(draft, payout);
  releaseHold(draft, payout);
  const failed = advance(
    draft,
    payoutResource,
    payout,
    {
      status: 'failed',
      outcome: null,
      nextInquiryAt: null,
      dueAt: null,
      failureCode: failureCode ?? 'refused_by_payee',
      railCode: railCode ?? null,
      railReference: railReference ?? payout.railReference,
    },
    { event: 'payout.failed', entries },
  );
  askForNext(draft, failed);
  disableAfter(draft, failed.payee, { failureCode: failed.failureCode!, reason: 'failed' });
  return failed;
}

function giveBackFromTransit(draft: Draft, payout: Payout) {
  const transit = draft.chart('payouts_in_transit', payout.currency).id;
  return draft.post({
    resource: 'payout',
    resourceId: payout.id,
    step: 'failed',
    creditClosed: returnToClosed(draft, payout),
    postings: [{ debit: transit, credit: payout.accountId, amount: payout.amount }],
  });
}

function releaseHold(draft: Draft, { unheld, holdId }: Payout): void {
  if (!unheld) draft.takeFromHold(holdId, 'released');
}

/** requires_approval, scheduled or pending → canceled: gives back what is held. */
export function markCanceled(draft: Draft, payout: Payout): Payout {
  giveBackCount(draft, payout);
  releaseHold(draft, payout);
  return advance(draft, payoutResource, payout, { status: 'canceled', dueAt: null }, { event: 'payout.canceled' });
}

/** failed → paid: the money did leave after all. It leaves the customer too, below the floor if it must. The fee is not taken again. */
export function markPaidAfterFailed(draft: Draft, payout: Payout, { railCode, railReference }: RailWords): Payout {
  countAgain(draft, payout);
  const entry = draft.post({
    resource: 'payout',
    resourceId: payout.id,
    step: 'paid_after_failed',
    overrideFloor: true,
    debitClosed: true,
    postings: [{ debit: payout.accountId, credit: draft.chart('pool', payout.currency).id, amount: payout.amount }],
  });
  const paid = advance(
    draft,
    payoutResource,
    payout,
    {
      status: 'paid',
      failureCode: null,
      railCode: railCode ?? null,
      railReference: railReference ?? payout.railReference,
    },
    {
      event: 'payout.paid',
      entries: [entry],
    },
  );
  raise(draft, paid, {
    kind: 'paid_after_failed',
    detail:
      'The rail confirmed a payout that it had rejected. The amount was taken from the account, below its floor if need be.',
  });
  return paid;
}

/** The permission to give back to a closed account: what is left there waits for a person. */
export function returnToClosed(draft: Draft, { id: resourceId }: Payout) {
  return waitInClosed(draft, {
    kind: 'return_to_closed_account',
    resource: 'payout',
    resourceId,
    detail: 'Money came back to an account that is closed. It was booked there and waits for a person.',
  });
}
