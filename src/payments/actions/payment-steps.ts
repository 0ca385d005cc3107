/**
 * The steps of a payment: what each changes, what it books, and what it announces. Their callers decide which one is
 * taken (authorize-outcome.ts, action-outcomes.ts, expire-payments.ts).
 */
import type { DeclineCode } from '../../acquirers/decline-codes.ts';
import type { ReleaseSchedule } from '../../calendar/release-schedule.ts';
import { scheduleText } from '../../calendar/schedule-text.ts';
import { feeOf } from '../../fees/fee-schedule.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { AcquirerReport } from '../operations/acquirer-report.ts';
import { captureResource } from '../operations/operation-resources.ts';
import { captureReference, type PaymentOperation } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import { offersAnother, type Payment, scheduleOf } from '../payment/payment.ts';
import { paymentResource } from '../payment/payment-resource.ts';
import { settleIfPaid } from '../payment/payment-settled.ts';
import { endReaderAction } from '../readers/end-reader-action.ts';
import { earnShares } from '../shares/earn-share.ts';
import { storeCard } from '../tokens/store-card.ts';

/** What ends an operation that changes the authorization. */
const ENDED = { pendingOperation: null, outcome: null, nextInquiryAt: null } as const;

/**
 * The acquirer authorized the amount, or captured it in the same call: then `release` schedules the release of the
 * earnings.
 */
export function markAuthorized(
  draft: Draft,
  payment: Payment,
  {
    operation,
    report,
    release,
  }: { operation: PaymentOperation; report: AcquirerReport; release: ReleaseSchedule | undefined },
): Payment {
  const { authorizationMs } = report;
  const expiresAt = draft.moment.book + authorizationMs;
  const authorization = report.authorization ?? null;
  endReaderAction(draft, payment, { status: 'succeeded' });
  const authorized = {
    ...ENDED,
    amountAuthorized: operation.amount,
    authorizedBy: operation.id,
    authorization,
    decline: null,
    nextAction: null,
    ...storeCard(draft, payment, operation, authorization?.networkReference ?? null),
  };
  if (!operation.final)
    return advance(
      draft,
      paymentResource,
      payment,
      { ...authorized, status: 'authorized', expiresAt, dueAt: draft.moment.wall + authorizationMs },
      { event: 'payment.authorized' },
    );
  // One call authorized and captured: its capture is a child like any other, known to the acquirer by the same reference.
  const capture = captureOf(draft, operation, report);
  const { entry, change, availableOn } = bookCapture(draft, { ...payment, amountCaptured: 0n }, capture, release!);
  draft.put(paymentOperations, capture.id, { ...capture, ...change, entryIds: [entry.id] });
  return advance(
    draft,
    paymentResource,
    payment,
    {
      ...authorized,
      status: 'captured',
      amountCaptured: capture.amount,
      fee: change.fee,
      availableOn,
      expiresAt: null,
      dueAt: null,
    },
    { event: 'payment.captured', entries: [entry] },
  );
}

/** The acquirer declined. A checkout page offers another card; otherwise the payment has failed. */
export function markDeclined(
  draft: Draft,
  payment: Payment,
  { code, networkCode }: { code: DeclineCode; networkCode: string | null },
): Payment {
  const decline = { code, networkCode };
  const attempts = [...payment.attempts, { ...decline, at: draft.moment.book, card: payment.card }];
  const change = { ...ENDED, decline, attempts, nextAction: null };
  if (offersAnother(payment, attempts.length))
    return advance(
      draft,
      paymentResource,
      payment,
      {
        ...change,
        status: 'requires_action',
        amountTip: 0n,
        dueAt: draft.moment.wall + (payment.expiresAt! - draft.moment.book),
      },
      { event: 'payment.requires_action' },
    );
  endReaderAction(draft, payment, { status: 'failed', failure: 'declined' });
  return advance(
    draft,
    paymentResource,
    payment,
    { ...change, status: 'failed', expiresAt: null, dueAt: null },
    { event: 'payment.failed' },
  );
}

/** processing → requires_action: the payer passes a challenge at the issuer first. The authorization stays under way. */
export function markChallenged(
  draft: Draft,
  payment: Payment,
  challenge: NonNullable<AcquirerReport['challenge']>,
): Payment {
  return advance(
    draft,
    paymentResource,
    payment,
    { status: 'requires_action', nextAction: challenge, outcome: null, nextInquiryAt: null },
    { event: 'payment.requires_action' },
  );
}

/** A capture succeeded: what it earned is the merchant's, and waits for its release. */
export function markCaptured(
  draft: Draft,
  payment: Payment,
  { operation, release }: { operation: PaymentOperation; release: ReleaseSchedule },
): { payment: Payment; change: Partial<PaymentOperation>; entry: ReturnType<Draft['post']> } {
  const { entry, change, availableOn } = bookCapture(draft, payment, operation, release);
  const changed = capturedBy(payment, operation);
  const captured = advance(
    draft,
    paymentResource,
    payment,
    { ...ENDED, ...changed, availableOn },
    { event: `payment.${changed.status}`, entries: [entry] },
  );
  return { payment: captured, change, entry };
}

