/** The journal of a refund: where its money comes from (take-from-sources.ts), and where it goes when the refund fails. */
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
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
import { allocatedFee } from './refund-fee.ts';
import type { PaymentShare } from './share.ts';
import { paymentShares } from './share-table.ts';
import {
  accountOf,
  changeLeft,
  type MoneySources,
  moneyOf,
  planTaking,
  requireSources,
  sharesOf,
  takePortions,
} from './take-from-sources.ts';
import { takesBack } from './takes-back.ts';

/** What a refund that fails gives back to: the shares that it took from, and those that its captures wait in now. */
export function refundTouches(operation: PaymentOperation, moved: readonly Uuid[]): Touch[] {
  return [
    { table: paymentOperations, ids: capturesOf(operation) },
    { table: paymentShares, ids: [...new Set([...sharesOf(operation), ...moved])] },
  ];
}

/** The shares that the captures of a refund wait in now: money that was settled meanwhile has moved to another share. */
export async function readMovedShares(pool: Pool, bookId: BookId, operation: PaymentOperation): Promise<Uuid[]> {
  const ids = capturesOf(operation);
  if (ids.length === 0) return [];
  return [...(await paymentOperations.load(pool, bookId, ids)).values()].flatMap(sharesOf);
}

function capturesOf({ portions }: PaymentOperation): Uuid[] {
  return [...new Set(portions.flatMap(({ captureId }) => captureId ?? []))];
}

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
export function failRefund(draft: Draft, payment: Payment, operation: PaymentOperation, moved: readonly Uuid[]) {
  const entries = [giveBack(draft, operation, { from: 'refunds_in_transit', step: 'failed', moved })];
  advance(draft, paymentResource, payment, {
    amountRefunding: payment.amountRefunding - operation.amount,
    fee: payment.fee + operation.fee,
    feeRefunded: payment.feeRefunded - operation.fee,
  });
  return { entries, change: { portions: [], fee: 0n } };
}

/** It had succeeded: the acquirer gives the amount back. */
export function failRefundLate(draft: Draft, payment: Payment, operation: PaymentOperation, moved: readonly Uuid[]) {
  const entries = [giveBack(draft, operation, { from: 'acquirer', step: 'failed_late', moved })];
  advance(draft, paymentResource, payment, {
    amountRefunded: payment.amountRefunded - operation.amount,
    fee: payment.fee + operation.fee,
    feeRefunded: payment.feeRefunded - operation.fee,
  });
  return { entries, change: { portions: [], fee: 0n } };
}

/**
 * What is given back goes to the shares that it came from while they are open, else to the customer; the operator takes its fee
 * again, from the same places.
 */
function giveBack(
  draft: Draft,
  operation: PaymentOperation,
  { from, step, moved }: { from: 'refunds_in_transit' | 'acquirer'; step: string; moved: readonly Uuid[] },
): Entry {
  const { currency, fee } = operation;
  const source = draft.chart(from, currency).id;
  const operator = draft.chart('due_operator', currency).id;
  const read = new Set([...sharesOf(operation), ...moved]);
  const postings: PostingDraft[] = [];
  // The portions say what left: the amount less the fee that the operator gave.
  let taken = fee;
  for (const portion of operation.portions) {
    const share = shareOf(draft, operation, portion, read);
    const target = accountOf(draft, operation, share?.id ?? null);
    postings.push({ debit: source, credit: target, amount: portion.amount + taken });
    postings.push({ debit: target, credit: operator, amount: taken });
    taken = 0n;
    if (!share) continue;
    const lent = share.kind === 'waiting' && !portion.captureId ? -portion.amount : 0n;
    changeShare(draft, share, { operation, amount: portion.amount, lent });
    if (portion.captureId) changeLeft(draft, portion.captureId, { shareId: share.id, amount: portion.amount });
  }
  if (operation.portions.length === 0) postings.push({ debit: source, credit: operator, amount: fee });
  return draft.post({
    resource: 'refund',
    resourceId: operation.id,
    step,
    allowClosed: true,
    allowFrozen: true,
    // A dispute may have taken the account below its floor, and the fee passes through it.
    overrideFloor: true,
    postings,
  });
}

/**
 * The open share that a portion goes back to; undefined where the customer gets it at once. What was taken of a capture goes to the
 * share in which that capture waits now, of a reserve to its reserve: settled money never goes back to a share that waits for the
 * acquirer. The customer gets it where the capture has moved to a share that the command did not read, and where the account is
 * closed, since nothing is to wait for a release there.
 */
function shareOf(
  draft: Draft,
  { accountId }: PaymentOperation,
  { shareId, captureId, amount }: Portion,
  read: ReadonlySet<Uuid>,
): PaymentShare | undefined {
  if (draft.account(accountId).status === 'closed') return undefined;
  const open = (id: Uuid | null) => {
    const share = id === null || !read.has(id) ? undefined : draft.get(paymentShares, id);
    return share?.status === 'open' ? share : undefined;
  };
  if (captureId === undefined) {
    const share = open(shareId);
    return share && takesBack(share, amount) ? share : undefined;
  }
  const capture = draft.get(paymentOperations, captureId)!;
  const wasReserve = draft.get(paymentShares, shareId!)?.isReserve;
  for (const portion of capture.portions) {
    const share = open(portion.shareId);
    if (share && share.isReserve === wasReserve && (share.kind === 'ready' || capture.settledAt === null)) return share;
  }
  return undefined;
}

/** Takes the money of a refund out of its sources and books it. Says what is missing where they have too little. */
export function takeRefund(
  draft: Draft,
  payment: Payment,
  operation: PaymentOperation,
  sources: MoneySources,
): { entry: Entry; operation: PaymentOperation } | { missing: bigint; available: bigint } {
  const { amount, currency, accountId } = operation;
  requireSources(draft, payment, sources);
  const fee = allocatedFee(payment, amount);
  const needed = amount - fee;
  const money = moneyOf(draft, accountId, sources);
  // A closed account may have got money back since; nothing leaves it.
  const leaves = draft.account(accountId).status === 'open' ? money.available : 0n;
  const { portions, missing } = planTaking(needed, { ...money, available: leaves });
  if (missing > 0n) return { missing, available: needed - missing };

  const transit = draft.chart('refunds_in_transit', currency).id;
  const operator = draft.chart('due_operator', currency).id;
  const postings: PostingDraft[] = [];
  // The operator gives its fee to the first source, which passes it on with its own part. A fee as large as the amount needs no
  // source: it passes through what is pending.
  let given = fee;
  for (const portion of portions.length > 0 ? portions : [NOTHING]) {
    const source =
      portion === NOTHING ? draft.chart('merchant_pending', currency).id : accountOf(draft, payment, portion.shareId);
    postings.push({ debit: operator, credit: source, amount: given });
    postings.push({ debit: source, credit: transit, amount: portion.amount + given });
    given = 0n;
  }
  const entry = draft.post({ resource: 'refund', resourceId: operation.id, step: 'refunded', postings });
  takePortions(draft, operation, portions);
  return { entry, operation: { ...operation, fee, portions, entryIds: [entry.id] } };
}

const NOTHING: Portion = { shareId: null, amount: 0n };
