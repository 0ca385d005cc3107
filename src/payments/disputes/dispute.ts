/**
 * A dispute: a payer asks the issuer for a payment back. An inquiry only asks and books nothing; a chargeback has taken
 * the money, and a won one gives it back. The acquirer opens and decides disputes by its notices.
 * Invariant: a payment's `amountDisputed` is the sum of its chargebacks that are not won.
 * Next: dispute-table.ts (rows), dispute-steps.ts (journal), dispute-notices.ts (the acquirer's notices),
 * answer-dispute.ts.
 */
import type { DisputeReason } from '../../acquirers/dispute-reasons.ts';
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Portion } from '../operations/payment-operation.ts';

export type DisputeStatus =
  /** The merchant may answer until `evidenceDueAt`, or accept it. Then the acquirer decides. */
  | 'opened'
  /** The acquirer has the merchant's evidence, and decides. */
  | 'evidence_submitted'
  /** The merchant does not contest it. Final. */
  | 'accepted'
  /** The acquirer has decided for the merchant. Final; the payer may begin another one. */
  | 'won'
  /** The acquirer has decided for the payer, or an inquiry became a chargeback. Final. */
  | 'lost';

export const DISPUTE_TRANSITIONS: Transitions<DisputeStatus> = {
  opened: ['evidence_submitted', 'accepted', 'won', 'lost'],
  evidence_submitted: ['won', 'lost'],
  accepted: [],
  won: [],
  lost: [],
};

export type DisputeStage =
  /** The issuer asks; no money has moved. */
  | 'inquiry'
  /** The acquirer has taken the amount. */
  | 'chargeback';

/**
 * Lines of a settlement report about a dispute: what the acquirer took, and what it gave back. A dispute has one of
 * each.
 */
export type DisputeLine = 'dispute' | 'dispute_won';

/** The fields of evidence, each a text. */
export interface DisputeEvidence {
  readonly product_description?: string;
  readonly customer_communication?: string;
  readonly shipping_carrier?: string;
  readonly shipping_tracking_number?: string;
  readonly refund_policy?: string;
  readonly uncategorized_text?: string;
}

/** Characters of each field: together far less than an acquirer takes. Published with the schema. */
export const EVIDENCE_LIMITS: Readonly<Record<keyof DisputeEvidence, number>> = {
  product_description: 5_000,
  customer_communication: 20_000,
  shipping_carrier: 100,
  shipping_tracking_number: 200,
  refund_policy: 10_000,
  uncategorized_text: 20_000,
};

export interface Dispute {
  readonly id: Uuid;
  readonly status: DisputeStatus;
  readonly stage: DisputeStage;
  readonly paymentId: Uuid;
  /** The account of its payment. */
  readonly accountId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  /** Charged when it was taken. */
  readonly fee: bigint;
  readonly feeRefunded: bigint;
  readonly reason: DisputeReason;
  /** The acquirer's own code. */
  readonly reasonCode: string | null;
  readonly acquirer: string;
  /** The acquirer's own id. What follows an inquiry may have the same one. */
  readonly acquirerReference: string;
  /** The notice that opened it. */
  readonly noticeId: Uuid;
  /** When the acquirer made that notice; null for a notice without a date, and for disputes from before the column. */
  readonly noticedAt: Instant | null;
  /** The dispute that this one follows. */
  readonly previousDispute: Uuid | null;
  readonly nextDispute: Uuid | null;
  /** Null until evidence is submitted, and once it is erased. */
  readonly evidence: DisputeEvidence | null;
  readonly textSalt: Buffer | null;
  /** Book time. */
  readonly evidenceDueAt: Instant;
  /** Book time: the next visit, for the reminder, or when the evidence is overdue. */
  readonly visitAt: Instant | null;
  /** Nobody answered in time: the acquirer decides without. */
  readonly isOverdue: boolean;
  /** The answer that is on its way to the acquirer. */
  readonly pendingOperation: Uuid | null;
  readonly outcome: 'unknown' | null;
  readonly nextInquiryAt: Instant | null;
  /** Why the acquirer refused the last answer. */
  readonly failureCode: string | null;
  /** Where the money came from. */
  readonly portions: readonly Portion[];
  /** Of a chargeback: when the acquirer's report had what it took, by the book's time. */
  readonly settledAt: Instant | null;
  /** Of a won one: when a report had what was given back. */
  readonly wonSettledAt: Instant | null;
  readonly entryIds: readonly Uuid[];
  readonly requestId: Uuid;
  readonly version: number;
  /** `visitAt` where the book's clock is not moved: when the sweeper looks. */
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type DisputeAction = 'submit_evidence' | 'accept';

export type DisputeWaitingOn = 'integrator' | 'acquirer' | 'inquiry' | 'nobody';

const DAY_MS = 24 * 60 * 60_000;
/** Shorter than any network's own time, so that the acquirer can pass it on. */
export const EVIDENCE_MS = 7 * DAY_MS;
/** How long before `evidenceDueAt` the reminder comes. */
export const REMINDER_MS = 2 * DAY_MS;

export function isOpen({ status }: Pick<Dispute, 'status'>): boolean {
  return status === 'opened' || status === 'evidence_submitted';
}

/** Whether its amount lowers what is refundable. An inquiry took nothing, and a won chargeback gave its amount back. */
export function countsAsDisputed({ stage, status }: Pick<Dispute, 'stage' | 'status'>): boolean {
  return stage === 'chargeback' && status !== 'won';
}

/** A portion of a dispute, divided into the acquirer's amount and the fee. */
export interface DisputePart {
  readonly portion: Portion;
  readonly disputed: bigint;
  readonly fee: bigint;
}

/** The first portions are of the amount, the last ones of the fee. */
export function partsOf({ amount, portions }: Pick<Dispute, 'amount' | 'portions'>): DisputePart[] {
  let left = amount;
  return portions.map((portion) => {
    const disputed = portion.amount < left ? portion.amount : left;
    left -= disputed;
    return { portion, disputed, fee: portion.amount - disputed };
  });
}

/** The party whose step is next. */
export function waitingOn(dispute: Dispute): DisputeWaitingOn {
  if (dispute.outcome === 'unknown') return 'inquiry';
  if (dispute.status === 'opened' && dispute.pendingOperation === null && !dispute.isOverdue) return 'integrator';
  return isOpen(dispute) ? 'acquirer' : 'nobody';
}

/** What may be asked of it now. What is overdue can still be accepted. */
export function allowedActions({
  status,
  pendingOperation,
  isOverdue,
}: Pick<Dispute, 'status' | 'pendingOperation' | 'isOverdue'>): readonly DisputeAction[] {
  if (status !== 'opened' || pendingOperation !== null) return [];
  return isOverdue ? ['accept'] : ['submit_evidence', 'accept'];
}

export function whyNotNow(dispute: Dispute, action: string): string {
  if (dispute.pendingOperation !== null)
    return 'What was said to the dispute is at the acquirer. Ask again once it has ended.';
  if (action === 'submit_evidence' && dispute.status === 'opened') return 'The time for evidence is over.';
  return `The dispute is ${dispute.status}; only an opened dispute takes evidence or can be accepted.`;
}
