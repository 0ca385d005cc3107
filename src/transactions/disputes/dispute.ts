/**
 * A cardholder's dispute of what a purchase has cleared. Once it is submitted to the network the customer has a provisional credit, which
 * stays if the dispute is won.
 * Invariant: `credited` is what the customer has of it now, never more than `amount`.
 * Next: dispute-step.ts (what each step books).
 */

export type DisputeStatus =
  /** Nothing is booked. The operator submits or withdraws it. */
  | 'opened'
  /** At the network, credited provisionally. The network decides, or the cardholder withdraws it. */
  | 'submitted'
  /** The credit stays. Final. */
  | 'won'
  /** What was left of the credit is taken back. Final. */
  | 'lost'
  /** Canceled by the cardholder; the credit is taken back likewise. Final. */
  | 'withdrawn';

export interface Dispute {
  readonly id: string;
  readonly status: DisputeStatus;
  readonly amount: bigint;
  readonly credited: bigint;
}

/** What is disputed, and not lost or withdrawn. */
export function disputedOf(disputes: readonly Dispute[]): bigint {
  return disputes.reduce((sum, { status, amount }) => (hasFailed(status) ? sum : sum + amount), 0n);
}

/** Credits that the customer has. */
export function creditedOf(disputes: readonly Dispute[]): bigint {
  return disputes.reduce((sum, { credited }) => sum + credited, 0n);
}

function hasFailed(status: DisputeStatus): boolean {
  return status === 'lost' || status === 'withdrawn';
}

/** What a purchase has cleared and refunded, as it stands: minor units. */
export interface Cleared {
  readonly cleared: bigint;
  readonly refunded: bigint;
}

/** The most that may be disputed beside what already is. */
export function maximumDisputed({ cleared, refunded }: Cleared, disputes: readonly Dispute[]): bigint {
  return atLeastZero(cleared - refunded - disputedOf(disputes));
}

/**
 * The disputes after a refund: a merchant that gives back what is in dispute would otherwise pay the customer twice. What is refunded and
 * credited above what stands cleared is taken back, from the newest dispute first, in the order in which they were opened. A credit that
 * was won is final: it counts, and is not taken.
 */
export function afterRefund(disputes: readonly Dispute[], { cleared, refunded }: Cleared): Dispute[] {
  let overlap = atLeastZero(refunded + creditedOf(disputes) - cleared);
  const changed: Dispute[] = [];
  for (const dispute of disputes.toReversed()) {
    const most = dispute.status === 'submitted' ? dispute.credited : 0n;
    const taken = overlap < most ? overlap : most;
    overlap -= taken;
    changed.unshift(taken === 0n ? dispute : { ...dispute, credited: dispute.credited - taken });
  }
  return changed;
}

const atLeastZero = (amount: bigint) => (amount > 0n ? amount : 0n);
