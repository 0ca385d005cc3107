import type { Draft } from '../../ledger/command/draft.ts';
import { SENT_WITHIN_MS } from '../../outside/instructions/inquiry.ts';
import type { Instant, Moment } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Payment } from '../payment/payment.ts';
import type { OperationKind, PaymentOperation } from './payment-operation.ts';
import { paymentOperations } from './payment-operation-table.ts';

export interface NewOperation {
  readonly id: Uuid;
  readonly kind: OperationKind;
  readonly amount: bigint;
  readonly reference: string;
  readonly of: string | null;
  readonly disputeId?: Uuid;
  readonly token?: string | null;
  readonly final?: boolean;
  readonly reason?: string | null;
  /** Of the reason. */
  readonly textSalt?: Buffer | null;
  readonly payerUntil?: Instant | null;
  readonly requestId: Uuid;
}

/** What is sent to the acquirer next. Written before anybody calls it. */
export function newOperation(payment: Payment, given: NewOperation, moment: Moment): PaymentOperation {
  return {
    id: given.id,
    paymentId: payment.id,
    accountId: payment.accountId,
    kind: given.kind,
    status: 'pending',
    amount: given.amount,
    currency: payment.currency,
    acquirer: payment.acquirer,
    reference: given.reference,
    of: given.of,
    disputeId: given.disputeId ?? null,
    token: given.token ?? null,
    final: given.final ?? false,
    reason: given.reason ?? null,
    textSalt: given.textSalt ?? null,
    fee: 0n,
    portions: [],
    outcome: null,
    inquiries: 0,
    nextInquiryAt: null,
    sentAt: moment.wall,
    payerUntil: given.payerUntil ?? null,
    withdrawn: false,
    failureCode: null,
    networkCode: null,
    acquirerReference: null,
    settledAt: null,
    failureSettledAt: null,
    releaseSchedule: null,
    entryIds: [],
    requestId: given.requestId,
    version: 1,
    dueAt: moment.wall + SENT_WITHIN_MS,
    createdAt: moment.book,
    updatedAt: moment.book,
  };
}

/** The acquirer is asked to withdraw the request to the payer. If the payer answered before, that answer counts. */
export function withdrawOperation(draft: Draft, id: Uuid, why: { isExpiry: boolean }): void {
  const now = draft.moment.wall;
  const operation = draft.get(paymentOperations, id)!;
  const change = why.isExpiry ? { payerUntil: now } : { withdrawn: true };
  draft.put(paymentOperations, id, { ...operation, ...change, nextInquiryAt: now, dueAt: now });
  draft.enqueue({ pool: 'payments', job: 'operation.inquire', id });
}

/** Puts the operation and enqueues it. */
export function startOperation(draft: Draft, operation: PaymentOperation): void {
  draft.put(paymentOperations, operation.id, operation);
  draft.enqueue({ pool: 'payments', job: 'operation.submit', id: operation.id });
}
