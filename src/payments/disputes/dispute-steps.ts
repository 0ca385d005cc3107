/**
 * The steps of a dispute: what each changes, what it books, and what it announces. Their callers decide which one is
 * taken (apply-dispute-notice.ts, answer-dispute.ts, visit-disputes.ts).
 */
import { expectArrival } from '../../accounts/account/tell-arrival.ts';
import { waitInClosed } from '../../exceptions/wait-in-closed.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Entry, PostingDraft } from '../../ledger/entry/entry.ts';
import { advance, announce } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import { type PaymentOperation, type Portion, sumOfPortions } from '../operations/payment-operation.ts';
import type { Payment } from '../payment/payment.ts';
import { paymentResource } from '../payment/payment-resource.ts';
import { payments } from '../payment/payment-table.ts';
import { giveBack, wayBackTouches } from '../refunds/give-back.ts';
import { accountOf, type Funding, moneyOf, planTaking, requireFunding, takePortions } from '../refunds/take-funding.ts';
import {
  countsAsDisputed,
  type Dispute,
  type DisputePart,
  EVIDENCE_MS,
  isOpen,
  partsOf,
  REMINDER_MS,
} from './dispute.ts';
import { disputeResource } from './dispute-resource.ts';
import { disputes } from './dispute-table.ts';

export type OpenDispute = Pick<
  Dispute,
  | 'stage'
  | 'amount'
  | 'fee'
  | 'reason'
  | 'reasonCode'
  | 'acquirer'
  | 'acquirerReference'
  | 'noticeId'
  | 'noticedAt'
  | 'previousDispute'
  | 'requestId'
>;

/** The acquirer reported it. A chargeback is booked at once, whatever the balance of the account. */
export function openDispute(
  draft: Draft,
  payment: Payment,
  { given, funding }: { given: OpenDispute; funding: Funding },
): Dispute {
  const evidenceDueAt = draft.moment.book + EVIDENCE_MS;
  const visitAt = evidenceDueAt - REMINDER_MS;
  const first: Dispute = {
    ...given,
    id: draft.mintId(),
    status: 'opened',
    paymentId: payment.id,
    accountId: payment.accountId,
    currency: payment.currency,
    feeRefunded: 0n,
    nextDispute: null,
    evidence: null,
    textSalt: null,
    evidenceDueAt,
    visitAt,
    isOverdue: false,
    pendingOperation: null,
    outcome: null,
    nextInquiryAt: null,
    failureCode: null,
    portions: [],
    settledAt: null,
    wonSettledAt: null,
    entryIds: [],
    version: 1,
    dueAt: visitAt,
    createdAt: draft.moment.book,
    updatedAt: draft.moment.book,
  };
  const count = payment.disputes + 1;
  if (!countsAsDisputed(first)) {
    // Nothing that is shown of the payment changes: the version stays.
    draft.put(payments, payment.id, { ...payment, disputes: count });
    const kept = draft.put(disputes, first.id, first);
    announce(draft, disputeResource, kept, { event: 'dispute.opened' });
    return kept;
  }
  const { entry, portions } = take(draft, payment, first, funding);
  const amountDisputed = payment.amountDisputed + first.amount;
  advance(draft, paymentResource, payment, { amountDisputed, disputes: count });
  const opened = draft.put(disputes, first.id, { ...first, portions, entryIds: [entry.id] });
  announce(draft, disputeResource, opened, { event: 'dispute.opened', entries: [entry] });
  return opened;
}

/** The funding of a refund, then the customer below its floor → acquirer, amount; → due_operator, fee. */
function take(draft: Draft, payment: Payment, dispute: Dispute, funding: Funding) {
  const { currency, accountId } = payment;
  requireFunding(draft, payment, funding);
  const { portions: found, missing } = planTaking(dispute.amount + dispute.fee, moneyOf(draft, accountId, funding));
  const portions = missing > 0n ? withCustomer(found, missing) : found;
  const acquirer = draft.chart('acquirer', currency).id;
  const operator = draft.chart('due_operator', currency).id;
  const postings = wholeParts({ ...dispute, portions }).flatMap(({ portion, disputed, fee }): PostingDraft[] => {
    const payer = accountOf(draft, payment, portion.shareId);
    return [
      { debit: payer, credit: acquirer, amount: disputed },
      { debit: payer, credit: operator, amount: fee },
    ];
  });
  const entry = draft.post({
    resource: 'dispute',
    resourceId: dispute.id,
    step: 'taken',
    overrideFloor: true,
    allowFrozen: true,
    debitClosed: true,
    postings,
  });
  takePortions(draft, dispute, portions);
  return { entry, portions };
}

/** Throws RangeError where the portions are not all that the acquirer takes: less or more than that would be booked. */
function wholeParts(dispute: Pick<Dispute, 'id' | 'amount' | 'fee' | 'portions'>): DisputePart[] {
  const taken = sumOfPortions(dispute.portions);
  if (taken !== dispute.amount + dispute.fee) throw new RangeError(`Dispute ${dispute.id} took ${taken}`);
  return partsOf(dispute);
}

/** The customer owes what the funding lacks: one portion with its available part. */
function withCustomer(portions: readonly Portion[], missing: bigint): Portion[] {
  const isCustomer = ({ shareId }: Portion) => shareId === null;
  const known = portions.find(isCustomer);
  const rest = portions.filter((portion) => !isCustomer(portion));
  return [...rest, { shareId: null, amount: (known?.amount ?? 0n) + missing }];
}

const ENDED = { visitAt: null, dueAt: null, isOverdue: false } as const;

