/**
 * An operation of a payment: what is sent to the acquirer under a reference of its own. Its row is written before the acquirer is
 * called, so that a crash anywhere leaves something to ask about. Captures, increments, voids and refunds are children of the
 * payment with public ids; an authorization is not shown by itself.
 * Next: payment-operation-table.ts (rows), send-operations.ts (calls), apply-acquirer-report.ts (answers and notices).
 */
import type { DeclineCode } from '../../acquirers/decline-codes.ts';
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type OperationKind =
  | 'authorize'
  | 'increment'
  | 'capture'
  | 'void'
  | 'refund'
  /** The merchant's evidence in a dispute. */
  | 'evidence'
  /** The merchant does not contest a dispute. */
  | 'accept_dispute';

export type OperationStatus =
  /** At the acquirer, or on its way there. The payments pool moves it. */
  | 'pending'
  /** The payer has to pass a challenge. The acquirer reports its outcome, and is asked for it once the time is over. */
  | 'requires_action'
  | 'succeeded'
  /** Certainly not carried out. */
  | 'failed';

export const OPERATION_TRANSITIONS: Transitions<OperationStatus> = {
  pending: ['requires_action', 'succeeded', 'failed'],
  requires_action: ['succeeded', 'failed'],
  // A refund that succeeded may fail later.
  succeeded: ['failed'],
  failed: [],
};

/**
 * Of a capture: the rest of its earnings in the share that it waits in. Of a refund or dispute: a part of its funding.
 */
export interface Portion {
  /** Null: from the customer's available balance. */
  readonly shareId: Uuid | null;
  readonly amount: bigint;
  /** Of a refund or dispute that took from what the payment itself earned: the capture that it took from. */
  readonly captureId?: Uuid;
}

export function sumOfPortions(portions: readonly Pick<Portion, 'amount'>[]): bigint {
  return portions.reduce((sum, { amount }) => sum + amount, 0n);
}

export interface PaymentOperation {
  readonly id: Uuid;
  readonly paymentId: Uuid;
  /** The account of its payment, for lists and for what keeps an account open. */
  readonly accountId: Uuid;
  readonly kind: OperationKind;
  readonly status: OperationStatus;
  /** Minor units; of an increment the new total. */
  readonly amount: bigint;
  readonly currency: string;
  readonly acquirer: string;
  /** The same on every attempt at the acquirer. */
  readonly reference: string;
  /** Of the authorization that it is about, or the acquirer's own of the dispute; null for an authorization. */
  readonly of: string | null;
  /** Of an answer to a dispute. */
  readonly disputeId: Uuid | null;
  /** Of an authorization: the acquirer's token of the card. */
  readonly token: string | null;
  /** Of a capture: nothing more will be captured. Of an authorization: captures at once. */
  readonly final: boolean;
  /** Of a refund: the caller's reason. Null too once it is erased. */
  readonly reason: string | null;
  /** Hides the reason behind its reference (ledger/rows/personal-text.ts). Null without a reason. */
  readonly textSalt: Buffer | null;
  /** Of a capture: booked with it. Of a refund: given back with it. */
  readonly fee: bigint;
  readonly portions: readonly Portion[];
  readonly outcome: 'unknown' | null;
  readonly inquiries: number;
  readonly nextInquiryAt: Instant | null;
  readonly sentAt: Instant;
  /**
   * Of a request to pay or a challenge: until when the payer may act, by the world's time. Later the acquirer is not asked for it, but to
   * take it back.
   */
  readonly payerUntil: Instant | null;
  /** Its payment was canceled while the payer may act: the acquirer is asked to take it back. */
  readonly withdrawn: boolean;
  readonly failureCode: DeclineCode | null;
  readonly networkCode: string | null;
  readonly acquirerReference: string | null;
  /** Of a capture or refund: when the acquirer's report contained it, by the book's time. */
  readonly settledAt: Instant | null;
  /** Of a refund that failed after it had succeeded: when the acquirer's report gave it back. */
  readonly failureSettledAt: Instant | null;
  /**
   * Of a capture: the release schedule in force as it succeeded (calendar/schedule-text.ts), by which verify checks its shares. Null where
   * 0.3.0 captured.
   */
  readonly releaseSchedule: string | null;
  readonly entryIds: readonly Uuid[];
  readonly requestId: Uuid;
  readonly version: number;
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The kinds that have ids of their own: resources of the same names. */
export type ShownKind = Exclude<OperationKind, 'authorize' | DisputeCall>;

export type DisputeCall = 'evidence' | 'accept_dispute';

export function isDisputeCall(kind: OperationKind): kind is DisputeCall {
  return kind === 'evidence' || kind === 'accept_dispute';
}

/** Whether a refund has failed after it had succeeded: then it was booked by three entries (taken, succeeded, failed late). */
export function hasFailedLate({
  kind,
  status,
  entryIds,
}: Pick<PaymentOperation, 'kind' | 'status' | 'entryIds'>): boolean {
  return kind === 'refund' && status === 'failed' && entryIds.length > 2;
}

/** The capture that an authorization made in one call is known by its reference and this behind it. */
const CAPTURED_WITH_IT = 'C';

export function captureReference(authorization: string): string {
  return `${authorization}${CAPTURED_WITH_IT}`;
}

/** What the acquirer knows an operation by: the capture that came with an authorization by the authorization's reference. */
export function reportedReference({ reference, of }: Pick<PaymentOperation, 'reference' | 'of'>): string {
  return of !== null && reference === captureReference(of) ? of : reference;
}
