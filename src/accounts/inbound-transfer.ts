/** An inbound transfer: money that arrived at the pool for an account. Booked with its row; neither changes. */
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

export interface InboundTransfer {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  readonly description: string | null;
  readonly createdAt: Instant;
}
