/** Test mode: the sandbox acquirer opens or decides a dispute, and its notice is applied before the response. */
import type { AcquirerNotice } from '../../acquirers/acquirer.ts';
import type { Acquirers } from '../../acquirers/acquirers.ts';
import type { BeyondBounds, DisputeBounds } from '../../acquirers/dispute-bounds.ts';
import type { DisputeReason } from '../../acquirers/dispute-reasons.ts';
import type { DisputeTerms } from '../../acquirers/dispute-terms.ts';
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { requireClockIdle } from '../../idempotency/once.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, Prepared, UseCase } from '../../idempotency/use-case.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Command } from '../../ledger/command/command.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { evidenceOf } from '../../outside/notices/notice.ts';
import { simulatedNoticeId } from '../../outside/notices/simulated-notice.ts';
import type { Clock } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import { DISPUTES_MAX, isDisputable, type Payment, allowedActions as paymentActions } from '../payment/payment.ts';
import { payments } from '../payment/payment-table.ts';
import { requireAtSandbox } from '../payment/require-at-sandbox.ts';
import type { AppliedNotice } from './apply-dispute-notice.ts';
import { allowedActions, type Dispute, type DisputeStage, isOpen } from './dispute.ts';
import { disputeCommand, isDisputeNotice } from './dispute-notices.ts';
import { disputes } from './dispute-table.ts';
import { disputeView } from './dispute-view.ts';

export interface SimulationRuntime extends OnceRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly disputeTerms: DisputeTerms;
  readonly acquirers: Pick<Acquirers, 'sandbox'>;
}

export interface SimulateDispute extends Asked {
  readonly paymentId: Uuid;
  readonly reason: DisputeReason;
  readonly stage: DisputeStage;
  /** Left out: all that is captured and not disputed. */
  readonly amount?: bigint | undefined;
}

export interface SimulateDecision extends Asked {
  readonly disputeId: Uuid;
  readonly to: 'won' | 'lost' | 'escalated';
}

/**
 * The acquirer is called before the commit, and a repeat is answered from its key without a call. The acquirer judges
 * under a lock of its own what is left to dispute: of several at once, it opens none that the commit would not book.
 */
export const simulateDispute: UseCase<SimulationRuntime, SimulateDispute> = {
  keyFirst: true,
  answers: 'after_follow',
  async prepare(runtime, input) {
    const { bookId, stage, reason } = input;
    const { payment, operation } = await findPayment(runtime, input);
    if (!isDisputable(payment))
      throw conflict(
        payment.status,
        paymentActions(payment),
        'A request to pay has no disputes: its payer approved it.',
      );
    await requireIdle(runtime, input);
    const notice = await runtime.acquirers.sandbox.openDispute({
      noticeId: simulatedNoticeId(input),
      originator: bookId,
      reference: operation.reference,
      stage,
      amount: input.amount,
      reason,
      within: boundsOf(payment, operation),
    });
    if (!notice) throw conflict(payment.status, paymentActions(payment));
    if ('disputed' in notice) throw beyondPayment(payment, notice);
    return taking(runtime, input, { notice, operation, status: 201 });
  },
};

export const simulateDecision: UseCase<SimulationRuntime, SimulateDecision> = {
  keyFirst: true,
  answers: 'after_follow',
  async prepare(runtime, input) {
    const { bookId, to } = input;
    const dispute = await disputes.find(runtime.pool, bookId, input.disputeId);
    if (!dispute)
      throw new ApiError('resource_not_found', { detail: 'There is no such dispute in this book.', param: 'id' });
    if (!canMove(dispute, to)) throw conflict(dispute.status, allowedActions(dispute));
    await requireIdle(runtime, input);
    const { payment, operation } = await findPayment(runtime, { bookId, paymentId: dispute.paymentId });
    const notice = await runtime.acquirers.sandbox.moveDispute({
      noticeId: simulatedNoticeId(input),
      originator: bookId,
      dispute: dispute.acquirerReference,
      to,
      within: to === 'escalated' ? boundsOf(payment, operation) : undefined,
    });
    if (!notice) throw conflict(dispute.status, allowedActions(dispute));
    if ('disputed' in notice) throw beyondEscalation(payment, dispute, notice);
    return taking(runtime, input, { notice, operation, status: 200 });
  },
};

