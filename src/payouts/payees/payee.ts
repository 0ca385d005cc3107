/**
 * A payee: a saved destination, with a name. What is paid follows `destinationVersion`: a new name or destination counts it up,
 * and each payout keeps the one that it was made for.
 * Next: payee-table.ts (its rows), save-payee.ts, act-on-payee.ts, disable-payee.ts (what a rail's word does to it).
 */
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Destination } from '../destinations/destination.ts';

export type PayeeStatus =
  /** Payouts to it are accepted. */
  | 'active'
  /** No new payout is accepted. The integrator, or a rail's word about the account, disabled it; the integrator enables it. */
  | 'disabled';

export const PAYEE_TRANSITIONS: Transitions<PayeeStatus> = {
  active: ['disabled'],
  disabled: ['active'],
};

export const DISABLED_REASONS = ['requested', 'returned', 'failed'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export interface Payee {
  readonly id: Uuid;
  readonly status: PayeeStatus;
  /** Set exactly while it is disabled. */
  readonly disabledReason: DisabledReason | null;
  /** Null once it is erased. */
  readonly name: string | null;
  readonly destination: Destination;
  readonly destinationVersion: number;
  /** The latest version to which a payout was approved: a later one counts as new. Null where none was. */
  readonly approvedVersion: number | null;
  readonly externalId: string | null;
  /** Null once it is erased. */
  readonly metadata: Record<string, string> | null;
  readonly textSalt: Buffer | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The payee of a payout, and which of its destinations. */
export interface PinnedPayee {
  readonly id: Uuid;
  readonly version: number;
}

export type PayeeAction = 'disable' | 'enable';

export function allowedOnPayee({ status }: Pick<Payee, 'status'>): readonly PayeeAction[] {
  return status === 'active' ? ['disable'] : ['enable'];
}
