/**
 * A card purchase: the state that follows from all its messages, in whatever order they came. Every command writes the
 * result of this function, and verify computes it again.
 * Invariants: nothing is held once the purchase is closed; what was used of limits is what stands cleared and what is
 * held.
 * Next: take-message.ts (what one more message does), purchase-rule.ts and decide-request.ts (whether it is approved).
 */
import { multiplyRatio } from '../../money/rounding.ts';
import { type Dispute, disputedOf } from '../disputes/dispute.ts';
import type { MerchantAmount, Message } from '../message/message.ts';
import { type FeeTerms, type PurchaseFee, purchaseFee } from './purchase-fee.ts';
import type { Sums } from './sums.ts';
import { type Tally, tallyOf } from './tally.ts';

export type PurchaseStatus =
  /** Something is held, or a refund is announced. Messages move it, or its expiry. */
  | 'pending'
  /** Something stands cleared or refunded. */
  | 'settled'
  /** A verification or an inquiry was approved, and nothing else. */
  | 'verified'
  /** The time of the authorization was over before anything was cleared. A late clearing makes it `settled`. */
  | 'expired'
  /** What was authorized or posted has been taken back. */
  | 'reversed'
  /** Nothing was ever approved. */
  | 'declined';

/** As the API shows them: minor units of the account's currency. */
export interface PurchaseAmounts {
  readonly authorized: bigint;
  /** A reversal without an amount takes back all that was authorized. */
  readonly reversed: bigint;
  readonly held: bigint;
  /** Held beside that for the fee. */
  readonly feeHeld: bigint;
  /** What stands: less what was reversed of it. */
  readonly cleared: bigint;
  readonly refunded: bigint;
  readonly disputed: bigint;
  /** Booked. */
  readonly fee: bigint;
  /** What the customer has paid more for what is cleared than its authorization foresaw; negative for less. */
  readonly fxDifference: bigint;
}

/** What limits count. */
export interface Usage {
  readonly amount: bigint;
  readonly count: 0 | 1;
}

export interface PurchaseState {
  readonly status: PurchaseStatus;
  readonly amounts: PurchaseAmounts;
  readonly used: Usage;
  readonly isClosed: boolean;
  /** Whether something is left for the expiry to end. */
  readonly isOpen: boolean;
  /** Reversals that wait for these messages. The expiry reports them. */
  readonly waitingFor: readonly string[];
  /** What the messages have posted to the customer's account: refunds less clearings and fees. Credits of disputes are apart. */
  readonly netPosted: bigint;
  readonly tally: Tally;
}

/** One purchase, as it is recorded. */
export interface Purchase {
  readonly messages: readonly Message[];
  /** In the order in which they were opened. */
  readonly disputes: readonly Dispute[];
  readonly terms: PurchaseTerms;
}

/** What the first message of a purchase pins. */
export interface PurchaseTerms extends FeeTerms {
  /** What may be cleared above the authorization without an exception. */
  readonly tolerancePercent: number;
}

export function stateOf({ messages, disputes, terms }: Purchase): PurchaseState {
  const tally = tallyOf(messages);
  const fee = purchaseFee(messages, terms);
  const { standing } = tally.account;
  const isRequestOpen = tally.requested > 0n && !isEnded(tally) && !tally.has.refund;
  const isClosed = isEnded(tally) || (tally.account.reversed > 0n && leftOf(tally) === 0n && !isRequestOpen);
  const held = isClosed ? 0n : leftOf(tally);
  const used = standing + held;
  return {
    status: statusOf(tally, { held, isRequestOpen }),
    amounts: amountsOf(tally, { held, disputes, fee }),
    used: { amount: used, count: used > 0n ? 1 : 0 },
    isClosed,
    isOpen: held > 0n || isRequestOpen,
    waitingFor: tally.waitingFor,
    netPosted: tally.refunded - standing - fee(standing),
    tally,
  };
}

/** Closed for good, whatever comes. A reversal with an amount closes only for as long as nothing is left. */
export function isEnded({ has }: Tally): boolean {
  return has.finalClearing || hasEndedEarly(has);
}

/** Ended without a clearing: one that comes now is late. */
export function hasEndedEarly(has: Tally['has']): boolean {
  return has.wholeReversal || has.expiry || has.networkDecline || has.nothingSold;
}

/** What is left to clear of an open purchase. Measured in the merchant's currency it does not depend on rates of the day. */
function leftOf({ account, merchant }: Tally): bigint {
  const left = account.authorized - account.reversed;
  if (merchant === null) return atLeastZero(left - account.cleared);
  const whole = merchant.authorized - merchant.reversed;
  if (left <= 0n || merchant.cleared >= whole) return 0n;
  return left - multiplyRatio(left, { numerator: merchant.cleared, denominator: whole }, 'down');
}

/** The part of the authorization that is still held, as its merchant counts it. Null where the messages do not agree on a currency. */
export function merchantLeft({ tally: { merchant }, amounts }: PurchaseState): MerchantAmount | null {
  if (merchant === null || amounts.held === 0n) return null;
  const left = merchant.authorized - merchant.reversed - merchant.cleared;
  return left > 0n ? { amount: left, currency: merchant.currency } : null;
}

function amountsOf(
  tally: Tally,
  { held, disputes, fee }: { held: bigint; disputes: readonly Dispute[]; fee: PurchaseFee },
): PurchaseAmounts {
  const { account, has } = tally;
  const { authorized, reversed, standing } = account;
  return {
    authorized,
    reversed: has.wholeReversal && authorized > reversed ? authorized : reversed,
    held,
    feeHeld: fee(standing + held) - fee(standing),
    cleared: standing,
    refunded: tally.refunded,
    disputed: disputedOf(disputes),
    fee: fee(standing),
    fxDifference: fxDifference(account, tally.merchant),
  };
}

/** Zero where nothing was authorized that it could be compared with. */
function fxDifference(account: Sums, merchant: Sums | null): bigint {
  if (merchant === null) return 0n;
  const foreseen = account.authorized - account.reversed;
  const whole = merchant.authorized - merchant.reversed;
  if (foreseen <= 0n || whole <= 0n) return 0n;
  return account.standing - multiplyRatio(foreseen, { numerator: merchant.standing, denominator: whole }, 'down');
}

/** The first that fits. */
function statusOf(tally: Tally, { held, isRequestOpen }: { held: bigint; isRequestOpen: boolean }): PurchaseStatus {
  const { account, refunded, has } = tally;
  if (held > 0n || isRequestOpen) return 'pending';
  if (account.standing > 0n || refunded > 0n) return 'settled';
  if (has.verification) return 'verified';
  if (has.expiry) return 'expired';
  return has.approval || has.reversal || has.clearing || has.refund ? 'reversed' : 'declined';
}

const atLeastZero = (amount: bigint) => (amount > 0n ? amount : 0n);
