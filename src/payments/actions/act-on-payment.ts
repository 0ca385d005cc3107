/**
 * What an integrator asks of a payment: capture, cancel, increment. Each is an operation, written before the acquirer is called; one
 * at a time. The answer is the payment.
 */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { previewOf, storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { RESERVE_TOTAL, refuseTotals } from '../../ledger/command/lifetime-total.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { type NewOperation, newOperation, startOperation, withdrawOperation } from '../operations/new-operation.ts';
import { operationCounts } from '../operations/operation-counts-store.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import { CAPTURES_MAX, capturable, type Payment } from '../payment/payment.ts';
import { paymentResource } from '../payment/payment-resource.ts';
import { payments } from '../payment/payment-table.ts';
import { operationTouches, passedAccounts } from '../readers/payment-touches.ts';
import { capturedBy, captureFee, markIncremented, markVoided } from './payment-steps.ts';

export interface ActOnPayment extends Change {
  /** What the reference at the acquirer is derived from. */
  readonly idempotencyKey: string | null;
  /** The payment as it would be once the acquirer has agreed. */
  readonly dryRun?: boolean | undefined;
}

interface Prepared {
  readonly payment: Payment;
  /** The authorization: the payment's, or the one under way. */
  readonly authorization: PaymentOperation | undefined;
}

/** The payment has another operation than the one that was read. */
const MEANWHILE = 'The payment has changed meanwhile. Send the request again.';

/** Captures `amount`, by default all that is left. */
export function capturePayment(
  bookId: BookId,
  prepared: Prepared,
  input: ActOnPayment & { amount?: bigint | undefined; final?: boolean | undefined },
): Command<Stored | Refusal> {
  return act(bookId, prepared, { ...input, action: 'capture' }, (draft, payment, operation) => {
    if (payment.expiresAt !== null && payment.expiresAt <= draft.moment.book)
      return { refused: 'authorization_expired' };
    const left = capturable(payment);
    const amount = input.amount ?? left;
    if (amount > left)
      return {
        refused: 'capture_exceeds_authorized',
        param: '/amount',
        detail: `Only ${left} of the payment can still be captured.`,
        facts: { capturable: left },
      };
    const fee = captureFee(payment, amount);
    if (fee >= amount)
      return {
        refused: 'amount_below_minimum',
        param: '/amount',
        detail: `The fee of ${fee} would reach the amount.`,
        facts: { limit: fee + 1n },
      };
    if (draft.get(operationCounts, payment.id)!.captures >= CAPTURES_MAX)
      return {
        refused: 'limit_exceeded',
        detail: `A payment has at most ${CAPTURES_MAX} captures.`,
        facts: { limit: BigInt(CAPTURES_MAX) },
      };
    const { currency } = payment;
    const refusal = refuseTotals(draft, passedAccounts(bookId, payment), { amount, currency, limit: RESERVE_TOTAL });
    if (refusal) return refusal;
    return operation({ kind: 'capture', amount, final: input.final ?? amount === left });
  });
}

/** Asks for a larger authorization: `amount` is the new total. */
export function incrementPayment(
  bookId: BookId,
  prepared: Prepared,
  input: ActOnPayment & { amount: bigint },
): Command<Stored | Refusal> {
  return act(bookId, prepared, { ...input, action: 'increment' }, (draft, payment, operation) => {
    if (payment.expiresAt !== null && payment.expiresAt <= draft.moment.book)
      return { refused: 'authorization_expired' };
    if (input.amount <= payment.amountAuthorized)
      return {
        refused: 'amount_below_minimum',
        param: '/amount',
        detail: `Expects more than the ${payment.amountAuthorized} that is authorized: the amount is the new total.`,
        facts: { limit: payment.amountAuthorized + 1n },
      };
    return operation({ kind: 'increment', amount: input.amount });
  });
}

/**
 * Cancels the uncaptured amount. A payment that waits for its payer ends at once where the acquirer does not know it;
 * else the acquirer is asked to withdraw its request to the payer.
 */
export function cancelPayment(bookId: BookId, prepared: Prepared, input: ActOnPayment): Command<Stored | Refusal> {
  return act(bookId, prepared, { ...input, action: 'cancel' }, (draft, payment, operation) => {
    if (payment.pendingOperation !== null) {
      if (input.dryRun) return markVoided(draft, payment);
      if (payment.pendingOperation !== prepared.payment.pendingOperation) throw new StaleRead(MEANWHILE);
      withdrawOperation(draft, payment.pendingOperation, { isExpiry: false });
      return payment;
    }
    if (payment.authorizedBy === null) return markVoided(draft, payment);
    return operation({ kind: 'void', amount: capturable(payment) });
  });
}

type Operating = (given: Pick<NewOperation, 'kind' | 'amount' | 'final'>) => Payment;

/** Every action climbs the same ladder (ledger/resources/change-of.ts), then its own. */
function act(
  bookId: BookId,
  { payment, authorization }: Prepared,
  input: ActOnPayment & { readonly action: 'capture' | 'increment' | 'cancel' },
  decide: (draft: Draft, payment: Payment, operation: Operating) => Payment | Refusal,
): Command<Stored | Refusal> {
  const id: Uuid = newId();
  const underWay = payment.pendingOperation === null ? [] : [{ id: payment.pendingOperation }];
  const touches = [
    ...operationTouches(bookId, payment, [...(authorization ? [authorization] : []), ...underWay, { id }]),
    { table: operationCounts, ids: [payment.id] },
  ];
  const request = { ...input, id: payment.id, touches };
  return changeOf(paymentResource, request, (draft, current) => {
    const operation: Operating = (given) => {
      // Its authorization came after it was read, and what follows names it.
      if (current.authorizedBy !== (authorization?.id ?? null)) throw new StaleRead(MEANWHILE);
      const of = authorization === undefined ? undefined : draft.get(paymentOperations, authorization.id);
      const begun = newOperation(
        current,
        {
          ...given,
          id,
          reference: endToEndId(bookId, `${input.action} ${payment.id} ${input.idempotencyKey ?? id}`),
          of: of?.reference ?? null,
          requestId: input.requestId,
        },
        draft.moment,
      );
      if (input.dryRun) return carriedOut(draft, current, begun);
      startOperation(draft, begun);
      return advance(draft, paymentResource, current, { pendingOperation: id });
    };
    const decided = decide(draft, current, operation);
    if ('refused' in decided) return decided;
    return input.dryRun ? previewOf(draft, paymentResource, decided) : storedView(draft, paymentResource, decided);
  });
}

/** The payment once the acquirer has carried out the operation. Books nothing: a capture takes no money from an account. */
function carriedOut(draft: Draft, payment: Payment, operation: PaymentOperation): Payment {
  if (operation.kind === 'increment') return markIncremented(draft, payment, operation);
  if (operation.kind === 'void') return markVoided(draft, payment);
  return { ...payment, ...capturedBy(payment, operation) };
}

export interface PaymentActionRequest extends Asked {
  readonly paymentId: Uuid;
  readonly ifMatch?: number | undefined;
  readonly amount?: bigint | undefined;
  readonly final?: boolean | undefined;
}

/** The use case of an action. The payment is read for the accounts that it touches. */
function acting(
  command: (
    bookId: BookId,
    prepared: Prepared,
    input: PaymentActionRequest & ActOnPayment,
  ) => Command<Stored | Refusal>,
): UseCase<{ pool: Pool }, PaymentActionRequest> {
  return {
    async prepare({ pool }, input) {
      const payment = await payments.find(pool, input.bookId, input.paymentId);
      if (!payment) throw new ApiError('resource_not_found', { param: 'id' });
      const of = payment.authorizedBy;
      const authorization = of === null ? undefined : await paymentOperations.find(pool, input.bookId, of);
      return { command: command(input.bookId, { payment, authorization }, input) };
    },
  };
}

export const requestCapture = acting((bookId, read, input) => capturePayment(bookId, read, input));
export const requestCancel = acting((bookId, read, input) => cancelPayment(bookId, read, input));
export const requestIncrement = acting((bookId, read, input) =>
  incrementPayment(bookId, read, { ...input, amount: input.amount! }),
);
