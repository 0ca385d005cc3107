/**
 * A payment: money that a payer gives a merchant, through an acquirer. What is sent to the acquirer is an operation
 * (payment-operation.ts): authorizing, capturing, voiding, refunding.
 * Invariants: `amountCaptured` is the sum of the captures that succeeded; one operation that changes the authorization is under
 * way at most.
 * Next: payment-operation.ts, payment-table.ts (rows), payment-steps.ts (its journal), accept-payment.ts, apply-acquirer-report.ts.
 */
import type { AuthorizationFacts } from '../../acquirers/acquirer.ts';
import type { CardShown } from '../../acquirers/card.ts';
import type { DeclineCode } from '../../acquirers/decline-codes.ts';
import type { FeeSchedule } from '../../fees/fee-schedule.ts';
import type { Transitions } from '../../ledger/resources/resource.ts';
import { type Described, hasText } from '../../ledger/rows/personal-text.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type PaymentStatus =
  /** The payer has to do something: open the checkout page, pass a challenge, approve a request. The payer moves it. */
  | 'requires_action'
  /** An authorization is at the acquirer. The payments pool moves it. */
  | 'processing'
  /** Authorized, nothing captured. The integrator captures or cancels it, or it expires. */
  | 'authorized'
  /** Captured in part, and more can be. */
  | 'partially_captured'
  /** Nothing is left to capture. Moved on by the acquirer's settlements. */
  | 'captured'
  /** The acquirer has paid all that was captured. Final. */
  | 'settled'
  /** Voided before anything was captured. Final. */
  | 'canceled'
  /** The authorization, or the time to act, ran out before anything was captured. Final. */
  | 'expired'
  /** Declined. Final. */
  | 'failed';

export const PAYMENT_TRANSITIONS: Transitions<PaymentStatus> = {
  requires_action: ['processing', 'authorized', 'captured', 'canceled', 'expired', 'failed'],
  processing: ['requires_action', 'authorized', 'captured', 'canceled', 'expired', 'failed'],
  authorized: ['partially_captured', 'captured', 'canceled', 'expired'],
  partially_captured: ['captured'],
  captured: ['settled'],
  settled: [],
  canceled: [],
  expired: [],
  failed: [],
};

export type SourceType = 'card' | 'token' | 'cliq_request' | 'checkout' | 'terminal';

export type CaptureMode = 'automatic' | 'manual';

/** A decline as the payment shows it. */
export interface Decline {
  readonly code: DeclineCode;
  readonly networkCode: string | null;
}

/** An authorization that was declined. A checkout page offers another. */
export interface Attempt extends Decline {
  readonly at: Instant;
  readonly card: CardShown | null;
}

export interface Recurring {
  readonly reason: 'scheduled' | 'unscheduled' | 'installment';
  readonly previousNetworkReference: string | null;
}

/** What a payment keeps of its source, where that is no card. */
export interface SourceFacts {
  readonly tokenId?: Uuid;
  /** Of a payment at a reader. */
  readonly readerId?: Uuid;
  readonly actionId?: Uuid;
  /** Of a request to pay: what is shown of the alias. */
  readonly aliasMasked?: string;
  /** Of a request to pay: until when, by the book's time. */
  readonly requestExpiresAt?: Instant;
}

/** Where the payer has to go. */
export interface NextAction {
  readonly url: string;
  readonly expiresAt: Instant;
}

