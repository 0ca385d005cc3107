/**
 * Applies an acquirer's report of an operation. Reports may come twice, late, or contradict each other: the state
 * decides what a report still changes, and a contradiction becomes an exception for a person. Each kind of operation
 * has an OperationOutcome beside its noun.
 */
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Outcome } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { BookState } from '../../ledger/command/state.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { evidenceTouch, keepEvidence } from '../../outside/evidence/evidence.ts';
import { oneMoreInquiry } from '../../outside/instructions/inquiry.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { captureOutcome, incrementOutcome, voidOutcome } from '../actions/action-outcomes.ts';
import { authorizeOutcome } from '../actions/authorize-outcome.ts';
import { keepPaymentWaiting } from '../actions/payment-steps.ts';
import { answerOutcome } from '../disputes/answer-outcome.ts';
import type { OperationEnd, OperationOutcome, OutcomeRuntime, Reported } from '../operations/operation-outcome.ts';
import { operationResources } from '../operations/operation-resources.ts';
import { exceptionTouches, isMismatched, raise } from '../operations/payment-exception.ts';
import type { OperationKind, PaymentOperation } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import { payments } from '../payment/payment-table.ts';
import { paymentTouches } from '../readers/payment-touches.ts';
import { type RefundTerms, refundOutcome } from '../refunds/refund-outcome.ts';
import { type ReleaseTerms, requireDay } from '../shares/earn-share.ts';

/** What applying a report needs beside the operation and its payment. Null: a report of this kind moves no money. */
export type ReportTerms = ReleaseTerms | RefundTerms | null;

const OUTCOMES: Readonly<Record<OperationKind, OperationOutcome<ReportTerms>>> = {
  authorize: authorizeOutcome,
  increment: incrementOutcome,
  capture: captureOutcome,
  void: voidOutcome,
  refund: refundOutcome,
  evidence: answerOutcome,
  accept_dispute: answerOutcome,
};

/** The command that applies a report, with what its kind of operation needs of the book. */
export async function reportCommand(
  runtime: OutcomeRuntime,
  bookId: BookId,
  about: Omit<Reported<ReportTerms>, 'read'>,
): Promise<Command<PaymentOperation>> {
  const { operation } = about;
  const read = (await OUTCOMES[operation.kind].read?.(runtime, bookId, operation)) ?? null;
  return applyAcquirerReport(bookId, { ...about, read });
}

export function applyAcquirerReport(bookId: BookId, reported: Reported<ReportTerms>): Command<PaymentOperation> {
  const { payment, operation, report } = reported;
  const id = newId();
  const evidenceId = report.noticeId ?? id;
  const origin = { id, requestId: operation.requestId, actor: `acquirer:${operation.acquirer}` };
  return {
    ...origin,
    name: 'operation.settle',
    touches: [
      ...paymentTouches(payment, [operation]),
      ...OUTCOMES[operation.kind].touches(bookId, reported),
      ...exceptionTouches(operation),
      evidenceTouch(evidenceId),
    ],
    decide: (state, moment) => decide(state, { origin, evidenceId, reported }, moment),
  };
}

function decide(
  state: BookState,
  {
    origin,
    evidenceId,
    reported,
  }: {
    origin: { id: Uuid; requestId: Uuid; actor: string };
    evidenceId: Uuid;
    reported: Reported<ReportTerms>;
  },
  moment: Moment,
): Outcome<PaymentOperation> {
  const draft = new Draft(state, origin, moment);
  const { report, read } = reported;
  if (read !== null) requireDay(draft, read.today);
  const operation = draft.get(paymentOperations, reported.operation.id);
  const payment = draft.get(payments, reported.payment.id);
  if (!operation || !payment) throw new Error(`Operation ${reported.operation.id} does not exist`);
  if (report.isLate && operation.status === 'pending') return draft.finish(operation);
  const of = { id: evidenceId, resource: 'payment' as const, resourceId: payment.id };
  if (!keepEvidence(draft, { ...of, call: report.call, answer: report.raw })) return draft.finish(operation);
  return draft.finish(apply(draft, { ...reported, payment, operation }));
}

