/**
 * Applies an acquirer's notice of a dispute, which opens one or decides one. A notice may come twice, late or out of
 * order: the state decides what it still changes, and a notice that contradicts the state becomes an exception for a
 * person.
 */
import { accountTouches } from '../../accounts/account/account-resource.ts';
import type { AcquirerNotice } from '../../acquirers/acquirer.ts';
import { disputeReason } from '../../acquirers/dispute-reasons.ts';
import { type DisputeTerms, disputeFee } from '../../acquirers/dispute-terms.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Outcome } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { BookState } from '../../ledger/command/state.ts';
import { evidenceTouch, keepEvidence } from '../../outside/evidence/evidence.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { JsonText } from '../../values/json.ts';
import { mismatchesOf } from '../operations/acquirer-report.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { expectPayday, paydayTouches } from '../paydays/payday.ts';
import { DISPUTES_MAX, isDisputable, type Payment } from '../payment/payment.ts';
import { payments } from '../payment/payment-table.ts';
import { operationTouches } from '../readers/payment-touches.ts';
import { type Funding, fundingTouches } from '../refunds/take-funding.ts';
import { requireDay, type Today } from '../shares/earn-share.ts';
import { type Dispute, type DisputeStage, isOpen } from './dispute.ts';
import { type DisputeExceptionKind, raise } from './dispute-exception.ts';
import { escalateDispute, loseDispute, openDispute, winDispute, wonTouches } from './dispute-steps.ts';
import { disputes } from './dispute-table.ts';

export type DisputeNotice = AcquirerNotice & { readonly kind: DisputeNoticeKind };

export type DisputeNoticeKind = Extract<AcquirerNotice['kind'], `dispute_${string}`>;

export interface ApplyDisputeNotice {
  readonly payment: Payment;
  /** The operation that the notice names: the authorization, or a capture. */
  readonly operation: PaymentOperation;
  /** The payment's latest dispute that the acquirer knows by the same reference. */
  readonly known: Dispute | undefined;
  /** The dispute that this notice has opened already. */
  readonly opened: Dispute | undefined;
  /** Of a notice that opens one. */
  readonly funding: Funding;
  /** Of one that decides `known`: the shares that its money may go back to (readWayBack). */
  readonly wayBack: readonly Uuid[];
  readonly terms: DisputeTerms;
  readonly today: Today;
  readonly notice: DisputeNotice;
  /** Whether the notice has a date of the acquirer's. */
  readonly dated: boolean;
  /** The notice as it came: JSON. */
  readonly evidence: string;
}

export interface AppliedNotice {
  /** As it is now; undefined where the notice is about none. */
  readonly dispute: Dispute | undefined;
  /**
   * The notice came before the capture or the dispute that it is about: nothing was done, and it is to be applied again
   * later.
   */
  readonly isTooEarly: boolean;
}

export function applyDisputeNotice(bookId: BookId, input: ApplyDisputeNotice): Command<AppliedNotice> {
  const { payment, operation, known, opened, funding, notice } = input;
  const id = newId();
  const origin = { id, requestId: operation.requestId, actor: `acquirer:${operation.acquirer}` };
  return {
    ...origin,
    name: 'dispute.settle',
    touches: [
      ...operationTouches(bookId, payment, [operation]),
      ...accountTouches(payment),
      ...fundingTouches(funding),
      ...(known && !opens(notice) ? wonTouches(known, input.wayBack) : []),
      ...paydayTouches(bookId, input.today),
      { table: disputes, ids: [known, opened].flatMap((dispute) => dispute?.id ?? []) },
      evidenceTouch(notice.id),
    ],
    decide: (state, moment) => decide(state, { origin, input }, moment),
  };
}

function decide(
  state: BookState,
  { origin, input }: { origin: { id: string; requestId: string; actor: string }; input: ApplyDisputeNotice },
  moment: Moment,
): Outcome<AppliedNotice> {
  const draft = new Draft(state, origin, moment);
  const { notice } = input;
  requireDay(draft, input.today);
  const payment = draft.get(payments, input.payment.id);
  if (!payment) throw new Error(`Payment ${input.payment.id} does not exist`);
  if (isTooEarly(payment, notice) || outcomeIsTooEarly(input, moment))
    return draft.finish({ dispute: undefined, isTooEarly: true });
  const of = { id: notice.id, resource: 'payment' as const, resourceId: payment.id };
  if (!keepEvidence(draft, { ...of, call: 'notice', answer: new JsonText(input.evidence) })) {
    const dispute = input.opened ?? input.known;
    return draft.finish({ dispute: dispute && draft.get(disputes, dispute.id), isTooEarly: false });
  }
  const stage = STAGES[notice.kind];
  const dispute = stage === undefined ? decideKnown(draft, payment, input) : open(draft, payment, { input, stage });
  return draft.finish({ dispute, isTooEarly: false });
}

