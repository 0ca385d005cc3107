/** What a message does to its purchase, by the golden scenarios: its stages, its event, what is repeated, and fees. */
import type { Movement } from '../../reference-ledger.ts';
import {
  atLeastZero,
  isClearing,
  isFinal,
  isSingle,
  isTakingBack,
  type Recorded,
  type Sums,
  standing,
  sumUp,
} from './purchase-sums.ts';

export type Merchant = 'grocer' | 'restaurant' | 'cash machine';

/** A message, and what it changes. */
export interface Step {
  readonly known: readonly Recorded[];
  readonly message: Recorded;
  readonly before: Sums;
  readonly after: Sums;
}

export interface Change {
  readonly posted: bigint;
  readonly held: bigint;
  readonly isPosted: boolean;
}

export interface Stage {
  readonly message: Recorded;
  readonly from: Sums;
  readonly to: Sums;
}

/** The message alone, then each reversal that waited for it. */
export function stagesOf(known: readonly Recorded[], message: Recorded): Stage[] {
  const isPosting = message.sent.type === 'clearing' || message.sent.type === 'refund' || isSingle(message);
  const waited = known.filter((one) => isPosting && isTakingBack(one) && one.sent.reverses === message.reference);
  let own = known.filter((one) => !waited.includes(one));
  return [message, ...waited].map((stage) => {
    const from = sumUp(own);
    own = [...own, stage];
    return { message: stage, from, to: sumUp(own) };
  });
}

export function eventOf(
  { sent, declined, reference }: Recorded,
  all: readonly Recorded[],
  before: Sums,
): string | null {
  switch (sent.type) {
    case 'authorization':
      return declined === null ? 'authorized' : 'declined';
    case 'increment':
      return declined === null ? 'incremented' : 'declined';
    case 'reversal':
      return 'reversed';
    case 'clearing':
      return !before.isAuthorized ? 'force_posted' : 'cleared';
    case 'refund':
      return 'refunded';
    case 'stand-in':
    case 'completion':
      return 'advised';
    case 'expiry':
      return 'expired';
    case 'taking back': {
      const back = all.find((one) => one.reference === sent.reverses && one.reference !== reference);
      if (back?.sent.type === 'refund') return 'refund_reversed';
      return back?.sent.type === 'clearing' || (back && isSingle(back)) ? 'clearing_reversed' : null;
    }
  }
}

export function isReversed({ authorized, reversed, isReversedWhole }: Sums): boolean {
  return isReversedWhole || (reversed > 0n && reversed >= authorized);
}

/** The piece of a clearing that stands, or a second whole one of the amount of a first that stands. */
export function isRepeated(message: Recorded, known: readonly Recorded[]): boolean {
  if (!isClearing(message) || standing(message, known) === 0n) return false;
  const { piece, amount } = message.sent;
  return known.filter(isClearing).some((one) => {
    if (standing(one, known) === 0n) return false;
    if (typeof piece === 'number' && one.sent.piece === piece) return true;
    return isFinal(message.sent) && isFinal(one.sent) && one.sent.amount === amount;
  });
}

interface FeeTerms {
  readonly merchant: Merchant;
  readonly hasFee: boolean;
}

/** Of cash where the program charges it: 30 and one per cent, halves to the even neighbor. */
export function feeOf({ merchant, hasFee }: FeeTerms, amount: bigint): bigint {
  if (merchant !== 'cash machine' || !hasFee || amount === 0n) return 0n;
  const [whole, rest] = [amount / 100n, amount % 100n];
  const isUp = rest > 50n || (rest === 50n && whole % 2n === 1n);
  return 30n + whole + (isUp ? 1n : 0n);
}

export function moved(debit: string, credit: string, amount: bigint): Movement[] {
  if (amount === 0n) return [];
  return [amount > 0n ? { debit, credit, amount } : { debit: credit, credit: debit, amount: -amount }];
}

export function outflowOf(account: string, movements: readonly Movement[]): bigint {
  let outflow = 0n;
  for (const { debit, credit, amount } of movements) {
    if (debit === account) outflow += amount;
    if (credit === account) outflow -= amount;
  }
  return atLeastZero(outflow);
}
