/** What the messages of a purchase add up to, summed anew each time: the rule of the golden scenarios, for one currency. */
import { sum } from '../../reference-ledger.ts';

/** What a message says. Amounts are its own. */
export type Sent =
  /** A single message is posted as soon as it is approved. */
  | { readonly type: 'authorization'; readonly amount: bigint; readonly partial: boolean; readonly single: boolean }
  | { readonly type: 'increment'; readonly amount: bigint; readonly partial: boolean }
  /** Null: all of it. */
  | { readonly type: 'reversal'; readonly amount: bigint | null }
  | { readonly type: 'clearing'; readonly amount: bigint; readonly piece: Piece }
  | { readonly type: 'refund'; readonly amount: bigint }
  /** Takes back a clearing or refund, perhaps one that is not here. */
  | { readonly type: 'taking back'; readonly reverses: string; readonly amount: bigint | null }
  | { readonly type: 'stand-in'; readonly isApproved: boolean; readonly amount: bigint }
  /** What was sold in the end, which counts alone; 0: nothing was. */
  | { readonly type: 'completion'; readonly amount: bigint }
  | { readonly type: 'expiry' };

/** The whole, a part that others follow, or a piece of two. */
export type Piece = 'whole' | 'not final' | 1 | 2;

export interface Recorded {
  readonly reference: string;
  readonly sent: Sent;
  /** Nothing of what was declined, and of what asks for nothing. */
  readonly approved: bigint;
  readonly declined: string | null;
}

export interface Sums {
  readonly authorized: bigint;
  /** Something was approved, whatever a completion has made of it. */
  readonly isAuthorized: boolean;
  /** A completion is here; and beside it something else that was approved. */
  readonly isCompleted: boolean;
  readonly isUncompleted: boolean;
  readonly reversed: bigint;
  readonly isReversedWhole: boolean;
  /** Cleared, reversed later or not, and what reversals leave of single messages; and what stands of it. */
  readonly cleared: bigint;
  readonly standing: bigint;
  readonly refunded: bigint;
  /** Ended without a clearing. */
  readonly isEndedEarly: boolean;
  readonly isEnded: boolean;
  readonly isClosed: boolean;
  readonly held: bigint;
  readonly isDeclined: boolean;
  /** References that are not here. */
  readonly awaited: readonly string[];
  readonly status: string;
}

const of =
  <Type extends Sent['type']>(type: Type) =>
  (message: Recorded): message is Recorded & { readonly sent: Extract<Sent, { type: Type }> } =>
    message.sent.type === type;

export const isClearing = of('clearing');
const isRefund = of('refund');
export const isTakingBack = of('taking back');
const isReversal = of('reversal');
const isCompletion = of('completion');

/** Posted without a clearing. */
export function isSingle({ sent, approved }: Recorded): boolean {
  return sent.type === 'authorization' && sent.single && approved > 0n;
}

/** What is left of a clearing, a refund or a single message. */
export function standing(message: Recorded, all: readonly Recorded[]): bigint {
  const { reference, sent, approved } = message;
  if (!('amount' in sent) || sent.amount === null) return 0n;
  const whole = isSingle(message) ? approved : sent.amount;
  const back = all.filter(isTakingBack).filter((one) => one.sent.reverses === reference);
  if (back.some((one) => one.sent.amount === null)) return 0n;
  return atLeastZero(whole - sum(back.map((one) => one.sent.amount!)));
}

export function isFinal({ piece }: { readonly piece: Piece }): boolean {
  return piece === 'whole';
}

export function sumUp(all: readonly Recorded[]): Sums {
  const clearings = all.filter(isClearing);
  const refunds = all.filter(isRefund);
  const reversals = all.filter(isReversal);
  const completions = all.filter(isCompletion);
  const uncompleted = all.filter((one) => !isCompletion(one) && one.approved > 0n);
  const isCompleted = completions.length > 0;
  const authorized = isCompleted ? largest(completions) : sum(uncompleted.map(({ approved }) => approved));
  const reversed = sum(reversals.map(({ sent }) => sent.amount ?? 0n));
  // Beside a completion nothing else counts, nor what it has posted.
  const singles = isCompleted ? [] : all.filter(isSingle);
  const refunded = sum(refunds.map((one) => standing(one, all)));
  const isReversedWhole = reversals.some(({ sent }) => sent.amount === null);
  // Reversals take from what single messages posted first, then from what is held.
  const posted = sum(singles.map((one) => standing(one, all)));
  const back = isReversedWhole || reversed > posted ? posted : reversed;
  const cleared = sum(clearings.map(({ sent }) => sent.amount)) + sum(singles.map(({ approved }) => approved)) - back;
  const stands = sum(clearings.map((one) => standing(one, all))) + posted - back;
  const isExpired = all.some(({ sent }) => sent.type === 'expiry');
  const isRefused = all.some(({ sent }) => sent.type === 'stand-in' && !sent.isApproved);
  const isNothingSold = completions.some(({ sent }) => sent.amount === 0n);
  const isEndedEarly = isReversedWhole || isExpired || isRefused || isNothingSold;
  const pieces = new Set(clearings.map(({ sent }) => sent.piece).filter((piece) => typeof piece === 'number'));
  const isEnded = isEndedEarly || clearings.some(({ sent }) => isFinal(sent)) || pieces.size === 2;
  const left = atLeastZero(authorized - reversed - cleared);
  const isClosed = isEnded || (reversed > 0n && left === 0n);
  const held = isClosed ? 0n : left;
  const isHere = (reference: string) =>
    [...clearings, ...refunds, ...all.filter(isSingle)].some((one) => one.reference === reference);
  const missing = all.filter(isTakingBack).map(({ sent }) => sent.reverses);
  const isAuthorized = all.some(({ approved }) => approved > 0n);
  const isKnown =
    isAuthorized || isCompleted || reversals.length > 0 || all.some((one) => isTakingBack(one)) || clearings.length > 0;
  const hasDecline = all.some(({ declined }) => declined !== null);
  return {
    ...{ authorized, reversed, isReversedWhole, cleared, standing: stands, refunded },
    ...{ isAuthorized, isCompleted, isUncompleted: uncompleted.length > 0 },
    ...{ isEndedEarly, isEnded, isClosed, held },
    isDeclined: isRefused || (hasDecline && !isAuthorized),
    awaited: [...new Set(missing.filter((reference) => !isHere(reference)))],
    status: statusOf(),
  };

  function statusOf(): string {
    if (held > 0n) return 'pending';
    if (stands > 0n || refunded > 0n) return 'settled';
    if (isExpired) return 'expired';
    return isKnown || refunds.length > 0 ? 'reversed' : 'declined';
  }
}

/** Of several completions: which came last depends on the way that they took. */
function largest(completions: readonly Recorded[]): bigint {
  return completions.reduce((most, { approved }) => (approved > most ? approved : most), 0n);
}

export const atLeastZero = (amount: bigint) => (amount > 0n ? amount : 0n);