/** What the command that decides a dispute touches. `shares`: readWayBack. */
export function wonTouches(dispute: Pick<Dispute, 'portions'>, shares: readonly Uuid[]): Touch[] {
  return wayBackTouches(dispute, shares);
}

/** acquirer → where it came from (give-back.ts): the amount is the merchant's again. The fee comes back by configuration. */
export function winDispute(
  draft: Draft,
  payment: Payment,
  dispute: Dispute,
  { feeIsRefunded }: { feeIsRefunded: boolean },
): Dispute {
  const change = { ...ENDED, status: 'won' } as const;
  if (!countsAsDisputed(dispute)) return advance(draft, disputeResource, dispute, change, { event: 'dispute.won' });
  const { accountId } = dispute;
  const announceArrival = expectArrival(draft, accountId);
  const { entry, reachesAccount } = bookWon(draft, dispute, feeIsRefunded);
  advance(draft, paymentResource, payment, { amountDisputed: payment.amountDisputed - dispute.amount });
  const won = advance(
    draft,
    disputeResource,
    dispute,
    { ...change, feeRefunded: feeIsRefunded ? dispute.fee : 0n },
    { event: 'dispute.won', entries: [entry] },
  );
  if (reachesAccount) announceArrival(entry);
  return won;
}

function bookWon(draft: Draft, dispute: Dispute, feeIsRefunded: boolean): { entry: Entry; reachesAccount: boolean } {
  const { id, currency, accountId } = dispute;
  const acquirer = draft.chart('acquirer', currency).id;
  const operator = draft.chart('due_operator', currency).id;
  const postings = wholeParts(dispute).flatMap(({ portion, disputed, fee }): PostingDraft[] => {
    const back = (debit: Uuid, part: bigint) =>
      giveBack(draft, dispute, portion, part).map(({ account, amount }) => ({ debit, credit: account, amount }));
    return [
      ...(disputed > 0n ? back(acquirer, disputed) : []),
      ...(feeIsRefunded && fee > 0n ? back(operator, fee) : []),
    ];
  });
  const entry = draft.post({
    resource: 'dispute',
    resourceId: id,
    step: 'won',
    allowFrozen: true,
    creditClosed: waitInClosed(draft, {
      kind: 'won_dispute_to_closed_account',
      resource: 'dispute',
      resourceId: id,
      detail: 'A dispute was won after its account was closed. Its money was booked there and waits for a person.',
    }),
    postings,
  });
  return { entry, reachesAccount: postings.some(({ credit }) => credit === accountId) };
}

/** The acquirer keeps the money: nothing is booked. */
export function loseDispute(draft: Draft, dispute: Dispute): Dispute {
  return advance(draft, disputeResource, dispute, { ...ENDED, status: 'lost' }, { event: 'dispute.lost' });
}

/** Another dispute follows. An open inquiry is lost by that; what was decided stays decided. */
export function escalateDispute(draft: Draft, dispute: Dispute, next: Dispute): Dispute {
  const ends = isOpen(dispute) ? ({ ...ENDED, status: 'lost' } as const) : {};
  return advance(draft, disputeResource, dispute, { ...ends, nextDispute: next.id }, { event: 'dispute.escalated' });
}

/** The dispute that an operation answers. */
export function answeredTouches({ disputeId }: Pick<PaymentOperation, 'disputeId'>): Touch[] {
  return disputeId === null ? [] : [{ table: disputes, ids: [disputeId] }];
}

const ANSWERED = { pendingOperation: null, outcome: null, nextInquiryAt: null } as const;

/** The acquirer accepted the answer. A dispute that it decided meanwhile stays decided. */
export function markAnswerTaken(draft: Draft, operation: PaymentOperation): Dispute {
  const dispute = answered(draft, operation);
  if (dispute.status !== 'opened') return advance(draft, disputeResource, dispute, ANSWERED);
  const status = operation.kind === 'evidence' ? 'evidence_submitted' : 'accepted';
  const change = { ...ANSWERED, ...ENDED, status, failureCode: null } as const;
  return advance(draft, disputeResource, dispute, change, { event: `dispute.${status}` });
}

/** The acquirer refused the answer: the dispute is as it was, and may be answered again. */
export function markAnswerRefused(draft: Draft, operation: PaymentOperation, failureCode: string): Dispute {
  return advance(draft, disputeResource, answered(draft, operation), { ...ANSWERED, failureCode });
}

export function keepAnswerWaiting(
  draft: Draft,
  operation: PaymentOperation,
  waiting: Pick<Dispute, 'outcome' | 'nextInquiryAt'>,
): Dispute {
  return advance(draft, disputeResource, answered(draft, operation), waiting);
}

function answered(draft: Draft, { id, disputeId }: PaymentOperation): Dispute {
  const dispute = draft.get(disputes, disputeId!);
  if (dispute?.pendingOperation !== id) throw new Error(`Operation ${id} says nothing to its dispute`);
  return dispute;
}

/** The time for evidence is nearly over. */
export function remindOfDispute(draft: Draft, dispute: Dispute): Dispute {
  const { evidenceDueAt } = dispute;
  const change = { visitAt: evidenceDueAt, dueAt: evidenceDueAt };
  return advance(draft, disputeResource, dispute, change, { event: 'dispute.evidence_due_soon' });
}

/** Nobody answered: the acquirer decides without evidence. Until its notice the status stays. */
export function markOverdue(draft: Draft, dispute: Dispute): Dispute {
  return advance(draft, disputeResource, dispute, { visitAt: null, dueAt: null, isOverdue: true });
}
