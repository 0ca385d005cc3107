/**
 * Settling a payout by what its rail says. Answers may come twice, late, or contradict each other: the state decides
 * what they still mean, and what nobody can explain becomes an exception for a person.
 */
import type { Instant } from '../clock.ts';
import { newId, type Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command, Outcome, Touch } from '../ledger/command.ts';
import { Draft } from '../ledger/draft.ts';
import type { BookState } from '../ledger/state.ts';
import { keepWaiting } from './await-outcome.ts';
import { changed, type FailureCode, type Payout } from './payout.ts';
import { railAnswers } from './payout-children-tables.ts';
import { doubtTouches, isDoubted, mismatchTouches, raise, raiseMismatches } from './payout-exception.ts';
import { payouts } from './payout-table.ts';
import { payoutTouches } from './payout-touches.ts';
import { payoutView } from './payout-view.ts';
import { NO_MISMATCH, type RailMismatch } from './rail-mismatch.ts';
import { keepAnswer, type RailReport } from './rail-report.ts';
import { bookReturn } from './return-payout.ts';

interface SettleCommand {
  id: Uuid;
  payoutId: Uuid;
  requestId: Uuid;
  actor: string;
  report: RailReport;
}

export function settlePayout(bookId: BookId, payout: Payout, report: RailReport): Command<Payout> {
  const id = newId();
  const command: SettleCommand = {
    id,
    payoutId: payout.id,
    requestId: payout.requestId,
    actor: `rail:${payout.rail}`,
    report,
  };
  return {
    id: command.id,
    name: 'payout.settle',
    requestId: payout.requestId,
    actor: command.actor,
    touches: touchesOf(bookId, payout, { answerId: report.noticeId ?? id, report }),
    decide: (state, moment) => decideSettlement(state, command, moment),
  };
}

/** A `paid` that is about this payout touches no exception: what nearly every report is asks for nothing more. */
function touchesOf(
  bookId: BookId,
  payout: Payout,
  { answerId, report }: { answerId: Uuid; report: RailReport },
): Touch[] {
  const touches = payoutTouches(bookId, payout);
  touches.push({ table: railAnswers, ids: [answerId] });
  if (report.mismatches && report.mismatches.length > 0) touches.push(...mismatchTouches(payout, report.mismatches));
  else if (report.status !== 'paid') touches.push(...doubtTouches(payout));
  return touches;
}

export function decideSettlement(state: BookState, command: SettleCommand, moment: Instant): Outcome<Payout> {
  const draft = new Draft(state, command, moment);
  const { report } = command;
  const payout = draft.get(payouts, command.payoutId);
  if (!payout) throw new Error(`Payout ${command.payoutId} does not exist`);
  const answer = {
    id: report.noticeId ?? command.id,
    payoutId: payout.id,
    call: report.call,
    answer: report.raw,
    receivedAt: moment,
  };
  if (!keepAnswer(draft, answer)) return draft.finish(payout);
  return draft.finish(settle(draft, payout, report));
}

function settle(draft: Draft, payout: Payout, report: RailReport): Payout {
  const { mismatches = NO_MISMATCH } = report;
  if (mismatches.length > 0) return doubt(draft, payout, { nextInquiryMs: report.nextInquiryMs, mismatches });
  if (payout.status === 'processing') {
    // What a rail has said it paid, if otherwise than it should, it takes back by no other report: a person resolves it.
    if (report.status !== 'paid' && isDoubted(draft, payout))
      return keepWaiting(draft, payout, { outcome: 'unknown', nextInquiryMs: report.nextInquiryMs });
    if (report.status === 'paid') return markPaid(draft, payout, report);
    if (report.status === 'rejected') return markFailed(draft, payout, report);
    return keepWaiting(draft, payout, { outcome: null, nextInquiryMs: report.nextInquiryMs });
  }
  // An id that the rail does not know is no report about what has ended.
  if (report.idUnknown) return payout;
  if (payout.status === 'paid' && report.status === 'rejected') {
    raise(draft, payout, {
      kind: 'failed_after_paid',
      detail: 'The rail rejected a payout that it had confirmed. What had not come back was booked as a return.',
    });
    return bookReturn(draft, payout, {
      id: draft.mintId(),
      amount: payout.amount - payout.amountReturned,
      reason: report.railCode ?? null,
    });
  }
  if (payout.status === 'failed' && report.status === 'paid' && payout.sentAt !== null)
    return markPaidAfterFailed(draft, payout, report);
  if (
    (payout.status === 'pending' || payout.status === 'canceled' || payout.status === 'failed') &&
    report.status === 'paid'
  ) {
    raise(draft, payout, {
      kind: 'paid_never_sent',
      detail: `The rail says it paid a payout that was ${payout.status} and never sent to it. Nothing was booked.`,
    });
  }
  // The same report again, or a report that the state has left behind.
  return payout;
}

