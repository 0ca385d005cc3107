/**
 * Applies what a rail reports of a payout. Reports may come twice, late, or contradict each other: the state decides what
 * they still mean, and what nobody can explain becomes an exception for a person.
 */

import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Outcome, Touch } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { BookState } from '../../ledger/command/state.ts';
import { evidenceTouch } from '../../outside/evidence/evidence.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { behindOthers, type Payout } from '../payout/payout.ts';
import {
  isMismatchOpen,
  mismatchTouches,
  openMismatchTouches,
  raise,
  raiseMismatches,
  raiseWarning,
  warningTouches,
} from '../payout/payout-exception.ts';
import { markFailed, markPaid, markPaidAfterFailed } from '../payout/payout-steps.ts';
import { payouts } from '../payout/payout-table.ts';
import { payoutTouches, returnTouches } from '../payout/payout-touches.ts';
import { NO_MISMATCH, type RailMismatch } from '../payout/rail-mismatch.ts';
import { keepAnswer, type RailReport } from '../payout/rail-report.ts';
import { bookReturn } from '../returns/return-steps.ts';
import { takenBackId } from '../returns/taken-back.ts';
import { keepWaiting } from './await-outcome.ts';

interface ApplyCommand {
  id: Uuid;
  payoutId: Uuid;
  requestId: Uuid;
  actor: string;
  report: RailReport;
}

export function applyRailReport(bookId: BookId, payout: Payout, report: RailReport): Command<Payout> {
  const id = newId();
  const command: ApplyCommand = {
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
    ...behindOthers(payout),
    decide: (state, moment) => decide(state, command, moment),
  };
}

/** A `paid` that is about this payout touches no exception and is no return: what nearly every report is asks for nothing more. */
function touchesOf(
  bookId: BookId,
  payout: Payout,
  { answerId, report }: { answerId: Uuid; report: RailReport },
): Touch[] {
  const touches = payoutTouches(bookId, payout);
  touches.push(evidenceTouch(answerId));
  if (report.warning !== undefined) touches.push(...warningTouches(payout, report.warning));
  if (report.mismatches && report.mismatches.length > 0) touches.push(...mismatchTouches(payout, report.mismatches));
  else if (report.status !== 'paid') touches.push(...openMismatchTouches(payout), ...returnTouches(payout));
  return touches;
}

function decide(state: BookState, command: ApplyCommand, moment: Moment): Outcome<Payout> {
  const draft = new Draft(state, command, moment);
  const { report } = command;
  const payout = draft.get(payouts, command.payoutId);
  if (!payout) throw new Error(`Payout ${command.payoutId} does not exist`);
  const answer = { id: report.noticeId ?? command.id, call: report.call, raw: report.raw };
  if (!keepAnswer(draft, payout, answer)) return draft.finish(payout);
  return draft.finish(apply(draft, payout, report));
}

function apply(draft: Draft, payout: Payout, report: RailReport): Payout {
  const { mismatches = NO_MISMATCH } = report;
  if (mismatches.length > 0) return raiseMismatched(draft, payout, { nextInquiryMs: report.nextInquiryMs, mismatches });
  if (payout.status === 'processing') return applyToProcessing(draft, payout, report);
  // An id that the rail does not know is no report about a payout that has ended.
  if (report.idUnknown) return payout;
  if (payout.status === 'paid' && report.status === 'rejected') return takeBack(draft, payout, report);
  // The same report again, or one that the state has left behind.
  if (report.status !== 'paid' || payout.status === 'paid' || payout.status === 'returned') return payout;
  if (payout.status === 'failed' && payout.sentAt !== null) return markPaidAfterFailed(draft, payout, report);
  raise(draft, payout, {
    kind: 'paid_never_sent',
    detail: `The rail says it paid a payout that was ${payout.status} and never sent to it. Nothing was booked.`,
  });
  return payout;
}

function applyToProcessing(draft: Draft, payout: Payout, report: RailReport): Payout {
  const { nextInquiryMs } = report;
  if (report.status === 'paid') return markPaid(draft, payout, report);
  // A rail that reported a payment with a mismatch cannot withdraw it by another report: a person resolves it.
  if (isMismatchOpen(draft, payout)) return keepWaiting(draft, payout, { outcome: 'unknown', nextInquiryMs });
  if (report.status === 'rejected') return markFailed(draft, payout, report);
  if (report.warning === undefined) return keepWaiting(draft, payout, { outcome: null, nextInquiryMs });
  const waiting = keepWaiting(draft, payout, { outcome: 'unknown', nextInquiryMs });
  raiseWarning(draft, waiting, report.warning);
  return waiting;
}

/** The rail rejects what it had confirmed: the amount that was not returned yet is returned now. */
function takeBack(draft: Draft, payout: Payout, report: RailReport): Payout {
  raise(draft, payout, {
    kind: 'failed_after_paid',
    detail: 'The rail rejected a payout that it had confirmed. What had not come back was booked as a return.',
  });
  return bookReturn(draft, payout, {
    id: takenBackId(payout),
    amount: payout.amount - payout.amountReturned,
    reason: report.railCode ?? null,
  });
}

/**
 * The rail's report is about another payment than ours: nothing is booked, one exception is opened, and the rail is
 * asked again.
 */
function raiseMismatched(
  draft: Draft,
  payout: Payout,
  report: { nextInquiryMs: number; mismatches: readonly RailMismatch[] },
): Payout {
  const reported =
    payout.status === 'processing'
      ? keepWaiting(draft, payout, { outcome: 'unknown', nextInquiryMs: report.nextInquiryMs })
      : payout;
  raiseMismatches(draft, reported, report.mismatches);
  return reported;
}
