/**
 * Settling an operation by what its acquirer says. Answers may come twice, late, or contradict each other: the state decides what
 * they still mean, and what nobody can explain becomes an exception for a person.
 */

import type { ReleaseSchedule } from '../../calendar/release-schedule.ts';
import type { BookId } from '../../ledger/book.ts';
import type { Command, Outcome } from '../../ledger/command.ts';
import type { BookState } from '../../ledger/commit/state.ts';
import { Draft } from '../../ledger/draft.ts';
import type { Entry } from '../../ledger/entry.ts';
import { advance } from '../../ledger/rows/resource.ts';
import { evidenceTouch, keepEvidence } from '../../outside/evidence.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import {
  keepPaymentWaiting,
  markAuthorized,
  markCaptured,
  markChallenged,
  markDeclined,
  markExpired,
  markIncremented,
  markRequested,
  markUnchanged,
  markVoided,
} from '../actions/payment-steps.ts';
import { answeredTouches, keepAnswerWaiting, markAnswerRefused, markAnswerTaken } from '../disputes/dispute-steps.ts';
import type { AcquirerReport } from '../operations/acquirer-report.ts';
import { operationResources } from '../operations/operation-resources.ts';
import { exceptionTouches, isDoubted, raise } from '../operations/payment-exception.ts';
import { isDisputeCall, type PaymentOperation } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import { expectPayday, paydayTouches } from '../paydays/payday.ts';
import type { Payment } from '../payment/payment.ts';
import { payments } from '../payment/payment-table.ts';
import { operationTouches } from '../readers/payment-touches.ts';
import { failRefund, failRefundLate, refundTouches, succeedRefund } from '../refunds/refund-steps.ts';
import { requireDay, shareTouches } from '../shares/earn-share.ts';

export interface SettleInput {
  readonly payment: Payment;
  readonly operation: PaymentOperation;
  readonly report: AcquirerReport;
  readonly release: ReleaseSchedule;
  /** Of a refund: the shares that its money may go back to (readMovedShares). */
  readonly movedShares?: readonly Uuid[];
  /** Of the book: which shares may be needed. */
  readonly today: { readonly now: number; readonly timeZone: string };
}

/** What the column holds. */
const INQUIRIES_COUNTED = 32_767;

export function settleOperation(bookId: BookId, input: SettleInput): Command<PaymentOperation> {
  const { payment, operation, report } = input;
  const id = newId();
  const evidenceId = report.noticeId ?? id;
  const origin = { id, requestId: operation.requestId, actor: `acquirer:${operation.acquirer}` };
  return {
    ...origin,
    name: 'operation.settle',
    touches: [
      ...operationTouches(bookId, payment, [operation]),
      ...(operation.kind === 'refund'
        ? refundTouches(operation, input.movedShares ?? [])
        : shareTouches(bookId, payment, input.release, input.today)),
      ...paydayTouches(bookId, input.today),
      ...answeredTouches(operation),
      ...exceptionTouches(operation),
      evidenceTouch(evidenceId),
    ],
    decide: (state, moment) => decideSettlement(state, { origin, evidenceId, input }, moment),
  };
}

function decideSettlement(
  state: BookState,
  {
    origin,
    evidenceId,
    input,
  }: { origin: { id: Uuid; requestId: Uuid; actor: string }; evidenceId: Uuid; input: SettleInput },
  moment: Moment,
): Outcome<PaymentOperation> {
  const draft = new Draft(state, origin, moment);
  const { report } = input;
  requireDay(draft, input.today);
  const operation = draft.get(paymentOperations, input.operation.id);
  const payment = draft.get(payments, input.payment.id);
  if (!operation || !payment) throw new Error(`Operation ${input.operation.id} does not exist`);
  if (report.isLate && operation.status === 'pending') return draft.finish(operation);
  const said = { id: evidenceId, resource: 'payment' as const, resourceId: payment.id };
  if (!keepEvidence(draft, { ...said, call: report.call, answer: report.raw })) return draft.finish(operation);
  return draft.finish(settle(draft, { ...input, payment, operation }));
}