export interface Payment {
  readonly id: Uuid;
  readonly status: PaymentStatus;
  /** The customer account that is credited at release. */
  readonly accountId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  readonly captureMode: CaptureMode;
  readonly sourceType: SourceType;
  readonly acquirer: string;
  /** Null until a card is known. */
  readonly card: CardShown | null;
  readonly sourceFacts: SourceFacts | null;
  /** Of a request to pay: sealed for this row. */
  readonly aliasSealed: Buffer | null;
  /** The billing address, sealed for this row. Null where none was given, and once it is erased. */
  readonly billingSealed: Buffer | null;
  /** The customer for whom a token of its card is kept once it is authorized. Null too once it is erased, as all personal text. */
  readonly storeFor: string | null;
  readonly storedTokenId: Uuid | null;
  readonly initiator: 'customer' | 'merchant';
  readonly recurring: Recurring | null;
  readonly amountAuthorized: bigint;
  readonly amountCaptured: bigint;
  /** Of refunds that succeeded. */
  readonly amountRefunded: bigint;
  /** Of refunds under way: they count against what is refundable. */
  readonly amountRefunding: bigint;
  /** Of disputes that are open, lost or accepted. */
  readonly amountDisputed: bigint;
  /** How many it has had, inquiries included: at most DISPUTES_MAX. */
  readonly disputes: number;
  /** Of captures that the acquirer has paid. */
  readonly amountSettled: bigint;
  readonly amountTip: bigint;
  /** Pinned when it is accepted. */
  readonly feeFixed: bigint;
  readonly feeBasisPoints: bigint;
  /** Booked so far, less what refunds gave back. */
  readonly fee: bigint;
  readonly feeRefunded: bigint;
  readonly authorization: AuthorizationFacts | null;
  readonly decline: Decline | null;
  /** Declined authorizations, at most ATTEMPTS_MAX. */
  readonly attempts: readonly Attempt[];
  /** Of a challenge. The link to a checkout page is derived from the payment (checkout/checkout-link.ts). */
  readonly nextAction: NextAction | null;
  /** Of the token of its checkout page: SHA-256. */
  readonly checkoutDigest: Buffer | null;
  /** The operation under way that changes the authorization. */
  readonly pendingOperation: Uuid | null;
  /** The operation that authorized it: what later ones are about. */
  readonly authorizedBy: Uuid | null;
  readonly outcome: 'unknown' | null;
  readonly nextInquiryAt: Instant | null;
  /** Book time: when the authorization, or the time to act, runs out. Null where nothing does. */
  readonly expiresAt: Instant | null;
  /** The day of the book's calendar on which what was captured last is released: YYYY-MM-DD. */
  readonly availableOn: string | null;
  readonly statementDescriptor: string | null;
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  readonly description: string | null;
  readonly externalId: string | null;
  /** Null once it is erased. */
  readonly metadata: Record<string, string> | null;
  /** Null where it has no personal text. */
  readonly textSalt: Buffer | null;
  readonly requestId: Uuid;
  readonly version: number;
  /** `expiresAt` where the book's clock is not moved: when the sweeper looks. */
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Whether the payment has personal text, and so a salt. */
export function hasPaymentText(
  payment: Described & Pick<Payment, 'storeFor' | 'statementDescriptor' | 'returnUrl' | 'cancelUrl'>,
): boolean {
  const { storeFor, statementDescriptor, returnUrl, cancelUrl } = payment;
  return (storeFor ?? statementDescriptor ?? returnUrl ?? cancelUrl) !== null || hasText(payment);
}

export type PaymentAction = 'capture' | 'cancel' | 'increment' | 'refund';

export type PaymentWaitingOn = 'payer' | 'acquirer' | 'inquiry' | 'integrator' | 'nobody';

/** Of one payment. A page that offers more would be a way to try cards. */
export const ATTEMPTS_MAX = 10;

const OFFERS_ANOTHER: readonly SourceType[] = ['checkout', 'terminal'];

/** After a declined attempt, where the payer is still there: on the page, or at the reader. */
export function offersAnother({ sourceType, expiresAt }: Payment, attempts: number): boolean {
  return OFFERS_ANOTHER.includes(sourceType) && attempts < ATTEMPTS_MAX && expiresAt !== null;
}

/** Captures of one payment: a command that refunds it reads them all. */
export const CAPTURES_MAX = 50;

/** Refunds of one payment, those that failed too: verify reads them with their payment. */
export const REFUNDS_MAX = 500;

/** Disputes of one payment, including inquiries and won ones. Likewise; no payment is really disputed as often. */
export const DISPUTES_MAX = 500;

const CAPTURABLE: readonly PaymentStatus[] = ['authorized', 'partially_captured'];

/** The party whose step is next. */
export function waitingOn({ status, outcome, pendingOperation }: Payment): PaymentWaitingOn {
  if (status === 'requires_action') return 'payer';
  if (pendingOperation !== null) return outcome === 'unknown' ? 'inquiry' : 'acquirer';
  if (CAPTURABLE.includes(status)) return 'integrator';
  return 'nobody';
}

/** The payer has not given a card on the checkout page, or may give another. */
export function awaitsCard({ sourceType, status, pendingOperation, expiresAt }: Payment): boolean {
  return sourceType === 'checkout' && status === 'requires_action' && pendingOperation === null && expiresAt !== null;
}

/** What may still be captured. */
export function capturable({ status, amountAuthorized, amountCaptured }: Payment): bigint {
  return CAPTURABLE.includes(status) ? amountAuthorized - amountCaptured : 0n;
}

/** What may still be given back: refunds under way and disputes count against it. */
export function refundable(payment: Payment): bigint {
  const { amountCaptured, amountRefunded, amountRefunding, amountDisputed } = payment;
  const left = amountCaptured - amountRefunded - amountRefunding - amountDisputed;
  return left > 0n ? left : 0n;
}

/**
 * The payment, with amounts that a payment can have. Each step changes them by a difference: one that took more than there is would be
 * a bug, and throws RangeError.
 */
export function requireAmounts(payment: Payment): Payment {
  const { amountCaptured, amountRefunded, amountRefunding, amountDisputed, amountSettled, fee, feeRefunded } = payment;
  const isWithin = (part: bigint, all: bigint) => part >= 0n && part <= all;
  if (
    isWithin(amountCaptured, payment.amountAuthorized) &&
    isWithin(amountRefunded, amountCaptured - amountRefunding) &&
    isWithin(amountRefunding, amountCaptured) &&
    isWithin(amountDisputed, amountCaptured) &&
    isWithin(amountSettled, amountCaptured) &&
    isWithin(fee, amountCaptured) &&
    isWithin(feeRefunded, amountRefunded + amountRefunding)
  )
    return payment;
  throw new RangeError(`Payment ${payment.id} would have amounts that no payment can have`);
}

/** Whether its payer may ask the issuer for it back. What a payer approved at their own bank is final: it is a transfer, and no card. */
export function isDisputable({ sourceType }: Pick<Payment, 'sourceType'>): boolean {
  return sourceType !== 'cliq_request';
}

/** What may be asked of a payment now. While an operation is under way, nothing that would change the authorization. */
export function allowedActions(payment: Payment): readonly PaymentAction[] {
  const actions: PaymentAction[] = [];
  if (payment.pendingOperation === null) {
    if (CAPTURABLE.includes(payment.status)) actions.push('capture');
    if (CAPTURABLE.includes(payment.status)) actions.push('cancel');
    if (payment.status === 'authorized') actions.push('increment');
  }
  // Also while its authorization waits for the payer: it is taken back.
  if (payment.status === 'requires_action') actions.push('cancel');
  if (refundable(payment) > 0n) actions.push('refund');
  return actions;
}

/** Whether the action is in the way of an operation at the acquirer only: once that has ended, the same request may be allowed. */
export function isBusy({ pendingOperation, status }: Payment, action: string): boolean {
  return pendingOperation !== null && status !== 'requires_action' && action !== 'refund';
}

export function whyNotNow(payment: Payment, action: string): string {
  if (isBusy(payment, action)) return 'An operation of this payment is at the acquirer. Ask again once it has ended.';
  if (action === 'refund' && payment.amountCaptured > 0n)
    return 'Nothing of this payment is left to refund: all of it is refunded, being refunded or disputed.';
  if (action === 'refund') return `Nothing of this payment was captured: it is ${payment.status}.`;
  return `The payment is ${payment.status}${NEEDED[action] ?? ''}.`;
}

/** What a payment has to be for an action (allowedActions). */
const NEEDED: Readonly<Record<string, string>> = {
  capture: '; only an authorized or partially_captured payment can be captured',
  cancel: '; only a payment that is requires_action, authorized or partially_captured can be canceled',
  increment: '; only an authorized payment can be incremented',
};

/** What is charged for a payment of this kind: pinned when it is accepted. */
export function scheduleOf({ feeFixed, feeBasisPoints }: Pick<Payment, 'feeFixed' | 'feeBasisPoints'>): FeeSchedule {
  return { fixed: feeFixed, basisPoints: feeBasisPoints, minimum: null, maximum: null, rounding: 'half_even' };
}