/** Whether the notice opens a dispute. */
export function opens({ kind }: Pick<DisputeNotice, 'kind'>): boolean {
  return STAGES[kind] !== undefined;
}

const STAGES: Readonly<Partial<Record<DisputeNoticeKind, DisputeStage>>> = {
  dispute_inquiry: 'inquiry',
  dispute_chargeback: 'chargeback',
};

/** Its capture is not booked yet, or a capture that is under way may be the disputed one. */
function isTooEarly(payment: Payment, { kind, amount }: DisputeNotice): boolean {
  if (STAGES[kind] === undefined || !isDisputable(payment)) return false;
  const isMoving = payment.pendingOperation !== null || payment.status === 'processing';
  return isMoving && (payment.amountCaptured === 0n || (amount ?? 0n) > undisputed(payment));
}

/**
 * How long an outcome waits for the dispute that it decides: partners send a message that was not accepted again within
 * that.
 */
const OUTCOME_KEPT_MS = 60 * 60 * 1_000;

/** The notice that opens its dispute may still come. */
function outcomeIsTooEarly({ known, notice }: ApplyDisputeNotice, { wall }: Moment): boolean {
  const isOutcome = STAGES[notice.kind] === undefined;
  return isOutcome && known === undefined && Math.abs(wall - notice.createdAt) < OUTCOME_KEPT_MS;
}

/** The most that a dispute can take. Refunds do not lower it: an issuer may charge back a payment that was refunded. */
function undisputed({ amountCaptured, amountDisputed }: Payment): bigint {
  return amountCaptured - amountDisputed;
}

function open(
  draft: Draft,
  payment: Payment,
  { input, stage }: { input: ApplyDisputeNotice; stage: DisputeStage },
): Dispute | undefined {
  const { notice, operation, funding, terms } = input;
  const known = input.known && draft.get(disputes, input.known.id);
  if (known && isRepeated(known, input, stage)) return known;
  if (known && mayBeRepeated(known, input, stage)) {
    raise(draft, {
      kind: 'dispute_contradicted',
      detail: `The acquirer tells of the dispute again, which is ${known.status}, and does not say when. Nothing was booked.`,
      paymentId: payment.id,
      disputeId: known.id,
    });
    return known;
  }
  if (!isDisputable(payment))
    return raiseAbout(draft, payment, {
      kind: 'dispute_on_request',
      detail:
        'The acquirer disputes a request to pay, which its payer approved: it has no disputes. Nothing was booked.',
    });
  const [mismatch] = mismatchesOf(operation, { status: 'succeeded', confirmed: notice.confirmed });
  if (mismatch) return raiseAbout(draft, payment, mismatch);
  const room = undisputed(payment);
  const claimed = notice.amount ?? room;
  if (payment.disputes >= DISPUTES_MAX)
    return raiseAbout(draft, payment, {
      kind: 'dispute_exceeds_payment',
      detail: `The acquirer disputes ${claimed} ${payment.currency}; the payment has had ${DISPUTES_MAX} disputes, and has no more. Nothing was booked.`,
    });
  if (claimed > room)
    raiseAbout(draft, payment, {
      kind: 'dispute_exceeds_payment',
      detail: `The acquirer disputes ${claimed}; ${room} was captured and is not disputed. No more than that was booked.`,
    });
  const amount = claimed < room ? claimed : room;
  if (amount === 0n) return undefined;
  const isChargeback = stage === 'chargeback';
  const opened = openDispute(draft, payment, {
    funding,
    given: {
      stage,
      amount,
      fee: isChargeback ? disputeFee(terms, payment.currency) : 0n,
      reason: disputeReason(notice.code),
      reasonCode: notice.code,
      acquirer: operation.acquirer,
      acquirerReference: notice.reference,
      noticeId: notice.id,
      noticedAt: input.dated ? notice.createdAt : null,
      previousDispute: known?.id ?? null,
      requestId: operation.requestId,
    },
  });
  if (known) escalateDispute(draft, known, opened);
  if (isChargeback) {
    warn(draft, payment, opened);
    expectPayday(draft);
  }
  return opened;
}

