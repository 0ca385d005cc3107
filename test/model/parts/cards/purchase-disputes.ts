/** Disputes of a purchase, and what of their credits a refund takes back: the rule of the golden scenarios. */
import { sum } from '../../reference-ledger.ts';
import { atLeastZero, type Sums } from './purchase-sums.ts';

export interface CardDispute {
  readonly name: string;
  readonly net: string;
  readonly amount: bigint;
  /** What the customer has of it. */
  credited: bigint;
  status: 'opened' | 'submitted' | 'won' | 'lost' | 'withdrawn';
  version: number;
}

/** In the order in which they were opened. */
type Disputes = readonly CardDispute[];
type Settled = Pick<Sums, 'standing' | 'refunded'>;

export function disputedOf(disputes: Disputes): bigint {
  return sum(disputes.filter(({ status }) => status !== 'lost' && status !== 'withdrawn').map(({ amount }) => amount));
}

export function creditedOf(disputes: Disputes): bigint {
  return sum(disputes.map(({ credited }) => credited));
}

export function mostDisputed({ standing, refunded }: Settled, disputes: Disputes): bigint {
  return atLeastZero(standing - refunded - disputedOf(disputes));
}

/** What is both refunded and credited, from the newest on; a credit that was won stays. Returns what was taken back. */
export function takeBackCredits({ standing, refunded }: Settled, disputes: Disputes): bigint {
  const before = creditedOf(disputes);
  let overlap = atLeastZero(refunded + before - standing);
  for (const dispute of [...disputes].reverse().filter(({ status }) => status === 'submitted')) {
    const taken = overlap < dispute.credited ? overlap : dispute.credited;
    if (taken === 0n) continue;
    dispute.credited -= taken;
    dispute.version++;
    overlap -= taken;
  }
  return before - creditedOf(disputes);
}
