/**
 * The journal of a refund: where its money comes from (take-funding.ts), and where it goes when the refund fails
 * (give-back.ts).
 */
import { waitInClosed } from '../../exceptions/wait-in-closed.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Entry, PostingDraft } from '../../ledger/entry/entry.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { multiplyRatio } from '../../money/rounding.ts';
import { type PaymentOperation, type Portion, sumOfPortions } from '../operations/payment-operation.ts';
import type { Payment } from '../payment/payment.ts';
import { paymentResource } from '../payment/payment-resource.ts';
import { giveBack } from './give-back.ts';
import { accountOf, type Funding, moneyOf, planTaking, requireFunding, takePortions } from './take-funding.ts';

/** refunds_in_transit → acquirer. */
export function succeedRefund(draft: Draft, payment: Payment, operation: PaymentOperation): Entry[] {
  const { currency, amount } = operation;
  const entry = draft.post({
    resource: 'refund',
    resourceId: operation.id,
    step: 'succeeded',
    postings: [
      {
        debit: draft.chart('refunds_in_transit', currency).id,
        credit: draft.chart('acquirer', currency).id,
        amount,
      },
    ],
  });
  advance(draft, paymentResource, payment, {
    amountRefunding: payment.amountRefunding - amount,
    amountRefunded: payment.amountRefunded + amount,
  });
  return [entry];
}

/** It failed on its way: back to where it came from, and the fee to the operator. */
export function failRefund(draft: Draft, payment: Payment, operation: PaymentOperation) {
  const entries = [bookFailure(draft, operation, { from: 'refunds_in_transit', step: 'failed' })];
  advance(draft, paymentResource, payment, {
    amountRefunding: payment.amountRefunding - operation.amount,
    fee: payment.fee + operation.fee,
    feeRefunded: payment.feeRefunded - operation.fee,
  });
  return { entries, change: { fee: 0n } };
}

/** It had succeeded: the acquirer gives the amount back. */
export function failRefundLate(draft: Draft, payment: Payment, operation: PaymentOperation) {
  const entries = [bookFailure(draft, operation, { from: 'acquirer', step: 'failed_late' })];
  advance(draft, paymentResource, payment, {
    amountRefunded: payment.amountRefunded - operation.amount,
    fee: payment.fee + operation.fee,
    feeRefunded: payment.feeRefunded - operation.fee,
  });
  return { entries, change: { fee: 0n } };
}

/** Back to where it came from (give-back.ts). The operator takes its fee again, through the first of these places. */
function bookFailure(
  draft: Draft,
  operation: PaymentOperation,
  { from, step }: { from: 'refunds_in_transit' | 'acquirer'; step: string },
): Entry {
  const { id, currency, fee } = operation;
  requirePortions(operation);
  const payer = draft.chart(from, currency).id;
  const operator = draft.chart('due_operator', currency).id;
  const postings: PostingDraft[] = [];
  // The portions are what the account paid: the amount less the fee that the operator gave.
  let taken = fee;
  const parts = operation.portions.flatMap((portion) => giveBack(draft, operation, portion, portion.amount));
  for (const { account, amount } of parts) {
    postings.push({ debit: payer, credit: account, amount: amount + taken });
    postings.push({ debit: account, credit: operator, amount: taken });
    taken = 0n;
  }
  if (parts.length === 0) postings.push({ debit: payer, credit: operator, amount: fee });
  return draft.post({
    resource: 'refund',
    resourceId: id,
    step,
    // The fee passes through it.
    debitClosed: true,
    creditClosed: waitInClosed(draft, {
      kind: 'failed_refund_to_closed_account',
      resource: 'refund',
      resourceId: id,
      detail: 'A refund failed after its account was closed. Its money was booked there and waits for a person.',
    }),
    allowFrozen: true,
    // A dispute may have taken the account below its floor, and the fee passes through it.
    overrideFloor: true,
    postings,
  });
}

/** Throws RangeError where the portions are not all that left: less or more than that would be booked. */
function requirePortions({ id, amount, fee, portions }: PaymentOperation): void {
  const taken = sumOfPortions(portions);
  if (taken !== amount - fee)
    throw new RangeError(
      `Refund ${id} took ${taken} in portions, and ${amount} less a fee of ${fee} is to be given back`,
    );
}

/** Takes a refund out of its funding and books it. Returns what is missing where the funding is too small. */
export function takeRefund(
  draft: Draft,
  payment: Payment,
  operation: PaymentOperation,
  funding: Funding,
): { entry: Entry; operation: PaymentOperation } | { missing: bigint; available: bigint } {
  const { amount, currency, accountId } = operation;
  requireFunding(draft, payment, funding);
  const fee = allocatedFee(payment, amount);
  const needed = amount - fee;
  const money = moneyOf(draft, accountId, funding);
  // A closed account may have been given money back since; nothing leaves it.
  const leaves = draft.account(accountId).status === 'open' ? money.available : 0n;
  const { portions, missing } = planTaking(needed, { ...money, available: leaves });
  if (missing > 0n) return { missing, available: needed - missing };

  const transit = draft.chart('refunds_in_transit', currency).id;
  const operator = draft.chart('due_operator', currency).id;
  const postings: PostingDraft[] = [];
  // The operator's fee goes to the account of the first portion, which passes it on with its own part. A fee as large
  // as the amount needs no portion: it passes through merchant_pending.
  let given = fee;
  for (const portion of portions.length > 0 ? portions : [NOTHING]) {
    const payer =
      portion === NOTHING ? draft.chart('merchant_pending', currency).id : accountOf(draft, payment, portion.shareId);
    postings.push({ debit: operator, credit: payer, amount: given });
    postings.push({ debit: payer, credit: transit, amount: portion.amount + given });
    given = 0n;
  }
  const entry = draft.post({ resource: 'refund', resourceId: operation.id, step: 'refunded', postings });
  takePortions(draft, operation, portions);
  return { entry, operation: { ...operation, fee, portions, entryIds: [entry.id] } };
}

const NOTHING: Portion = { shareId: null, amount: 0n };

export type ChargedPayment = Pick<
  Payment,
  'amountCaptured' | 'amountRefunded' | 'amountRefunding' | 'fee' | 'feeRefunded' | 'feeFixed'
>;

/**
 * What of the fee a refund gives back: the part in basis points, in cumulative proportion. All refunds together give back what one of their
 * sum would, so that no rounding adds up. Never below zero, since refunds that failed may have given back less than their part, and never more than the
 * refund itself: what is left over waits for the next one. The fixed part is the operator's for its work.
 */
export function allocatedFee(payment: ChargedPayment, amount: bigint): bigint {
  const { amountCaptured, amountRefunded, amountRefunding, fee, feeRefunded, feeFixed } = payment;
  const charged = fee + feeRefunded - feeFixed;
  if (charged <= 0n || amountCaptured === 0n) return 0n;
  const refunded = amountRefunded + amountRefunding + amount;
  const ratio = { numerator: refunded, denominator: amountCaptured };
  const back = multiplyRatio(charged, ratio, 'down') - feeRefunded;
  if (back <= 0n) return 0n;
  return back < amount ? back : amount;
}