/** processing → requires_action: a request to pay waits for its payer's approval. The authorization stays under way. */
export function markRequested(draft: Draft, payment: Payment): Payment {
  return advance(
    draft,
    paymentResource,
    payment,
    { status: 'requires_action', outcome: null, nextInquiryAt: null },
    { event: 'payment.requires_action' },
  );
}

/** The authorization has expired. A payment that is captured in part is `captured`, without the rest. */
export function markExpired(draft: Draft, payment: Payment): Payment {
  const over = { ...ENDED, expiresAt: null, dueAt: null, nextAction: null };
  endReaderAction(draft, payment, { status: 'failed', failure: 'timed_out' });
  if (payment.amountCaptured > 0n)
    return settleIfPaid(
      draft,
      advance(draft, paymentResource, payment, { ...over, status: 'captured' }, { event: 'payment.captured' }),
    );
  return advance(draft, paymentResource, payment, { ...over, status: 'expired' }, { event: 'payment.expired' });
}

/** The authorization is voided. A payment that is captured in part is `captured`, without the rest. */
export function markVoided(draft: Draft, payment: Payment): Payment {
  const captured = payment.amountCaptured > 0n;
  endReaderAction(draft, payment, { status: 'canceled' });
  const voided = advance(
    draft,
    paymentResource,
    payment,
    { ...ENDED, status: captured ? 'captured' : 'canceled', nextAction: null, expiresAt: null, dueAt: null },
    { event: captured ? 'payment.captured' : 'payment.canceled' },
  );
  return settleIfPaid(draft, voided);
}

/** The acquirer authorized a larger amount. */
export function markIncremented(draft: Draft, payment: Payment, { amount }: PaymentOperation): Payment {
  return advance(draft, paymentResource, payment, { ...ENDED, amountAuthorized: amount }, { event: 'payment.updated' });
}

/** An operation ended without effect: the authorization is as it was. */
export function markUnchanged(draft: Draft, payment: Payment): Payment {
  return advance(draft, paymentResource, payment, ENDED, { event: 'payment.updated' });
}

/** The payment's operation is not decided yet: records its outcome, and the time of the next inquiry. */
export function keepPaymentWaiting(
  draft: Draft,
  payment: Payment,
  { outcome, nextInquiryAt }: Pick<Payment, 'outcome' | 'nextInquiryAt'>,
): Payment {
  return advance(draft, paymentResource, payment, { outcome, nextInquiryAt });
}

/** What a capture changes of its payment. */
export function capturedBy(
  payment: Payment,
  { amount, final }: Pick<PaymentOperation, 'amount' | 'final'>,
): Pick<Payment, 'amountCaptured' | 'fee'> & Partial<Payment> & { status: 'captured' | 'partially_captured' } {
  const amountCaptured = payment.amountCaptured + amount;
  const fee = payment.fee + captureFee(payment, amount);
  if (final || amountCaptured === payment.amountAuthorized)
    return { status: 'captured', amountCaptured, fee, expiresAt: null, dueAt: null };
  return { status: 'partially_captured', amountCaptured, fee };
}

/** A fee is a function of all that was captured: each capture books the difference, so the fixed part is booked once. */
export function captureFee(payment: Payment, amount: bigint): bigint {
  const schedule = scheduleOf(payment);
  const before = payment.amountCaptured === 0n ? 0n : feeOf(payment.amountCaptured, schedule);
  return feeOf(payment.amountCaptured + amount, schedule) - before;
}

/** Books a capture, and answers with what that changes of its row. */
function bookCapture(draft: Draft, payment: Payment, operation: PaymentOperation, release: ReleaseSchedule) {
  const { currency } = payment;
  const { amount } = operation;
  const fee = captureFee(payment, amount);
  const pending = draft.chart('merchant_pending', currency).id;
  const entry = draft.post({
    resource: captureResource.name,
    resourceId: operation.id,
    step: 'captured',
    postings: [
      { debit: draft.chart('acquirer', currency).id, credit: pending, amount },
      { debit: pending, credit: draft.chart('due_operator', currency).id, amount: fee },
    ],
  });
  const { portions, availableOn } = earnShares(draft, operation, { earned: amount - fee, release });
  return { entry, change: { fee, portions, releaseSchedule: scheduleText(release) }, availableOn };
}

/** The capture that came with an authorization. It was sent, and ended, with it. */
function captureOf(draft: Draft, authorization: PaymentOperation, report: AcquirerReport): PaymentOperation {
  return {
    ...authorization,
    id: draft.mintId(),
    kind: 'capture',
    status: 'succeeded',
    reference: captureReference(authorization.reference),
    of: authorization.reference,
    acquirerReference: report.reference || authorization.acquirerReference,
    disputeId: null,
    token: null,
    outcome: null,
    inquiries: 0,
    nextInquiryAt: null,
    entryIds: [],
    version: 1,
    dueAt: null,
    createdAt: draft.moment.book,
    updatedAt: draft.moment.book,
  };
}