/** Not while an answer to it is under way: the acquirer reports on that first. */
function canMove(dispute: Dispute, to: SimulateDecision['to']): boolean {
  if (to !== 'escalated') return isOpen(dispute) && dispute.pendingOperation === null;
  const mayFollow = dispute.stage === 'inquiry' ? dispute.status !== 'accepted' : dispute.status === 'won';
  return mayFollow && dispute.nextDispute === null && dispute.pendingOperation === null;
}

async function findPayment(
  { pool }: SimulationRuntime,
  { bookId, paymentId }: { bookId: string; paymentId: Uuid },
): Promise<{ payment: Payment; operation: PaymentOperation }> {
  const payment = await payments.find(pool, bookId, paymentId);
  if (!payment)
    throw new ApiError('resource_not_found', { detail: 'There is no such payment in this book.', param: '/payment' });
  requireAtSandbox(payment);
  if (payment.amountCaptured === 0n || payment.authorizedBy === null)
    throw conflict(
      payment.status,
      paymentActions(payment),
      'Nothing of the payment is captured: there is nothing to dispute.',
    );
  if (payment.pendingOperation !== null) throw conflict(payment.status, paymentActions(payment));
  return { payment, operation: (await paymentOperations.find(pool, bookId, payment.authorizedBy))! };
}

/** By the captures that are booked: another one may not be when the dispute is. */
function boundsOf({ amountCaptured: captured }: Payment, { reference }: PaymentOperation): DisputeBounds {
  return { payment: reference, captured, disputesMax: DISPUTES_MAX };
}

function beyondPayment({ amountCaptured, status }: Payment, { disputed, disputes: had }: BeyondBounds): ApiError {
  if (had >= DISPUTES_MAX) return tooMany();
  const left = amountCaptured - disputed;
  if (left <= 0n) return conflict(status, [], 'All that was captured is disputed already.');
  return new ApiError('amount_above_maximum', {
    param: '/amount',
    detail: `Only ${left} of the payment is captured and not disputed.`,
    facts: { limit: left },
  });
}

/**
 * The chargeback that follows takes the amount of the dispute again. It is refused where the commit would book less.
 */
function beyondEscalation(
  { amountCaptured }: Payment,
  dispute: Dispute,
  { disputed, disputes: had }: BeyondBounds,
): ApiError {
  if (had >= DISPUTES_MAX) return tooMany();
  const left = amountCaptured > disputed ? amountCaptured - disputed : 0n;
  return conflict(
    dispute.status,
    allowedActions(dispute),
    `The dispute is of ${dispute.amount}, and ${left} of the payment is captured and not disputed.`,
  );
}

function tooMany(): ApiError {
  return new ApiError('limit_exceeded', {
    detail: `A payment has at most ${DISPUTES_MAX} disputes.`,
    facts: { limit: DISPUTES_MAX },
  });
}

/** The acquirer cannot take a dispute back: whatever the commit would refuse is refused before the call. */
async function requireIdle({ pool }: SimulationRuntime, { bookId }: Asked): Promise<void> {
  const book = await loadBook(pool, bookId);
  if (book) requireClockIdle(book);
}

async function taking(
  runtime: SimulationRuntime,
  { bookId }: Asked,
  { notice, operation, status }: { notice: AcquirerNotice; operation: PaymentOperation; status: number },
): Promise<Prepared> {
  if (!isDisputeNotice(notice)) throw new TypeError(`The notice ${notice.id} is about no dispute`);
  const command = await disputeCommand(runtime, bookId, operation, { notice, evidence: evidenceOf(notice) });
  return {
    command: showDispute(command, status),
    follow: () => runtime.acquirers.sandbox.acknowledge([notice.id]),
  };
}

/** The command with the dispute after it as its answer. */
function showDispute(command: Command<AppliedNotice>, status: number): Command<Stored> {
  return {
    ...command,
    decide(state, moment) {
      const outcome = command.decide(state, moment);
      const { dispute } = outcome.answer;
      // The inbox has taken the notice between the reading and this commit. The next reading finds the dispute that it opened.
      if (!dispute) throw new StaleRead('The notice of the dispute was booked meanwhile.');
      const body = writeJson(disputeView(dispute, state.book.mode === 'live'));
      return { ...outcome, answer: { status, body, resource: 'dispute', resourceId: dispute.id } };
    },
  };
}

function conflict(
  status: string,
  allowed: readonly string[],
  detail = `The acquirer cannot tell this now: it is ${status}.`,
): ApiError {
  return new ApiError('state_conflict', {
    detail,
    facts: { current_status: status, allowed_actions: allowed },
  });
}