/** The rail's report is about another payment than ours: nothing is booked, a person is told once, and the rail is asked again. */
function doubt(
  draft: Draft,
  payout: Payout,
  report: { nextInquiryMs: number; mismatches: readonly RailMismatch[] },
): Payout {
  const doubted =
    payout.status === 'processing'
      ? keepWaiting(draft, payout, { outcome: 'unknown', nextInquiryMs: report.nextInquiryMs })
      : payout;
  raiseMismatches(draft, doubted, report.mismatches);
  return doubted;
}

/** processing → paid: the amount leaves transit, the fee leaves the customer. Within the book, a payee that cannot take it fails it. */
export function markPaid(
  draft: Draft,
  payout: Payout,
  report: { railCode?: string | undefined; railReference?: string | undefined },
): Payout {
  const transit = draft.chart('payouts_in_transit', payout.currency).id;
  const payee =
    payout.destination.type === 'account' ? payout.destination.accountId : draft.chart('pool', payout.currency).id;
  if (payout.destination.type === 'account' && draft.account(payee).status === 'closed')
    return markFailed(draft, payout, { failureCode: 'payee_account_closed' });
  draft.takeFromHold(payout.holdId, 'captured');
  const entry = draft.post({
    resource: 'payout',
    resourceId: payout.id,
    step: 'paid',
    allowFrozen: true,
    heldOn: payout.accountId,
    postings: [
      { debit: transit, credit: payee, amount: payout.amount },
      { debit: payout.accountId, credit: draft.chart('due_operator', payout.currency).id, amount: payout.fee },
    ],
  });
  const paid = changed(
    payout,
    {
      status: 'paid',
      outcome: null,
      nextInquiryAt: null,
      dueAt: null,
      railCode: report.railCode ?? payout.railCode,
      railReference: report.railReference ?? payout.railReference,
      entryIds: [...payout.entryIds, entry.id],
    },
    draft.moment,
  );
  draft.put(payouts, paid.id, paid);
  draft.emit({
    type: 'payout.paid',
    objectId: paid.id,
    objectSequence: paid.version,
    object: payoutView(paid, draft.livemode),
    previousAttributes: { status: payout.status },
    entries: [entry],
  });
  return paid;
}

/** pending or processing → failed: it certainly never left. What was in transit and what was held are the customer's again. */
export function markFailed(
  draft: Draft,
  payout: Payout,
  why: { failureCode?: FailureCode | undefined; railCode?: string | undefined; railReference?: string | undefined },
): Payout {
  const entries = [];
  if (payout.status === 'processing') {
    entries.push(
      draft.post({
        resource: 'payout',
        resourceId: payout.id,
        step: 'failed',
        allowClosed: true,
        postings: [
          {
            debit: draft.chart('payouts_in_transit', payout.currency).id,
            credit: payout.accountId,
            amount: payout.amount,
          },
        ],
      }),
    );
  }
  draft.takeFromHold(payout.holdId, 'released');
  const failed = changed(
    payout,
    {
      status: 'failed',
      outcome: null,
      nextInquiryAt: null,
      dueAt: null,
      failureCode: why.failureCode ?? 'refused_by_payee',
      railCode: why.railCode ?? null,
      railReference: why.railReference ?? payout.railReference,
      entryIds: [...payout.entryIds, ...entries.map((entry) => entry.id)],
    },
    draft.moment,
  );
  draft.put(payouts, failed.id, failed);
  draft.emit({
    type: 'payout.failed',
    objectId: failed.id,
    objectSequence: failed.version,
    object: payoutView(failed, draft.livemode),
    previousAttributes: { status: payout.status },
    entries,
  });
  return failed;
}

/** The money did leave after all: it leaves the customer too, below the floor if it must. The fee is not taken again. */
function markPaidAfterFailed(draft: Draft, payout: Payout, report: RailReport): Payout {
  const entry = draft.post({
    resource: 'payout',
    resourceId: payout.id,
    step: 'paid_after_failed',
    overrideFloor: true,
    allowClosed: true,
    postings: [{ debit: payout.accountId, credit: draft.chart('pool', payout.currency).id, amount: payout.amount }],
  });
  const paid = changed(
    payout,
    {
      status: 'paid',
      failureCode: null,
      railCode: report.railCode ?? null,
      railReference: report.railReference ?? payout.railReference,
      entryIds: [...payout.entryIds, entry.id],
    },
    draft.moment,
  );
  draft.put(payouts, paid.id, paid);
  draft.emit({
    type: 'payout.paid',
    objectId: paid.id,
    objectSequence: paid.version,
    object: payoutView(paid, draft.livemode),
    previousAttributes: { status: payout.status, failure: { code: payout.failureCode, rail_code: payout.railCode } },
    entries: [entry],
  });
  raise(draft, paid, {
    kind: 'paid_after_failed',
    detail:
      'The rail confirmed a payout that it had rejected. The amount was taken from the account, below its floor if need be.',
  });
  return paid;
}