type Settling = Pick<SettleInput, 'payment' | 'operation' | 'report' | 'release'>;

function settle(draft: Draft, settling: Settling): PaymentOperation {
  const { operation, report } = settling;
  for (const { kind, detail } of report.mismatches) raise(draft, operation, { kind, detail });
  if (operation.status === 'succeeded' || operation.status === 'failed') return contradict(draft, settling);
  if (report.mismatches.length > 0 || report.status === 'unknown') return keepWaiting(draft, settling, 'unknown');
  switch (report.status) {
    case 'succeeded':
      return succeed(draft, settling);
    case 'declined':
    case 'canceled':
      // What an acquirer has said it did, if otherwise than it should, it takes back by no other report: a person resolves it.
      return isDoubted(draft, operation) ? keepWaiting(draft, settling, 'unknown') : fail(draft, settling);
    case 'requires_action':
      return challenge(draft, settling);
    case 'pending':
      return keepWaiting(draft, settling, null);
  }
}

function succeed(draft: Draft, { payment, operation, report, release }: Settling): PaymentOperation {
  switch (operation.kind) {
    case 'authorize':
      markAuthorized(draft, payment, { operation, report, release });
      return end(draft, operation, { status: 'succeeded', report });
    case 'capture': {
      const { change, entry } = markCaptured(draft, payment, { operation, release });
      return end(draft, operation, { status: 'succeeded', report, change, entries: [entry] });
    }
    case 'void':
      markVoided(draft, payment);
      return end(draft, operation, { status: 'succeeded', report });
    case 'increment':
      markIncremented(draft, payment, operation);
      return end(draft, operation, { status: 'succeeded', report });
    case 'refund': {
      const entries = succeedRefund(draft, payment, operation);
      return end(draft, operation, { status: 'succeeded', report, event: 'refund.succeeded', entries });
    }
    case 'evidence':
    case 'accept_dispute':
      markAnswerTaken(draft, operation);
      return end(draft, operation, { status: 'succeeded', report });
  }
}

function fail(draft: Draft, { payment, operation, report }: Settling): PaymentOperation {
  if (operation.kind === 'refund') {
    const { entries, change } = failRefund(draft, payment, operation);
    return end(draft, operation, { status: 'failed', report, event: 'refund.failed', entries, change });
  }
  if (isDisputeCall(operation.kind)) markAnswerRefused(draft, operation, report.code ?? 'processing_error');
  else if (operation.kind !== 'authorize') markUnchanged(draft, payment);
  else if (report.status === 'canceled' && report.isExpiry && payment.sourceType === 'cliq_request')
    markExpired(draft, payment);
  else if (report.status === 'canceled') markVoided(draft, payment);
  else
    markDeclined(draft, payment, { code: report.code ?? 'generic_decline', networkCode: report.networkCode ?? null });
  return end(draft, operation, { status: 'failed', report });
}

function challenge(draft: Draft, settling: Settling): PaymentOperation {
  const { payment, operation, report } = settling;
  const { challenge: given } = report;
  const isRequest = payment.sourceType === 'cliq_request';
  if (operation.kind !== 'authorize' || (given === undefined && !isRequest)) return keepWaiting(draft, settling, null);
  if (operation.status === 'requires_action') return keepChallenged(draft, settling);
  if (given === undefined) markRequested(draft, payment);
  else markChallenged(draft, payment, given);
  // The acquirer tells what becomes of it; asked when nobody can pass or approve it any more.
  const until = given?.expiresAt ?? draft.moment.wall + (payment.expiresAt! - draft.moment.book);
  return advance(draft, operationResources.authorize, operation, {
    status: 'requires_action',
    acquirerReference: report.reference ?? operation.acquirerReference,
    payerUntil: given ? until : (operation.payerUntil ?? until),
    dueAt: until,
    nextInquiryAt: until,
  });
}

