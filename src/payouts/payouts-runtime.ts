/** The part of a process's runtime that is about payouts: what an operator keeps back, and the cards that may be paid to. */
import type { Pool } from '../db/pool.ts';
import type { CardRuntime } from './destinations/find-card.ts';
import { RecentPauses } from './pauses/recent-pauses.ts';

export interface PayoutsRuntime extends Pick<CardRuntime, 'payableCards'> {
  /** What an operator keeps back. */
  readonly pauses: RecentPauses;
}

export interface PayoutsParts extends Pick<CardRuntime, 'payableCards'> {
  readonly pool: Pool;
}

export function createPayoutsRuntime({ pool, payableCards }: PayoutsParts): PayoutsRuntime {
  return { pauses: new RecentPauses(pool), payableCards };
}
