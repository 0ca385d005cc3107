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
  /** Given up, likewise. Final. */
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
export interface Settled {
  readonly cleared: bigint;
  readonly refunded: bigint;
}

/** The most that may be disputed beside what already is. */
export function maximumDisputed({ cleared, refunded }: Settled, disputes: readonly Dispute[]): bigint {
  return atLeastZero(cleared - refunded - disputedOf(disputes));
}

/**
 * The disputes after a message has moved what stands cleared or refunded. A merchant that gives back what is in dispute would otherwise pay
 * the customer twice: what is refunded and credited above what stands cleared is taken back, from the newest dispute first, in the order in
 * which they were opened. What the message makes room for is credited again, to the oldest first: a refund that is reversed ends as if it had
 * never come. A credit that was won is final: it counts, and is neither taken nor raised.
 */
export function creditsAfter(disputes: readonly Dispute[], { cleared, refunded }: Settled): readonly Dispute[] {
  const room = cleared - refunded - creditedOf(disputes);
  return room < 0n ? taken(disputes, -room) : raised(disputes, room);
}

function taken(disputes: readonly Dispute[], overlap: bigint): Dispute[] {
  let left = overlap;
  const lessOf = (dispute: Dispute) => {
    const { status, credited } = dispute;
    const less = status === 'submitted' ? least(credited, left) : 0n;
    left -= less;
    return less === 0n ? dispute : { ...dispute, credited: credited - less };
  };
  return disputes.toReversed().map(lessOf).toReversed();
}

function raised(disputes: readonly Dispute[], room: bigint): Dispute[] {
  let left = room;
  return disputes.map((dispute) => {
    const { status, amount, credited } = dispute;
    const more = status === 'submitted' ? least(amount - credited, left) : 0n;
    left -= more;
    return more === 0n ? dispute : { ...dispute, credited: credited + more };
  });
}

const least = (one: bigint, other: bigint) => (one < other ? one : other);
const atLeastZero = (amount: bigint) => (amount > 0n ? amount : 0n);