/** Asked before the challenge is over, by a repeated job: the payer keeps the whole time for it. */
function keepChallenged(draft: Draft, settling: Settling): PaymentOperation {
  const { operation } = settling;
  const { payerUntil: over, withdrawn } = operation;
  if (over === null || over <= draft.moment.wall || withdrawn) return keepWaiting(draft, settling, null);
  return advance(draft, operationResources.authorize, operation, { dueAt: over, nextInquiryAt: over });
}

/** Nothing is decided yet: remembers when to ask again. */
function keepWaiting(
  draft: Draft,
  { payment, operation, report }: Settling,
  outcome: 'unknown' | null,
): PaymentOperation {
  const { wall } = draft.moment;
  const later = wall + report.nextInquiryMs;
  // No later than when the payer's time is over: then it is taken back.
  const at =
    operation.payerUntil !== null && operation.payerUntil > wall ? Math.min(later, operation.payerUntil) : later;
  if (payment.pendingOperation === operation.id) keepPaymentWaiting(draft, payment, { outcome, nextInquiryAt: at });
  if (isDisputeCall(operation.kind)) keepAnswerWaiting(draft, operation, { outcome, nextInquiryAt: at });
  return advance(draft, operationResources[operation.kind], operation, {
    outcome,
    inquiries: Math.min(operation.inquiries + 1, INQUIRIES_COUNTED),
    nextInquiryAt: at,
    dueAt: at,
  });
}

/** A report about what has ended: the same again means nothing, another one is for a person, a refund that fails late is booked. */
function contradict(draft: Draft, settling: Settling): PaymentOperation {
  const { payment, operation, report } = settling;
  if (report.status === 'canceled' && operation.status === 'succeeded') return takeCanceled(draft, settling);
  const says = report.status === 'succeeded' ? 'succeeded' : report.status === 'declined' ? 'failed' : undefined;
  if (says === undefined || says === operation.status || report.mismatches.length > 0) return operation;
  if (operation.kind === 'refund' && says === 'failed') {
    const { entries, change } = failRefundLate(draft, payment, operation);
    return end(draft, operation, { status: 'failed', report, event: 'refund.failed', entries, change });
  }
  raise(draft, operation, {
    kind: says === 'succeeded' ? 'succeeded_after_failed' : 'failed_after_succeeded',
    detail: `The acquirer says that the ${operation.kind} ${operation.reference} ${says}, after it ${operation.status}. Nothing was booked.`,
  });
  return operation;
}

/**
 * The acquirer has canceled an authorization that had succeeded: the payer passed the challenge while it was ended for being late.
 * Nothing is held for it any more.
 */
function takeCanceled(draft: Draft, { payment, operation }: Settling): PaymentOperation {
  if (payment.status === 'canceled' || payment.status === 'expired') return operation;
  if (operation.kind === 'authorize' && payment.status === 'authorized' && payment.pendingOperation === null) {
    markVoided(draft, payment);
    return operation;
  }
  raise(draft, operation, {
    kind: 'failed_after_succeeded',
    detail: `The acquirer says that the ${operation.kind} ${operation.reference} is canceled, after it succeeded. Nothing was booked.`,
  });
  return operation;
}

function end(
  draft: Draft,
  operation: PaymentOperation,
  {
    status,
    report,
    event,
    entries,
    change,
  }: {
    status: 'succeeded' | 'failed';
    report: AcquirerReport;
    event?: string;
    entries?: readonly Entry[];
    change?: Partial<PaymentOperation>;
  },
): PaymentOperation {
  if (operation.kind === 'refund' || (status === 'succeeded' && (operation.kind === 'capture' || operation.final)))
    expectPayday(draft);
  return advance(
    draft,
    operationResources[operation.kind],
    operation,
    {
      status,
      outcome: null,
      nextInquiryAt: null,
      dueAt: null,
      failureCode: status === 'failed' ? (report.code ?? 'generic_decline') : null,
      networkCode: report.networkCode ?? operation.networkCode,
      acquirerReference: report.reference || operation.acquirerReference,
      ...change,
    },
    { event, entries },
  );
}
