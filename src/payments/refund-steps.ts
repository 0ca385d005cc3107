/**
 * Where the money of a refund comes from, and where it goes when the refund fails (API.md §4): the payment's own part of what waits
 * for its release first, then the customer's available balance, then what else waits for the account.
 */

import type { Uuid } from '../ids.ts';
import { available } from '../ledger/account.ts';
import type { BookId } from '../ledger/book.ts';
import type { Touch } from '../ledger/command.ts';
import type { Draft } from '../ledger/draft.ts';
import type { Entry, PostingDraft } from '../ledger/entry.ts';
import { advance } from '../ledger/resource.ts';
import { changeShare } from './earn-share.ts';
import type { Payment } from './payment.ts';
import type { PaymentOperation, Portion } from './payment-operation.ts';
import { paymentOperations } from './payment-operation-table.ts';
import { paymentResource } from './payment-resource.ts';
import { payments } from './payment-table.ts';
import { allocatedFee } from './refund-fee.ts';
import type { PaymentShare } from './share.ts';
import { paymentShares } from './share-table.ts';
import { takesBack } from './takes-back.ts';

/** The shares that a refund took from: a failure gives back to them. */
export function refundTouches(_bookId: BookId, _payment: Payment, operation: PaymentOperation): Touch[] {
  return [{ table: paymentShares, ids: sharesOf(operation.portions) }];
}

const sharesOf = (portions: readonly Portion[]) =>
  portions.map(({ shareId }) => shareId).filter((id): id is Uuid => id !== null);

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
  const entries = [giveBack(draft, operation, { from: 'refunds_in_transit', step: 'failed' })];
  advance(draft, paymentResource, payment, {
    amountRefunding: payment.amountRefunding - operation.amount,
    fee: payment.fee + operation.fee,
    feeRefunded: payment.feeRefunded - operation.fee,
  });
  return { entries, change: { portions: [] } };
}

/** It had succeeded: the acquirer gives the amount back. */
export function failRefundLate(draft: Draft, payment: Payment, operation: PaymentOperation) {
  const entries = [giveBack(draft, operation, { from: 'acquirer', step: 'failed_late' })];
  advance(draft, paymentResource, payment, {
    amountRefunded: payment.amountRefunded - operation.amount,
    fee: payment.fee + operation.fee,
    feeRefunded: payment.feeRefunded - operation.fee,
  });
  return { entries, change: { portions: [] } };
}

/**
 * What is given back goes to the shares that it came from while they are open, else to the customer; the operator takes its fee
 * again, from the same places.
 */
function giveBack(
  draft: Draft,
  operation: PaymentOperation,
  { from, step }: { from: 'refunds_in_transit' | 'acquirer'; step: string },
): Entry {
  const { currency, accountId, fee } = operation;
  const payment = draft.get(payments, operation.paymentId)!;
  const source = draft.chart(from, currency).id;
  const pending = draft.chart('merchant_pending', currency).id;
  const operator = draft.chart('due_operator', currency).id;
  const postings: PostingDraft[] = [];
  // The portions say what left: the amount less the fee that the operator gave.
  const back = operation.portions.map((portion) => {
    const share = portion.shareId === null ? undefined : draft.get(paymentShares, portion.shareId);
    return { ...portion, share: share && takesBack(share, payment) ? share : undefined };
  });
  let feeLeft = fee;
  for (const { share, amount } of back) {
    const target = share ? pending : accountId;
    const taken = feeLeft;
    feeLeft = 0n;
    postings.push({ debit: source, credit: target, amount: amount + taken });
    postings.push({ debit: target, credit: operator, amount: taken });
    if (share) changeShare(draft, draft.get(paymentShares, share.id)!, { operation, amount });
  }
  if (back.length === 0) postings.push({ debit: source, credit: operator, amount: fee });
  return draft.post({
    resource: 'refund',
    resourceId: operation.id,
    step,
    allowClosed: true,
    allowFrozen: true,
    postings,
  });
}

/** What a refund needs beside the payment: its captures, and the account's open shares, of which the last to be released come first. */
export interface RefundSources {
  readonly captures: readonly Uuid[];
  readonly shares: readonly Uuid[];
}

/** Takes the money of a refund out of its sources and books it. Undefined where they have too little. */
export function takeRefund(
  draft: Draft,
  payment: Payment,
  operation: PaymentOperation,
  sources: RefundSources,
): { entry: Entry; operation: PaymentOperation } | { missing: bigint; available: bigint } {
  const { amount, currency, accountId } = operation;
  const fee = allocatedFee(payment, amount);
  const needed = amount - fee;
  const captures = sources.captures.map((id) => draft.get(paymentOperations, id)).filter((one) => one !== undefined);
  const account = draft.account(accountId);
  const canLeave = account.status === 'open' ? max(available(account) - (account.floor ?? 0n), 0n) : 0n;
  const taken: { share: PaymentShare | undefined; amount: bigint }[] = [];
  let left = needed;
  const own = new Set<Uuid>();
  const take = (share: PaymentShare | undefined, most: bigint) => {
    const part = min(left, most);
    if (part <= 0n) return;
    taken.push({ share, amount: part });
    left -= part;
  };
  for (const portion of captures.flatMap(({ portions }) => portions)) {
    const share = portion.shareId === null ? undefined : draft.get(paymentShares, portion.shareId);
    if (share?.status !== 'open') continue;
    own.add(share.id);
    take(share, min(portion.amount, share.amount - takenOf(taken, share)));
  }
  take(undefined, canLeave);
  for (const id of sources.shares) {
    const share = draft.get(paymentShares, id);
    if (share?.status === 'open') take(share, share.amount - takenOf(taken, share));
  }
  if (left > 0n) return { missing: left, available: needed - left };

  const pending = draft.chart('merchant_pending', currency).id;
  const transit = draft.chart('refunds_in_transit', currency).id;
  const operator = draft.chart('due_operator', currency).id;
  const postings: PostingDraft[] = [];
  let feeLeft = fee;
  for (const { share, amount: part } of taken) {
    const source = share ? pending : accountId;
    // The operator gives its fee to the first source, which passes it on with its own part.
    postings.push({ debit: operator, credit: source, amount: feeLeft });
    postings.push({ debit: source, credit: transit, amount: part + feeLeft });
    feeLeft = 0n;
  }
  // A fee as large as the amount needs no source: it passes through what is pending.
  if (taken.length === 0) {
    postings.push({ debit: operator, credit: pending, amount: fee });
    postings.push({ debit: pending, credit: transit, amount: fee });
  }
  const entry = draft.post({ resource: 'refund', resourceId: operation.id, step: 'refunded', postings });
  const portions: Portion[] = taken.map(({ share, amount: part }) => ({ shareId: share?.id ?? null, amount: part }));
  for (const { share, amount: part } of taken)
    if (share) changeShare(draft, draft.get(paymentShares, share.id)!, { operation, amount: -part });
  return { entry, operation: { ...operation, fee, portions, entryIds: [entry.id] } };
}

/** What a refund touches to find its money. */
export function sourceTouches({ captures, shares }: RefundSources, own: readonly Uuid[]): Touch[] {
  return [
    { table: paymentOperations, ids: [...captures] },
    { table: paymentShares, ids: [...new Set([...own, ...shares])] },
  ];
}

const takenOf = (taken: readonly { share: PaymentShare | undefined; amount: bigint }[], share: PaymentShare) =>
  taken.reduce((sum, one) => (one.share?.id === share.id ? sum + one.amount : sum), 0n);

const min = (one: bigint, other: bigint) => (one < other ? one : other);
const max = (one: bigint, other: bigint) => (one > other ? one : other);