/**
 * Another notice opens a dispute that is known: it is open, or it has ended, and the notice was made no later than the
 * one that opened it. A dispute that follows has a later notice, and no inquiry follows its chargeback.
 */
function isRepeated(known: Dispute, { notice, dated }: ApplyDisputeNotice, stage: DisputeStage): boolean {
  if (known.stage !== stage) return known.stage === 'chargeback';
  return isOpen(known) || (dated && known.noticedAt !== null && notice.createdAt <= known.noticedAt);
}

/** Without a date an equal notice is a repetition, or opens a further dispute: a person distinguishes them. */
function mayBeRepeated(known: Dispute, { notice, dated }: ApplyDisputeNotice, stage: DisputeStage): boolean {
  const isUndated = !dated || known.noticedAt === null;
  return isUndated && known.stage === stage && notice.amount === known.amount && notice.code === known.reasonCode;
}

/** Opens exceptions about a dispute that is booked all the same. `payment` is as it was before. */
function warn(draft: Draft, payment: Payment, { id: disputeId, amount }: Dispute): void {
  const paymentId = payment.id;
  const refunded = payment.amountRefunded + payment.amountRefunding;
  if (refunded + amount > undisputed(payment))
    raise(draft, {
      kind: 'dispute_on_refunded',
      detail: `The acquirer took ${amount} of a payment of which ${refunded} is refunded. It was booked.`,
      paymentId,
      disputeId,
    });
  if (draft.account(payment.accountId).status === 'closed')
    raise(draft, {
      kind: 'dispute_on_closed_account',
      detail: `The acquirer took ${amount} of a payment to an account that is closed. It was booked.`,
      paymentId,
      disputeId,
    });
}

function decideKnown(
  draft: Draft,
  payment: Payment,
  { known: found, operation, notice, dated, terms }: ApplyDisputeNotice,
): Dispute | undefined {
  const known = found && draft.get(disputes, found.id);
  // Made before this dispute was opened: it decided the previous one, and is a repetition.
  if (dated && known?.previousDispute && known.noticedAt !== null && notice.createdAt < known.noticedAt) return known;
  const outcome = notice.kind === 'dispute_won' ? 'won' : 'lost';
  if (!known)
    return raiseAbout(draft, payment, {
      kind: 'dispute_unknown',
      detail: `The acquirer says that a dispute was ${outcome} that it has not opened. Nothing was booked.`,
    });
  if (isOpen(known)) {
    if (outcome === 'lost') return loseDispute(draft, known);
    const mismatch = mismatchOfWon(operation, known, notice);
    if (mismatch) {
      raise(draft, { ...mismatch, paymentId: payment.id, disputeId: known.id });
      return known;
    }
    expectPayday(draft);
    return winDispute(draft, payment, known, { feeIsRefunded: terms.feeRefunded });
  }
  // Acquirers report an accepted dispute as lost.
  if (known.status === outcome || (known.status === 'accepted' && outcome === 'lost')) return known;
  raise(draft, {
    kind: 'dispute_contradicted',
    detail: `The acquirer says that the dispute was ${outcome}; it is ${known.status}. Nothing was booked.`,
    paymentId: payment.id,
    disputeId: known.id,
  });
  return known;
}

/**
 * The acquirer gives back another amount than it took, or another currency: nothing is booked before a person has
 * decided.
 */
function mismatchOfWon(
  operation: PaymentOperation,
  { amount, currency }: Dispute,
  notice: DisputeNotice,
): { kind: DisputeExceptionKind; detail: string } | undefined {
  const [mismatch] = mismatchesOf(operation, { status: 'succeeded', confirmed: notice.confirmed });
  if (mismatch) return mismatch;
  if (notice.amount === null || notice.amount === amount) return undefined;
  return {
    kind: 'acquirer_amount_mismatch',
    detail: `The acquirer says that ${notice.amount} ${currency} of a dispute of ${amount} was won. Nothing was booked.`,
  };
}

function raiseAbout(
  draft: Draft,
  { id: paymentId }: Payment,
  about: { kind: DisputeExceptionKind; detail: string },
): undefined {
  raise(draft, { ...about, paymentId });
}
