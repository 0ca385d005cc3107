/** A capture with what verify reads of it, without a database: captured on Friday, 2 May 2031 at noon in UTC. */

import type { PaymentHistory, ShareRead } from '../../src/payments/disputes/checks/payment-check-store.ts';
import { newOperation } from '../../src/payments/operations/new-operation.ts';
import type { PaymentOperation } from '../../src/payments/operations/payment-operation.ts';
import type { Payment } from '../../src/payments/payment/payment.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { momentAt } from './moment.ts';

const CAPTURED_AT = Date.parse('2031-05-02T12:00:00Z');

export interface PlacedIn extends ShareRead {
  readonly amount: bigint;
  /** The share does not exist. */
  readonly isMissing?: true;
}

/** 10,000 with a fee of 260. Each amount is in a share of its own. */
export function newBookedCapture(of: {
  readonly schedule: string | null;
  readonly lines: readonly PlacedIn[];
  readonly portions: readonly PlacedIn[];
  readonly settledOn: string | null;
}): { history: PaymentHistory; capture: PaymentOperation } {
  const shares = new Map<Uuid, ShareRead>();
  const placed = ({ amount, isMissing, ...share }: PlacedIn) => {
    const shareId = newId();
    if (!isMissing) shares.set(shareId, share);
    return { shareId, amount };
  };
  const payment = { id: newId(), accountId: newId(), currency: 'EUR', acquirer: 'sandbox_acquirer' } as Payment;
  const sent = { id: newId(), kind: 'capture', amount: 10_000n, reference: 'C', of: 'A', requestId: newId() } as const;
  const capture: PaymentOperation = {
    ...newOperation(payment, sent, momentAt(CAPTURED_AT)),
    status: 'succeeded',
    fee: 260n,
    portions: of.portions.map(placed),
    settledAt: of.settledOn === null ? null : Date.parse(`${of.settledOn}T06:00:00Z`),
    releaseSchedule: of.schedule,
  };
  const history: PaymentHistory = {
    payment,
    operations: [capture],
    disputes: [],
    steps: new Map([[capture.id, [{ id: newId(), step: 'captured', postedAt: CAPTURED_AT, postings: [] }]]]),
    shares,
    put: new Map([[capture.id, of.lines.map(placed)]]),
    timeZone: 'UTC',
    inShares: new Map(),
  };
  return { history, capture };
}
