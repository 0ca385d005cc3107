/**
 * The funding of refunds and chargebacks (API.md §4): the payment's own part of what waits for its release first, then
 * the customer's available balance, then what else waits for the account's releases.
 */
import type { Pool } from '../../db/pool.ts';
import { available } from '../../ledger/account/account.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PaymentOperation, Portion } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import type { Payment } from '../payment/payment.ts';
import { changeShare } from '../shares/earn-share.ts';
import { paymentShares } from '../shares/share-table.ts';
import { listCapturesToRefund, listOpenShares } from './funding-store.ts';

/**
 * The rows that can fund it: the payment's captures, and the account's shares in the order in which they are taken
 * from.
 */
export interface Funding {
  readonly captures: readonly Uuid[];
  /** Shares that the captures wait in. */
  readonly own: readonly Uuid[];
  readonly shares: readonly Uuid[];
}

/** What is there, as one decision sees it. */
export interface Money {
  /** What is left of each capture, in the order in which it is taken. */
  readonly own: readonly { readonly captureId: Uuid; readonly shareId: Uuid; readonly amount: bigint }[];
  /** Of the customer. Below zero counts as nothing. */
  readonly available: bigint;
  /** Shares of the account, in the order in which they are taken from. */
  readonly others: readonly Uuid[];
  /** What open shares hold. Those that are released, or unknown, are absent. */
  readonly held: ReadonlyMap<Uuid, bigint>;
}

/**
 * A portion for each share, and the customer, that gives a part; `missing` is the rest. Throws RangeError for a need
 * below zero.
 */
export function planTaking(needed: bigint, money: Money): { portions: Portion[]; missing: bigint } {
  if (needed < 0n) throw new RangeError(`Sources cannot give ${needed}`);
  const held = new Map(money.held);
  const portions: Portion[] = [];
  let missing = needed;
  const take = (most: bigint, from: Omit<Portion, 'amount'>) => {
    const inShare = from.shareId === null ? most : min(most, held.get(from.shareId) ?? 0n);
    const amount = min(missing, inShare);
    if (amount <= 0n) return;
    if (from.shareId !== null) held.set(from.shareId, held.get(from.shareId)! - amount);
    portions.push({ ...from, amount });
    missing -= amount;
  };
  for (const { captureId, shareId, amount } of money.own) take(amount, { shareId, captureId });
  take(money.available, { shareId: null });
  for (const shareId of money.others) take(held.get(shareId) ?? 0n, { shareId });
  return { portions, missing };
}

/**
 * Throws StaleRead where a capture of the payment has come since, or has moved to a share that was not read: what it
 * earned would not be found. The request is read and decided again, and nothing is stored of this attempt.
 */
export function requireFunding(draft: Draft, { amountCaptured }: Payment, funding: Funding): void {
  const read = new Set([...funding.own, ...funding.shares]);
  let captured = 0n;
  let isMissed = false;
  for (const id of funding.captures) {
    const capture = draft.get(paymentOperations, id)!;
    captured += capture.amount;
    isMissed ||= sharesOf(capture).some((share) => !read.has(share));
  }
  if (isMissed || captured !== amountCaptured) throw new StaleRead('A capture of the payment has moved meanwhile.');
}

/** What the funding comes to. The caller judges the status of the account: the balance of a frozen one counts here. */
export function moneyOf(draft: Draft, accountId: Uuid, funding: Funding): Money {
  const held = new Map<Uuid, bigint>();
  const reserves = new Set<Uuid>();
  for (const id of new Set([...funding.own, ...funding.shares])) {
    const share = draft.get(paymentShares, id);
    if (share?.status === 'open') held.set(id, share.amount);
    if (share?.isReserve) reserves.add(id);
  }
  const own = funding.captures.flatMap((captureId) =>
    (draft.get(paymentOperations, captureId)?.portions ?? []).flatMap(({ shareId, amount }) =>
      shareId === null ? [] : [{ captureId, shareId, amount }],
    ),
  );
  // Of all captures, what is reserved gives last.
  own.sort((one, other) => Number(reserves.has(one.shareId)) - Number(reserves.has(other.shareId)));
  const account = draft.account(accountId);
  return { own, available: available(account) - (account.floor ?? 0n), others: funding.shares, held };
}

/**
 * Takes the portions out of their shares, and off the rests of the captures. The customer's portion is moved by the
 * entry alone.
 */
export function takePortions(
  draft: Draft,
  operation: Pick<PaymentOperation, 'id' | 'paymentId'>,
  portions: readonly Portion[],
): void {
  for (const portion of portions) {
    const { shareId, captureId, amount } = portion;
    if (shareId === null) continue;
    const share = draft.get(paymentShares, shareId)!;
    // It is lent by captures of other payments: a failure returns it to them if the acquirer has not paid them by then.
    const lent = share.kind === 'waiting' && !captureId ? amount : 0n;
    changeShare(draft, share, { operation, amount: -amount, lent });
    if (captureId) changeLeft(draft, captureId, { shareId, amount: -amount });
  }
}

/**
 * Changes the rest of a capture in one of its shares, and adds a portion for a share that it had left. Throws
 * RangeError where the rest would fall below zero.
 */
export function changeLeft(
  draft: Draft,
  captureId: Uuid,
  { shareId, amount }: { shareId: Uuid; amount: bigint },
): void {
  const capture = draft.get(paymentOperations, captureId)!;
  const at = capture.portions.findIndex((portion) => portion.shareId === shareId);
  const left = (capture.portions[at]?.amount ?? 0n) + amount;
  if (left < 0n) throw new RangeError(`Capture ${captureId} would have ${left} left`);
  const portion = { shareId, amount: left };
  const portions = at < 0 ? [...capture.portions, portion] : capture.portions.with(at, portion);
  // Nothing that is shown changes: the version stays.
  draft.put(paymentOperations, captureId, { ...capture, portions });
}

/** The account that gives or gets a portion. */
export function accountOf(
  draft: Draft,
  { accountId, currency }: Pick<Payment, 'accountId' | 'currency'>,
  shareId: Uuid | null,
): Uuid {
  return shareId === null ? accountId : draft.chart('merchant_pending', currency).id;
}

/** Reads the rows that can fund it, as they are now. Captures and shares that come later are not used. */
export async function readFunding(
  pool: Pool,
  bookId: BookId,
  payment: Pick<Payment, 'id' | 'accountId'>,
): Promise<Funding> {
  const captures = await listCapturesToRefund(pool, bookId, payment.id);
  const shares = await listOpenShares(pool, bookId, payment.accountId);
  return { captures: captures.map(({ id }) => id), own: [...new Set(captures.flatMap(sharesOf))], shares };
}

/** What a command that takes touches. */
export function fundingTouches({ captures, own, shares }: Funding): Touch[] {
  return [
    { table: paymentOperations, ids: captures },
    { table: paymentShares, ids: [...new Set([...own, ...shares])] },
  ];
}

export function sharesOf({ portions }: Pick<PaymentOperation, 'portions'>): Uuid[] {
  return portions.map(({ shareId }) => shareId).filter((id) => id !== null);
}

const min = (one: bigint, other: bigint) => (one < other ? one : other);
