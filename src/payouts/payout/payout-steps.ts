/**
 * The steps of a payout: what each changes, what it books, and what it announces. Who takes them decides whether
 * (reserve-payout.ts, settle-payout.ts, return-payout.ts, resolve-payout.ts).
 */
import { expectArrival } from '../../accounts/tell-arrival.ts';
import { waitInClosed } from '../../exceptions/wait-in-closed.ts';
import type { Draft } from '../../ledger/draft.ts';
import { advance } from '../../ledger/rows/resource.ts';
import type { FailureCode, Payout } from './payout.ts';
import { raise } from './payout-exception.ts';
import { payoutResource } from './payout-resource.ts';

/** Beyond the longest call of a rail (its time limit, and as much again for the commit behind it). */
const DUE_AFTER_CALL_MS = 30_000;

/** What the rail said beside its verdict. */
interface RailWords {
  readonly railCode?: string | undefined;
  readonly railReference?: string | undefined;
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
  const tellArrival = destination.type === 'account' ? expectArrival(draft, payee) : undefined;
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
  tellArrival?.(entry);
  return paid;
}

/** pending or processing → failed: it certainly never left. What was in transit and what was held are the customer's again. */
export function markFailed(
  draft: Draft,
  payout: Payout,
  { failureCode, railCode, railReference }: RailWords & { readonly failureCode?: FailureCode | undefined },
): Payout {
  const entries = payout.status === 'processing' ? [giveBackFromTransit(draft, payout)] : [];
  draft.takeFromHold(payout.holdId, 'released');
  return advance(
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

/** pending → canceled: gives back what is held. */
export function markCanceled(draft: Draft, payout: Payout): Payout {
  draft.takeFromHold(payout.holdId, 'released');
  return advance(draft, payoutResource, payout, { status: 'canceled', dueAt: null }, { event: 'payout.canceled' });
}

/** failed → paid: the money did leave after all. It leaves the customer too, below the floor if it must. The fee is not taken again. */
export function markPaidAfterFailed(draft: Draft, payout: Payout, { railCode, railReference }: RailWords): Payout {
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