function apply(draft: Draft, reported: Reported<ReportTerms>): PaymentOperation {
  const { operation, report } = reported;
  const kind = OUTCOMES[operation.kind];
  for (const mismatch of report.mismatches) raise(draft, operation, mismatch);
  if (operation.status === 'succeeded' || operation.status === 'failed') return contradict(draft, reported);
  if (report.mismatches.length > 0 || report.status === 'unknown') return keepWaiting(draft, reported, 'unknown');
  switch (report.status) {
    case 'succeeded':
      return end(draft, reported, { status: 'succeeded', ...kind.succeed(draft, reported) });
    case 'declined':
    case 'canceled':
      // A success with another amount or currency is not undone by a later report: a person resolves it.
      if (isMismatched(draft, operation)) return keepWaiting(draft, reported, 'unknown');
      return end(draft, reported, { status: 'failed', ...kind.fail(draft, reported) });
    case 'requires_action':
      return kind.challenge?.(draft, reported) ?? keepWaiting(draft, reported, null);
    case 'pending':
      return keepWaiting(draft, reported, null);
  }
}

/** Nothing is decided yet: remembers when to ask again. */
function keepWaiting(
  draft: Draft,
  { payment, operation, report }: Reported<ReportTerms>,
  outcome: 'unknown' | null,
): PaymentOperation {
  const { wall } = draft.moment;
  const later = wall + report.nextInquiryMs;
  // No later than the end of the payer's time: then it is withdrawn.
  const at =
    operation.payerUntil !== null && operation.payerUntil > wall ? Math.min(later, operation.payerUntil) : later;
  const waiting = { outcome, nextInquiryAt: at };
  if (payment.pendingOperation === operation.id) keepPaymentWaiting(draft, payment, waiting);
  OUTCOMES[operation.kind].wait?.(draft, operation, waiting);
  return advance(draft, operationResources[operation.kind], operation, {
    ...waiting,
    inquiries: oneMoreInquiry(operation),
    dueAt: at,
  });
}

/**
 * A report of an operation that has ended: an equal one changes nothing, another one is for its kind or for a person.
 */
function contradict(draft: Draft, reported: Reported<ReportTerms>): PaymentOperation {
  const { operation, report } = reported;
  if (report.status === 'canceled' && operation.status === 'succeeded') return cancelLate(draft, reported);
  const reportedStatus =
    report.status === 'succeeded' ? 'succeeded' : report.status === 'declined' ? 'failed' : undefined;
  if (reportedStatus === undefined || reportedStatus === operation.status || report.mismatches.length > 0)
    return operation;
  const kind = OUTCOMES[operation.kind];
  if (reportedStatus === 'failed' && kind.failLate)
    return end(draft, reported, { status: 'failed', ...kind.failLate(draft, reported) });
  raise(draft, operation, {
    kind: reportedStatus === 'succeeded' ? 'succeeded_after_failed' : 'failed_after_succeeded',
    detail: `The acquirer says that the ${operation.kind} ${operation.reference} ${reportedStatus}, after it ${operation.status}. Nothing was booked.`,
  });
  return operation;
}

/** Nothing of a payment that is canceled or expired is left to cancel. */
function cancelLate(draft: Draft, reported: Reported<ReportTerms>): PaymentOperation {
  const { payment, operation } = reported;
  if (payment.status === 'canceled' || payment.status === 'expired') return operation;
  if (OUTCOMES[operation.kind].cancelLate?.(draft, reported)) return operation;
  raise(draft, operation, {
    kind: 'failed_after_succeeded',
    detail: `The acquirer says that the ${operation.kind} ${operation.reference} is canceled, after it succeeded. Nothing was booked.`,
  });
  return operation;
}

function end(
  draft: Draft,
  { operation, report }: Reported<ReportTerms>,
  { status, change, event, entries }: OperationEnd & { readonly status: 'succeeded' | 'failed' },
): PaymentOperation {
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
