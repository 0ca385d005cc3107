/** Refunds a payment: its funding is debited with the request, and the acquirer is called afterwards. */
import { resultingBalances } from '../../accounts/account/resulting-balances.ts';
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { previewOf } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { changeOf } from '../../ledger/resources/change-of.ts';
import { advance, announce } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { newOperation, startOperation } from '../operations/new-operation.ts';
import { operationCounts } from '../operations/operation-counts-store.ts';
import { refundResource } from '../operations/operation-resources.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import { type Payment, REFUNDS_MAX, refundable } from '../payment/payment.ts';
import { paymentResource } from '../payment/payment-resource.ts';
import { payments } from '../payment/payment-table.ts';
import { operationTouches } from '../readers/payment-touches.ts';
import { takeRefund } from './refund-steps.ts';
import { type Funding, fundingTouches, readFunding } from './take-funding.ts';

export interface RefundRequest extends Asked {
  readonly paymentId: Uuid;
  readonly ifMatch?: number | undefined;
  /** Left out: all that is refundable. */
  readonly amount?: bigint | undefined;
  readonly reason?: string | null | undefined;
}

export const requestRefund: UseCase<{ pool: Pool }, RefundRequest> = {
  async prepare({ pool }, input) {
    const { bookId, paymentId } = input;
    const payment = await payments.find(pool, bookId, paymentId);
    if (!payment) throw new ApiError('resource_not_found', { param: 'id' });
    const funding = await readFunding(pool, bookId, payment);
    const of =
      payment.authorizedBy === null ? undefined : await paymentOperations.find(pool, bookId, payment.authorizedBy);
    return { command: refundPayment(bookId, { payment, funding, of }, input) };
  },
};

export function refundPayment(
  bookId: BookId,
  read: { payment: Payment; funding: Funding; of: PaymentOperation | undefined },
  input: RefundRequest,
): Command<Stored | Refusal> {
  const { payment, funding, of } = read;
  const id = newId();
  const { reason = null } = input;
  const textSalt = reason === null ? null : newSalt();
  const touches = [
    ...operationTouches(bookId, payment, [{ id }]),
    ...fundingTouches(funding),
    { table: operationCounts, ids: [payment.id] },
  ];
  const request = { ...input, id: payment.id, action: 'refund', touches };
  return changeOf<Payment, Stored>(paymentResource, request, (draft, current) => {
    if (of === undefined) throw new StaleRead('The payment has changed meanwhile. Send the request again.');
    const amount = input.amount ?? refundable(current);
    const refusal = refuseRefund(draft, current, amount);
    if (refusal) return refusal;
    const begun = newOperation(
      current,
      {
        id,
        kind: 'refund',
        amount,
        reason,
        textSalt,
        reference: endToEndId(bookId, `refund ${payment.id} ${input.idempotencyKey ?? id}`),
        of: of.reference,
        requestId: input.requestId,
      },
      draft.moment,
    );
    const taken = takeRefund(draft, current, begun, funding);
    if ('missing' in taken)
      return {
        refused: 'insufficient_funds',
        param: '/amount',
        detail: `What waits for release and what the account has available come to ${taken.available}.`,
        facts: {
          available: taken.available,
          required: taken.available + taken.missing,
          currency: current.currency,
          currency_exponent: currencyExponent(current.currency),
        },
      };
    const { entry, operation } = taken;
    if (input.dryRun)
      return previewOf(
        draft,
        refundResource,
        { ...operation, entryIds: [] },
        {
          resulting_balances: resultingBalances(draft.account(current.accountId)),
        },
      );
    startOperation(draft, operation);
    const counts = draft.get(operationCounts, payment.id)!;
    draft.put(operationCounts, payment.id, { ...counts, refunds: counts.refunds + 1 });
    advance(draft, paymentResource, current, {
      amountRefunding: current.amountRefunding + amount,
      fee: current.fee - operation.fee,
      feeRefunded: current.feeRefunded + operation.fee,
    });
    announce(draft, refundResource, operation, { event: 'refund.created', entries: [entry] });
    return {
      status: 202,
      body: writeJson(refundResource.view(operation, draft)),
      resource: 'refund',
      resourceId: id,
    };
  });
}

/** The guards that need no funding. */
function refuseRefund(draft: Draft, payment: Payment, amount: bigint): Refusal | undefined {
  const left = refundable(payment);
  if (amount > left)
    return {
      refused: 'refund_exceeds_captured',
      param: '/amount',
      detail: `Only ${left} of the payment can still be refunded.`,
      facts: { refundable: left },
    };
  if (draft.get(operationCounts, payment.id)!.refunds >= REFUNDS_MAX)
    return {
      refused: 'limit_exceeded',
      detail: `A payment has at most ${REFUNDS_MAX} refunds.`,
      facts: { limit: BigInt(REFUNDS_MAX) },
    };
  const { status } = draft.account(payment.accountId);
  if (status === 'frozen')
    return { refused: 'account_frozen', detail: 'The account of the payment is frozen: nothing leaves it.' };
  if (status === 'closed')
    return { refused: 'account_closed', detail: 'The account of the payment is closed: it has nothing to give back.' };
  return undefined;
}
